"""What the operators of attention.cpp lack, added in Python: shapes for torch.compile, gradients, autocast (chapter 09)."""

import functools

import torch

ops = torch.ops.chapter19
STEPS = ["auto", "simple", "portable", "first", "two", "overlap", "hopper"]
WITH_GROUPS = ["hopper 1", "hopper 2", "hopper 3"]  # hopper, with so many warpgroups that compute
HALVES = {torch.float16: "Half", torch.bfloat16: "BFloat16"}
NO_VMAP = "attention has no rule for torch.vmap: its first dimension is a batch already, so fold yours into it"


def register(device_type):
    """Once for each process, after the library was loaded. device_type: where its kernels run."""
    torch.library.impl("chapter19::attention", "CompositeImplicitAutograd", attention)
    for name, fake, setup, backward in (
        ("attention_forward", fake_forward, save, gradients),
        ("attention_backward", fake_backward, lambda ctx, inputs, keyword_only_inputs, output: None, no_gradients),
    ):
        torch.library.register_fake(f"chapter19::{name}", fake)
        torch.library.register_autograd(f"chapter19::{name}", backward, setup_context=setup)
    for name in "attention", "attention_forward", "attention_backward":
        torch.library.register_vmap(f"chapter19::{name}", no_vmap)
    cast = functools.partial(in_one_dtype, device_type)
    torch.library.impl("chapter19::attention_forward", f"Autocast{device_type.upper()}", cast)


def attention(q, k, v, *, causal=False, scale=None, step="auto"):
    """The result alone. torch sees through this function: what has gradients and rules is attention_forward."""
    return ops.attention_forward(q, k, v, causal=causal, scale=scale, step=step)[0]


# ---- for tensors that have a shape and no memory; the words are those of attention.cpp -------------------------------
def check(x, name, dtypes):
    words = " or ".join(HALVES[dtype] for dtype in dtypes)
    torch._check(x.dtype in dtypes, lambda: f"{name} must have dtype {words}, got {x.dtype}")


def check_heads(x, name, dtypes):
    check(x, name, dtypes)
    torch._check(x.dim() == 4, lambda: f"{name} must have 4 dimensions, got {x.dim()}")
    for size in x.shape:
        torch._check(size <= 2**30, lambda: (
            f"{name} must have at most 2^30 rows, heads and batches, got the shape {x.shape}"))  # fmt: skip


def check_same_device(a, a_name, b, b_name):
    torch._check(a.device == b.device, lambda: (
        f"{a_name} and {b_name} must be on the same device, got {a.device} and {b.device}"))  # fmt: skip


def check_like(x, name, q, q_name):
    check(x, name, [q.dtype])
    torch._check(x.dim() == q.dim() and x.shape == q.shape, lambda: (
        f"{name} and {q_name} must have the same shape, got {x.shape} and {q.shape}"))  # fmt: skip
    check_same_device(x, name, q, q_name)


def check_problem(q, k, v, scale):
    check_heads(q, "q", HALVES)
    batch, heads, _, d = q.shape
    torch._check(d in (64, 128), lambda: f"q must have rows of 64 or 128 elements, got {d}")
    check_heads(k, "k", [q.dtype])
    torch._check(k.shape[0] == batch and k.shape[3] == d, lambda: (
        f"k must have the shape [{batch}, heads, keys, {d}], as q has the shape {q.shape}, got {k.shape}"))  # fmt: skip
    of_k = k.shape[1]
    torch._check(heads == 0 if of_k == 0 else heads % of_k == 0, lambda: (
        f"q must have a multiple of k's heads, got {heads} and {of_k}"))  # fmt: skip
    check_same_device(q, "q", k, "k")
    check_like(v, "v", k, "k")
    torch._check(scale is None or 0 < scale <= torch.finfo(torch.float32).max, lambda: (
        f"scale must be positive, and fit into float32, got {scale}"))  # fmt: skip


def new_like(x):
    out = torch.empty_like(x)
    return out if out.stride(3) == 1 else x.new_empty(x.shape)


def fake_forward(q, k, v, *, causal=False, scale=None, step="auto"):
    check_problem(q, k, v, scale)
    steps = STEPS + WITH_GROUPS
    torch._check(step in steps, lambda: f"step must be {', '.join(steps[:-1])} or {steps[-1]}, got {step}")
    torch._check(step != "hopper 3" or q.shape[3] == 64, lambda: (
        f"step hopper 3 takes rows of 64 elements, got {q.shape[3]}"))  # fmt: skip
    return new_like(q), q.new_empty(q.shape[:3], dtype=torch.float32)


def fake_backward(grad, q, k, v, out, lse, *, causal=False, scale=None, deterministic=False, step="auto"):
    check_problem(q, k, v, scale)
    check_like(grad, "grad", q, "q")
    check_like(out, "out", q, "q")
    torch._check(lse.dtype == torch.float32, lambda: f"lse must have dtype Float, got {lse.dtype}")
    torch._check(lse.shape == q.shape[:3], lambda: (
        f"lse must have the shape of q without its last dimension, got {lse.shape}"))  # fmt: skip
    torch._check(step in ("auto", "portable", "hopper"), lambda: (
        f"step must be auto, portable or hopper, got {step}"))  # fmt: skip
    return new_like(q), new_like(k), new_like(v)


# ---- gradients -------------------------------------------------------------------------------------------------------
def save(ctx, inputs, keyword_only_inputs, output):
    ctx.save_for_backward(*inputs, *output)
    ctx.options = {name: keyword_only_inputs[name] for name in ("causal", "scale")}
    ctx.mark_non_differentiable(output[1])
    ctx.set_materialize_grads(False)


def gradients(ctx, grad, _):
    if grad is None:
        return None, None, None
    deterministic = torch.are_deterministic_algorithms_enabled()
    return ops.attention_backward(grad, *ctx.saved_tensors, **ctx.options, deterministic=deterministic)


def no_gradients(ctx, *grads):
    raise NotImplementedError("attention has no second derivative")


# ---- autocast, vmap --------------------------------------------------------------------------------------------------
def in_one_dtype(device_type, q, k, v, **options):
    """In an autocast region all become the region's dtype, as for torch's own, if the operator takes it. Autocast never
    converts float64."""
    to = torch.get_autocast_dtype(device_type)
    if to in HALVES:
        q, k, v = (x.to(to) if x.is_floating_point() and x.dtype != torch.float64 else x for x in (q, k, v))
    with torch.autocast(device_type, enabled=False):  # otherwise this function would call itself
        return ops.attention_forward(q, k, v, **options)


def no_vmap(info, in_dims, *args, **options):
    raise NotImplementedError(NO_VMAP)
