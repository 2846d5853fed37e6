"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "Block b of the cluster takes elements b * THREADS + threadIdx.x, and then every BLOCKS * THREADS-th one.",
    "Lanes add by __shfl_xor_sync(). Lane 0 of each warp writes the warp's sum into shared memory. A barrier of the cluster "
    "makes these sums visible to all blocks.",
    "One thread of block 0 reads the sums of all blocks by __cluster_map_shared_rank(). The other blocks wait until it has.",
]
WRONG = {
    "returns_early": (
        "returns takes its shared memory",
        {
            "row_sum.cu": [
                (
                    "        sums[row] = all;\n    }\n    __cluster_barrier_arrive();\n    __cluster_barrier_wait();\n",
                    "        sums[row] = all;\n    }\n",
                )
            ]
        },
    ),
    "one_block_only": ("wrong result", {"row_sum.cu": [("other < BLOCKS", "other < 1")]}),
    "each_reads_all": (
        "threads repeat work",
        {
            "row_sum.cu": [
                ("block * THREADS + threadIdx.x; i < n; i += BLOCKS * THREADS", "threadIdx.x; i < n; i += THREADS"),
                ("sums[row] = all;", "sums[row] = all / BLOCKS;"),
            ]
        },
    ),
    "a_barrier_of_the_block": (
        "data race",
        {
            "row_sum.cu": [
                (
                    "of_warps[threadIdx.x / 32] = sum;\n    __cluster_barrier_arrive();\n    __cluster_barrier_wait();",
                    "of_warps[threadIdx.x / 32] = sum;\n    __syncthreads();",
                )
            ]
        },
    ),
    "one_block_alone": (
        "expected: by 96 or more",
        {
            "row_sum.cu": [
                (
                    "for (int64_t i = block * THREADS + threadIdx.x; i < n; i += BLOCKS * THREADS) sum",
                    ("if (block == 0)\n        for (int64_t i = threadIdx.x; i < n; i += THREADS) sum"),
                )
            ],
        },
    ),
    "first_warps_alone": (
        "expected: by 96 or more",
        {
            "row_sum.cu": [
                (
                    "for (int64_t i = block * THREADS + threadIdx.x; i < n; i += BLOCKS * THREADS) sum",
                    (
                        "if (threadIdx.x < 32)\n"
                        "        for (int64_t i = block * 32 + threadIdx.x; i < n; i += BLOCKS * 32) sum"
                    ),
                )
            ],
        },
    ),
    "index_as_int": (
        "33038211 rows of 130: ",
        {
            "row_sum.cu": [("x[row * n + i]", "x[int(row * n + i)]")],
        },
    ),
    "whole_numbers": (
        "wrong result",
        {
            "row_sum.cu": [("sum += x[row * n + i]", "sum += int(x[row * n + i])")],
        },
    ),
    "a_piece_for_each_thread": (
        "at most 4 allowed",
        {
            "row_sum.cu": [
                (
                    "for (int64_t i = block * THREADS + threadIdx.x; i < n; i += BLOCKS * THREADS) sum += x[row * n + i];",
                    (
                        "const int64_t each = (n + BLOCKS * THREADS - 1) / (BLOCKS * THREADS), first = "
                        "(block * THREADS + threadIdx.x) * each;\n"
                        "    for (int64_t i = first; i < first + each && i < n; i++) sum += x[row * n + i];"
                    ),
                )
            ],
        },
    ),
    "skips_nan": (
        "rows with -infinity, NaN, 1e30, n = 1",
        {
            "row_sum.cu": [("sum += x[row * n + i]", "sum += isnan(x[row * n + i]) ? 0 : x[row * n + i]")],
        },
    ),
    "no_columns": (
        "n = 0 (x: 3 rows, 0 columns): wrong result",
        {
            "row_sum.cu": [
                ("if (rows == 0) return;", "if (rows == 0 || n == 0) return;"),
            ],
        },
    ),
    "index_of_32_bits": (
        "i has 32 bits, and n has 64",
        {
            "row_sum.cu": [
                ("for (int64_t i = block", "for (unsigned i = block"),
            ],
        },
    ),
    "one_sync_of_the_cluster": (
        "returns takes its shared memory",
        {
            "row_sum.cu": [
                ('#include "row_sum.h"', ('#include "row_sum.h"\n#include <cooperative_groups.h>')),
                (
                    "    __shared__ float of_warps[THREADS / 32];\n",
                    (
                        "    __shared__ float of_warps[THREADS / 32];\n"
                        "    const auto cluster = cooperative_groups::this_cluster();\n"
                    ),
                ),
                (
                    (
                        "    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sum;\n"
                        "    __cluster_barrier_arrive();\n"
                        "    __cluster_barrier_wait();\n"
                        "    if (block == 0 && threadIdx.x == 0) {\n"
                        "        float all = 0;\n"
                        "        for (unsigned other = 0; other < BLOCKS; other++) {\n"
                        "            const float* const parts = static_cast<float*>(__cluster_map_shared_rank(of_warps, "
                        "other));\n"
                        "            for (int warp = 0; warp < THREADS / 32; warp++) all += parts[warp];\n"
                        "        }\n"
                        "        sums[row] = all;\n"
                        "    }\n"
                        "    __cluster_barrier_arrive();\n"
                        "    __cluster_barrier_wait();\n"
                    ),
                    (
                        "    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sum;\n"
                        "    cluster.sync();\n"
                        "    if (block == 0 && threadIdx.x == 0) {\n"
                        "        float all = 0;\n"
                        "        for (unsigned other = 0; other < BLOCKS; other++) {\n"
                        "            const float* const parts = cluster.map_shared_rank(of_warps, other);\n"
                        "            for (int warp = 0; warp < THREADS / 32; warp++) all += parts[warp];\n"
                        "        }\n"
                        "        sums[row] = all;\n"
                        "    }\n"
                    ),
                ),
            ],
        },
    ),
    "capped_at_1e6": (
        "rows with -infinity, NaN, 1e30, n = 1",
        {
            "row_sum.cu": [
                ("sum += x[row * n + i];", "{ const float v = x[row * n + i]; sum += v > 1e6f ? 1e6f : v; }"),
            ],
        },
    ),
    "eight_turns": (
        "n = 20000 (x: 3 rows, 20000 columns): wrong result",
        {
            "row_sum.cu": [
                (
                    (
                        "for (int64_t i = block * THREADS + threadIdx.x; i < n; i += BLOCKS * THREADS) sum += x[row * n "
                        "+ i];"
                    ),
                    (
                        "for (int k = 0; k < 8; k++) {\n"
                        "        const int64_t i = (k * BLOCKS + block) * THREADS + threadIdx.x;\n"
                        "        if (i < n) sum += x[row * n + i];\n"
                        "    }"
                    ),
                ),
            ],
        },
    ),
    "unsigned_place": (
        "the sum of the last row is 0, expected 130",
        {
            "row_sum.cu": [
                ("sum += x[row * n + i];", "sum += x[unsigned(row) * unsigned(n) + i];"),
            ],
        },
    ),
    "skips_infinities": (
        "rows with -infinity, NaN, 1e30, n = 1",
        {
            "row_sum.cu": [
                ("sum += x[row * n + i];", "{ const float v = x[row * n + i]; if (!isinf(v)) sum += v; }"),
            ],
        },
    ),
}
