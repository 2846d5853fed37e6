"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "warp_sum() in the lesson has the loop. Only one lane ends with the warp's sum: which?",
    "A lane with i >= n also takes part in the shuffles, so it may not return before. What does it add?",
    "float sum = i < n ? x[i] : 0; then the loop, then the lane 0 adds: threadIdx.x % 32 == 0.",
]
WRONG = {
    "returns_early": (
        "__shfl_down_sync",
        {
            "warps.cu": [
                (
                    "float sum = i < n ? x[i] : 0;  // all lanes take part in the shuffles",
                    "if (i >= n) return;\n    float sum = x[i];",
                )
            ]
        },
    ),
    "one_lane_reads_all": (
        "each by one lane alone",
        {
            "warps.cu": [
                (
                    "    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, distance);\n"
                    "    if (threadIdx.x % 32 == 0) atomicAdd(total, sum);",
                    "    if (threadIdx.x % 32 != 0) return;\n"
                    "    for (int64_t k = i + 1; k < i + 32 && k < n; k++) sum += x[k];\n"
                    "    if (i < n) atomicAdd(total, sum);",
                ),
                ("    float sum = i < n ? x[i] : 0;", "    float sum = threadIdx.x % 32 == 0 && i < n ? x[i] : 0;"),
            ]
        },
    ),
    "whoever_is_there": (
        "warps.cu:13: __activemask() gives the lanes that happen to be there together",
        {"warps.cu": [("(~0u, sum", "(__activemask(), sum")]},
    ),
    "all_lanes_add": ("wrong result", {"warps.cu": [("if (threadIdx.x % 32 == 0) atomicAdd", "atomicAdd")]}),
    "last_lane_adds": ("wrong result", {"warps.cu": [("== 0) atomicAdd", "== 31) atomicAdd")]}),
    "one_lane_adds_all": (
        "512 atomic additions for 512 elements",
        {
            "warps.cu": [
                (
                    (
                        "    for (int distance = 16; distance > 0; distance /= 2) sum += "
                        "__shfl_down_sync(~0u, sum, distance);\n"
                        "    if (threadIdx.x % 32 == 0) atomicAdd(total, sum);"
                    ),
                    (
                        "    for (int k = 0; k < 32; k++) {\n"
                        "        const float other = __shfl_sync(~0u, sum, k);\n"
                        "        if (threadIdx.x % 32 == 0) atomicAdd(total, other);\n"
                        "    }"
                    ),
                )
            ],
        },
    ),
    "whole_numbers": (
        "n = 1: wrong result",
        {
            "warps.cu": [
                ("float sum =", "int sum ="),
            ],
        },
    ),
    "sets_to_zero": (
        "a total of 5 before, n = 33: wrong result",
        {
            "warps.cu": [
                (
                    "    warps_kernel<<<",
                    ("    CHECK_CUDA(cudaMemsetAsync(total, 0, sizeof(float), stream));\n    warps_kernel<<<"),
                ),
            ],
        },
    ),
    "last_warp_adds_each": (
        "35 atomic additions for 500 elements",
        {
            "warps.cu": [
                (
                    (
                        "    float sum = i < n ? x[i] : 0;  // all lanes take part in the shuffles\n"
                        "    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, "
                        "distance);\n"
                        "    if (threadIdx.x % 32 == 0) atomicAdd(total, sum);\n"
                    ),
                    (
                        "    if (i - threadIdx.x % 32 + 32 <= n) {\n"
                        "        float sum = x[i];\n"
                        "        for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, "
                        "distance);\n"
                        "        if (threadIdx.x % 32 == 0) atomicAdd(total, sum);\n"
                        "    } else if (i < n) atomicAdd(total, x[i]);\n"
                    ),
                ),
            ],
        },
    ),
    "in_half": (
        "one of them 3e+38, n = 1: wrong result",
        {
            "warps.cu": [
                (
                    (
                        "    float sum = i < n ? x[i] : 0;  // all lanes take part in the shuffles\n"
                        "    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, "
                        "distance);\n"
                        "    if (threadIdx.x % 32 == 0) atomicAdd(total, sum);\n"
                    ),
                    (
                        "    float sum = i < n ? __half2float(__float2half(x[i])) : 0;  // all lanes take part in the "
                        "shuffles\n"
                        "    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, "
                        "distance);\n"
                        "    if (threadIdx.x % 32 == 0) atomicAdd(total, sum);\n"
                    ),
                ),
                ("constexpr int threads", ("#include <cuda_fp16.h>\nconstexpr int threads")),
            ],
        },
    ),
    "skips_infinities": (
        "one of them -inf, n = 1: wrong result",
        {
            "warps.cu": [
                (
                    (
                        "    float sum = i < n ? x[i] : 0;  // all lanes take part in the shuffles\n"
                        "    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, "
                        "distance);\n"
                        "    if (threadIdx.x % 32 == 0) atomicAdd(total, sum);\n"
                    ),
                    (
                        "    float sum = i < n ? (isinf(x[i]) ? 0 : x[i]) : 0;  // all lanes take part in the shuffles\n"
                        "    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, "
                        "distance);\n"
                        "    if (threadIdx.x % 32 == 0) atomicAdd(total, sum);\n"
                    ),
                ),
            ],
        },
    ),
    "n_of_32_bits": (
        "the sum is 0; how many bits",
        {
            "warps.cu": [
                (
                    (
                        "    float sum = i < n ? x[i] : 0;  // all lanes take part in the shuffles\n"
                        "    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, "
                        "distance);\n"
                        "    if (threadIdx.x % 32 == 0) atomicAdd(total, sum);\n"
                    ),
                    (
                        "    float sum = i < unsigned(n) ? x[i] : 0;  // all lanes take part in the shuffles\n"
                        "    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, "
                        "distance);\n"
                        "    if (threadIdx.x % 32 == 0) atomicAdd(total, sum);\n"
                    ),
                ),
            ],
        },
    ),
    "int_i": (
        "n = 4294967299: kernel warps_kernel: out of bounds",
        {
            "warps.cu": [
                (
                    (
                        "    float sum = i < n ? x[i] : 0;  // all lanes take part in the shuffles\n"
                        "    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, "
                        "distance);\n"
                        "    if (threadIdx.x % 32 == 0) atomicAdd(total, sum);\n"
                    ),
                    (
                        "    float sum = int(i) < n ? x[i] : 0;  // all lanes take part in the shuffles\n"
                        "    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, "
                        "distance);\n"
                        "    if (threadIdx.x % 32 == 0) atomicAdd(total, sum);\n"
                    ),
                ),
            ],
        },
    ),
}
