"""Small breakages of chapter 15, and the tests that must fail because of each."""

from tools.maintain.mutants import Mutant

T = "tests/chapters/15_cluster/test_cluster.py::test_"
CU, CPP = "chapters/15_cluster/cluster.cu", "chapters/15_cluster/cluster.cpp"
MAX_SUM = "device/max_sum.h"
EXACT, REFUSES, AUTO = (
    T + "infinities_and_nan",
    T + "a_step_refuses_rows_that_it_cannot_keep",
    T + "auto_takes_clusters_where_they_are_faster",
)

MEMORY_CHECK = (
    "tests/chapters/test_chapters.py::test_the_memory_check_finds_nothing_in_the_tests_of_kernels[15_cluster]"
)


def forward(step, dtype="float32"):
    return f"{T}softmax[forward-{step}-{dtype}]"


def backward(step):
    return f"{T}softmax_backward[forward-{step}-float32]"


def many(step, shape="20-16389"):
    return f"{T}many_rows[forward-{step}-{shape}]"


MUTANTS = [
    # ---- softmax and its gradient
    Mutant(MAX_SUM, "N max = -std::numeric_limits<N>::max()", "N max = -INFINITY", EXACT),
    Mutant(MAX_SUM, "return {a.max, a.sum + b.sum * shrink};", "return {a.max, a.sum + b.sum};", forward("barrier")),
    Mutant(CU, "fast_exp(mine.max - all.max) * (1 / all.sum)", "1 / all.sum", forward("barrier")),
    Mutant(CU, "return T(-INFINITY); }", "return T(0.f); }", forward("pipeline")),
    Mutant(CU, "v[0][i] = v[1][i] * (v[0][i] - sum);", "v[0][i] = v[1][i] * v[0][i] - sum;", backward("barrier")),
    # ---- what a block has of a row
    Mutant(CU, "first = block_of_cluster() * size;", "first = 0;", forward("mbarrier")),
    Mutant(CU, "max(shift - first, 0)", "0", forward("pipeline")),
    Mutant(CU, "min(int(n) + shift - first, size)", "min(int(n) - first, size)", forward("pipeline")),
    # ---- the exchange
    Mutant(CU, "if (lane < blocks_of_cluster()) all = *in", "if (lane < 1) all = *in", forward("barrier")),
    Mutant(CU, "    __cluster_barrier_arrive();  // this thread has read the parts\n", "", forward("barrier")),
    Mutant(CU, "block_of_cluster() * blockDim.x + threadIdx.x) / 32", "threadIdx.x) / 32", forward("mbarrier")),
    Mutant(CU, "of_warp, in_block(block, barrier)", "of_warp, barrier", forward("mbarrier")),
    Mutant(CU, "warps = blocks_of_cluster() * int(blockDim.x) / 32;", "warps = int(blockDim.x) / 32;", forward("mbarrier")),
    Mutant(CU, "parity = count / 2 % 2;", "parity = count % 2;", many("pipeline")),
    Mutant(CU, "    __syncwarp();  // all lanes have read these", "    // all lanes have read these", MEMORY_CHECK),
    # ---- rows on their way
    Mutant(CU, "i < s.end : i + j >= s.begin && i + j < s.end;", "i < s.end : i + j < s.end;", forward("pipeline")),
    Mutant(CU, "        fetch(row + clusters);  // while `row` is in registers\n", "", many("pipeline")),
    Mutant(CU, "        __pipeline_wait_prior(0);\n", "", forward("pipeline")),
    Mutant(CU, "row < rows; row += clusters, count++", "row < rows; row += 1, count++", many("pipeline")),
    # ---- the launch
    Mutant(CU, "n <= Op::SHORT) return", "n <= 2 * Op::SHORT) return", AUTO),
    Mutant(CU, "if (pipeline && !begin_at_packs) return", "if (false) return", REFUSES),
    Mutant(CU, "blocks * int64_t(room) < packs) blocks *= 2", "blocks * int64_t(room) < packs / 2) blocks *= 2",
           forward("mbarrier")),
    Mutant(CU, "if (blocks > unsigned(std::min(most, MOST_BLOCKS)))", "if (blocks > unsigned(MOST_BLOCKS))", AUTO),
    Mutant(CU, "(n + 2 * size - 2) / size", "n / size", forward("mbarrier")),
    # ---- the binding
    Mutant(CPP, " && x.numel() > 0) {", ") {", T + "no_elements"),
    Mutant(CPP, "2 * rows_of(x) * blocks}", "rows_of(x) * blocks}", T + "the_fallback"),
    Mutant(CPP, 'STD_TORCH_CHECK(step == "auto"', 'STD_TORCH_CHECK(true', REFUSES),
]  # fmt: skip
