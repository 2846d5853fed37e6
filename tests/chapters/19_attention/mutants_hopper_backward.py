"""Small breakages of chapter 19's gradients on a Hopper, and the tests that must fail because of each. Some may leave no trace
on a GPU. CUDA on CPU carries out copies and products as late as is allowed, and in its other order at once."""

from tools.maintain.mutants import Mutant

T = "tests/chapters/19_attention/test_attention.py::test_"
CU, SHARED, GRAD_Q, CPP, RULES = (
    f"chapters/19_attention/{name}"
    for name in ("hopper_backward.cu", "hopper_backward.h", "hopper_grad_q.cu", "attention.cpp", "rules.py")
)


def gradients(kernels, d=64, order="forward"):
    return f"{T}gradients[{order}-{kernels}-{d}-bfloat16]"


MUTANTS = [
    # ---- who waits for whom
    Mutant(CU, "wait_for_phase(barrier(Q_FULL, stage), parity);", "", gradients("fused")),
    Mutant(CU, "wait_for_phase(barrier(EMPTY, stage), parity ^ 1);", "", gradients("fused", 128, "reverse")),
    Mutant(CU, "read their numbers\n        if (lane == 0)", "read their numbers\n        if (thread == 0)",
           gradients("fused", 128)),
    Mutant(CU, "wgmma_wait<1>(dq);", "", gradients("fused")),
    # ---- ds in shared memory
    Mutant(CU, "fence_async();\n            named_barrier(1", "named_barrier(1", gradients("fused")),
    Mutant(CU, "            named_barrier(1, GROUPS * 128);\n", "", gradients("fused")),
    # ---- results
    Mutant(SHARED, "fence_async();\n    named_barrier(2", "named_barrier(2", gradients("deterministic")),
    Mutant(CU, "CHECK_CUDA(cudaMemsetAsync(sums", "if (false) CHECK_CUDA(cudaMemsetAsync(sums", gradients("fused")),
    # ---- which keys
    Mutant(CU, "if (first_key + group * 64 + 63 > last_key(first_query, p))",
           "if (first_key + group * 64 > last_key(first_query, p))", T + "keys_past_the_end_with_infinite_weights[fused]"),
    Mutant(GRAD_Q, "if (i * N + N - 1 > last_key(my_first, p))", "if (i * N > last_key(my_first, p))",
           gradients("deterministic")),
    Mutant(CU, "head < (at.head + 1) * p.group", "head < at.head * p.group + 1", T + "heads_that_share_keys[4-2]"),
    Mutant(CU, "if (logarithm != -INFINITY) ", "", T + "a_query_that_sees_no_key_adds_nothing[fused]"),
    # ---- where they lie
    Mutant(CU, "(D == 64 ? 0 : group * KEYS * 128)", "0", gradients("fused", 128)),
    # ---- which kernels
    Mutant(CPP, "&& q.numel() > 0 && k.numel() > 0;", ";", T + "nothing"),
    Mutant(RULES, "**ctx.options, deterministic=deterministic)", "**ctx.options)",
           T + "autograd_asks_for_deterministic_kernels_where_torch_does"),
]  # fmt: skip
