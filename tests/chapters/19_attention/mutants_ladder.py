"""Small breakages of chapter 19's steps towards hopper, and the tests that must fail because of each. Some may leave no trace
on a GPU. CUDA on CPU carries out copies and products as late as is allowed, and in its other order at once."""

from tools.maintain.mutants import Mutant

T = "tests/chapters/19_attention/test_attention.py::test_"
CU = "chapters/19_attention/ladder.cu"


def ladder(*steps, d=64, order="forward"):
    return [f"{T}the_ladder[{order}-{d}-{step}]" for step in steps]


SCORES = "start_scores<T, D, GROUPS>(s, q, block.k.get(step));"
RESULT = "start_result<T>(o, weights, block.v.get(step - 1));"
EVERY = ladder("first", "two", "overlap")


MUTANTS = [
    # ---- who waits for whom
    Mutant(CU, "step / STAGES % 2 ^ 1);", "step / STAGES % 2);", EVERY),
    Mutant(CU, "wait(full[step % STAGES], step / STAGES % 2);", "", EVERY),
    Mutant(CU, "if (threadIdx.x % 32 == 0) arrive", "if (threadIdx.x % 128 == 0) arrive", EVERY),
    Mutant(CU, "block.k.init(GROUPS * 4)", "block.k.init(GROUPS)", EVERY),
    Mutant(CU, "wait(block.q_full, 0);\n    start_scores", "start_scores", ladder("overlap")),
    # ---- products
    Mutant(CU, "wgmma_wait<0>(s);\n        block.k.release(step);", "block.k.release(step);", ladder("first", "two")),
    Mutant(CU, "wgmma_wait<0>(o);\n        block.v.release(step);", "block.v.release(step);", ladder("first", "two")),
    Mutant(CU, "wgmma_fence();\n    start_registers", "start_registers", EVERY),
    Mutant(CU, "wgmma_wait<1>(s);", "", ladder("overlap")),
    Mutant(CU, f"{SCORES}\n        {RESULT}", f"{RESULT}\n        {SCORES}",
           ladder("overlap"), why="the wait is for the product that was started first"),
    Mutant(CU, "wgmma_wait<0>(o);\n        block.v.release(step - 1);\n        multiply_rows(o, shrink);",
           "multiply_rows(o, shrink);\n        wgmma_wait<0>(o);\n        block.v.release(step - 1);", ladder("overlap")),
    # ---- the result
    Mutant(CU, "first_query, p);\n        multiply_rows(o, shrink);", "first_query, p);",
           ladder("first", "two")),
    Mutant(CU, "step - 1);\n        multiply_rows(o, shrink);", "step - 1);", ladder("overlap")),
    Mutant(CU, "fence_async();", "", EVERY, why="without a symptom on an H100"),
    Mutant(CU, "named_barrier(1, GROUPS * 128);", "", EVERY),
    Mutant(CU, "wait_for_stores_to_read();", "", EVERY),
    # ---- which queries, which keys
    Mutant(CU, "> last_key(first_query, p)", "> last_key(first_query + 63, p)", EVERY),
    Mutant(CU, "last_key(query + 8, p)", "last_key(query, p)", EVERY),
    Mutant(CU, "same time\n    const uint32_t q = address_of(block.q) + group * 64 * ROW_BYTES;",
           "same time\n    const uint32_t q = address_of(block.q);", ladder("overlap")),
    Mutant(CU, "w.head / p.group, w.batch);\n        block.v", "w.head, w.batch);\n        block.v", EVERY),
    Mutant(CU, "if (p.queries == 0 || heads == 0) return;", "", T + "nothing"),
]  # fmt: skip
