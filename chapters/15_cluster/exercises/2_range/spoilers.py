"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "Before a block reads what another has found, the other must have written it: a barrier of the cluster.",
    "static_cast<Range*>(__cluster_map_shared_rank(&of_block, other)) is the address of of_block in block number `other`.",
    "A block that returns takes its shared memory with it. Somebody may still read it.",
]
WRONG = {
    "returns_early": (
        "has returned",
        {"range.cu": [("    __cluster_barrier_arrive();\n    __cluster_barrier_wait();\n    // end", "    // end")]},
    ),
    "sends_to_a_block_that_may_not_have_started": (
        "too early",
        {
            "range.cu": [
                (
                    "    if (threadIdx.x == 0) of_block = r;",
                    (
                        "    __shared__ Range of_all[BLOCKS];\n"
                        "    Range* const to = of_all + block;\n"
                        "    if (threadIdx.x < BLOCKS) *static_cast<Range*>(__cluster_map_shared_rank(to, threadIdx.x)) = r;"
                    ),
                ),
                ("*static_cast<Range*>(__cluster_map_shared_rank(&of_block, other))", "of_all[other]"),
            ]
        },
    ),
    "nobody_waits": (
        "data race",
        {
            "range.cu": [
                ("of_block = r;\n    __cluster_barrier_arrive();\n    __cluster_barrier_wait();", "of_block = r;")
            ]
        },
    ),
    "own_block_only": ("wrong result", {"range.cu": [("&of_block, other)", "&of_block, block)")]}),
    "only_the_largest": ("wrong result", {"range.cu": [("r = {fminf(r.min, of_other.min), fmax", "r = {r.min, fmax")]}),
    "reads_the_row_again": (
        "threads repeat work",
        {
            "range.cu": [
                (
                    (
                        "    if (threadIdx.x == 0) of_block = r;\n"
                        "    __cluster_barrier_arrive();\n"
                        "    __cluster_barrier_wait();\n"
                        "    for (unsigned other = 0; other < BLOCKS; other++) {\n"
                        "        const Range of_other = *static_cast<Range*>(__cluster_map_shared_rank(&of_block, other));\n"
                        "        r = {fminf(r.min, of_other.min), fmaxf(r.max, of_other.max)};\n"
                        "    }\n"
                        "    __cluster_barrier_arrive();\n"
                        "    __cluster_barrier_wait();\n"
                    ),
                    (
                        "    (void)of_block;\n"
                        "    for (int64_t i = 0; i < n; i++) r = {fminf(r.min, x[row * n + i]), fmaxf(r.max, "
                        "x[row * n + i])};\n"
                    ),
                )
            ],
        },
    ),
    "block_0_reads_all": (
        "3072 elements, and 6144 loads",
        {
            "range.cu": [
                (
                    (
                        "    if (threadIdx.x == 0) of_block = r;\n"
                        "    __cluster_barrier_arrive();\n"
                        "    __cluster_barrier_wait();\n"
                        "    for (unsigned other = 0; other < BLOCKS; other++) {\n"
                        "        const Range of_other = *static_cast<Range*>(__cluster_map_shared_rank(&of_block, "
                        "other));\n"
                        "        r = {fminf(r.min, of_other.min), fmaxf(r.max, of_other.max)};\n"
                        "    }\n"
                        "    __cluster_barrier_arrive();\n"
                        "    __cluster_barrier_wait();\n"
                    ),
                    (
                        "    (void)of_block;\n"
                        "    if (block == 0) {\n"
                        "        for (int64_t i = threadIdx.x; i < n; i += 32) { const float v = x[row * n + i]; r = "
                        "{fminf(r.min, v), fmaxf(r.max, v)}; }\n"
                        "        for (int apart = 16; apart > 0; apart /= 2) {\n"
                        "            r.min = fminf(r.min, __shfl_xor_sync(~0u, r.min, apart));\n"
                        "            r.max = fmaxf(r.max, __shfl_xor_sync(~0u, r.max, apart));\n"
                        "        }\n"
                        "    }\n"
                    ),
                ),
                (
                    ("r = {fminf(r.min, x[row * n + i]), fmaxf(r.max, x[row * n + i])};\n    }\n    for"),
                    (
                        "const float v = x[row * n + i];\n"
                        "        r = {fminf(r.min, v), fmaxf(r.max, v)};\n"
                        "    }\n"
                        "    for"
                    ),
                ),
            ],
        },
    ),
    "whole_numbers": (
        "n = 1 (x: 3 rows, 1 column): wrong result",
        {
            "range.cu": [
                (("float min, max;\n};"), ("int min, max;\n};")),
                ("{INFINITY, -INFINITY}", "{INT_MAX, INT_MIN}"),
                ("#include <cmath>", ("#include <climits>\n#include <cmath>")),
                (
                    "r = {fminf(r.min, x[row * n + i]), fmaxf(r.max, x[row * n + i])};",
                    "r = {min(r.min, int(x[row * n + i])), max(r.max, int(x[row * n + i]))};",
                ),
                ("r.min = fminf(r.min, _", "r.min = min(r.min, _"),
                ("r.max = fmaxf(r.max, _", "r.max = max(r.max, _"),
                (
                    "r = {fminf(r.min, of_other.min), fmaxf(r.max, of_other.max)}",
                    "r = {min(r.min, of_other.min), max(r.max, of_other.max)}",
                ),
            ],
        },
    ),
    "sentinel_1000": (
        "5 rows of large numbers and infinities, n = 1 ",
        {
            "range.cu": [
                (
                    (
                        "    if (threadIdx.x == 0) of_block = r;\n"
                        "    __cluster_barrier_arrive();\n"
                        "    __cluster_barrier_wait();\n"
                        "    for (unsigned other = 0; other < BLOCKS; other++) {\n"
                        "        const Range of_other = *static_cast<Range*>(__cluster_map_shared_rank(&of_block, "
                        "other));\n"
                        "        r = {fminf(r.min, of_other.min), fmaxf(r.max, of_other.max)};\n"
                        "    }\n"
                        "    __cluster_barrier_arrive();\n"
                        "    __cluster_barrier_wait();\n"
                    ),
                    (
                        "    if (threadIdx.x == 0) of_block = r;\n"
                        "    __cluster_barrier_arrive();\n"
                        "    __cluster_barrier_wait();\n"
                        "    r = {1000.0f, -1000.0f};\n"
                        "    for (unsigned other = 0; other < BLOCKS; other++) {\n"
                        "        const Range of_other = *static_cast<Range*>(__cluster_map_shared_rank(&of_block, "
                        "other));\n"
                        "        r = {fminf(r.min, of_other.min), fmaxf(r.max, of_other.max)};\n"
                        "    }\n"
                        "    __cluster_barrier_arrive();\n"
                        "    __cluster_barrier_wait();\n"
                    ),
                ),
            ],
        },
    ),
    "finite_only": (
        "5 rows of large numbers and infinities, n = 128",
        {
            "range.cu": [
                (
                    (
                        "    if (threadIdx.x == 0) of_block = r;\n"
                        "    __cluster_barrier_arrive();\n"
                        "    __cluster_barrier_wait();\n"
                        "    for (unsigned other = 0; other < BLOCKS; other++) {\n"
                        "        const Range of_other = *static_cast<Range*>(__cluster_map_shared_rank(&of_block, "
                        "other));\n"
                        "        r = {fminf(r.min, of_other.min), fmaxf(r.max, of_other.max)};\n"
                        "    }\n"
                        "    __cluster_barrier_arrive();\n"
                        "    __cluster_barrier_wait();\n"
                    ),
                    (
                        "    if (threadIdx.x == 0) of_block = r;\n"
                        "    __cluster_barrier_arrive();\n"
                        "    __cluster_barrier_wait();\n"
                        "    for (unsigned other = 0; other < BLOCKS; other++) {\n"
                        "        const Range of_other = *static_cast<Range*>(__cluster_map_shared_rank(&of_block, "
                        "other));\n"
                        "        if (isfinite(of_other.min)) r = {fminf(r.min, of_other.min), fmaxf(r.max, "
                        "of_other.max)};\n"
                        "    }\n"
                        "    __cluster_barrier_arrive();\n"
                        "    __cluster_barrier_wait();\n"
                    ),
                ),
            ],
        },
    ),
    "in_half": (
        "5 rows of large numbers and infinities, n = 1 ",
        {
            "range.cu": [
                (
                    (
                        "    if (threadIdx.x == 0) of_block = r;\n"
                        "    __cluster_barrier_arrive();\n"
                        "    __cluster_barrier_wait();\n"
                        "    for (unsigned other = 0; other < BLOCKS; other++) {\n"
                        "        const Range of_other = *static_cast<Range*>(__cluster_map_shared_rank(&of_block, "
                        "other));\n"
                        "        r = {fminf(r.min, of_other.min), fmaxf(r.max, of_other.max)};\n"
                        "    }\n"
                        "    __cluster_barrier_arrive();\n"
                        "    __cluster_barrier_wait();\n"
                    ),
                    (
                        "    if (threadIdx.x == 0) of_block = {__half2float(__float2half(r.min)), "
                        "__half2float(__float2half(r.max))};\n"
                        "    __cluster_barrier_arrive();\n"
                        "    __cluster_barrier_wait();\n"
                        "    for (unsigned other = 0; other < BLOCKS; other++) {\n"
                        "        const Range of_other = *static_cast<Range*>(__cluster_map_shared_rank(&of_block, "
                        "other));\n"
                        "        r = {fminf(r.min, of_other.min), fmaxf(r.max, of_other.max)};\n"
                        "    }\n"
                        "    __cluster_barrier_arrive();\n"
                        "    __cluster_barrier_wait();\n"
                    ),
                ),
                ("#include <cmath>", ("#include <cuda_fp16.h>\n#include <cmath>")),
            ],
        },
    ),
}
