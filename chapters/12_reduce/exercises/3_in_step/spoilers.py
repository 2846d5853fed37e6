"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "Which lane writes part[t + 16] while lane t reads it?",
    "__syncwarp() between two lines is not enough: within one line as well, a lane reads what another writes. Each level "
    "needs one __syncwarp() after its reads and one after its writes; or lanes that exchange registers instead.",
    "Take a float sum = part[t] + part[t + 32]. From there on it is warp_sum() of the lesson.",
]
WRONG = {
    "a_barrier_between_lines": (
        "data race",
        {
            "in_step.cu": [
                (
                    "if (t < 32) {  // one warp is left: the lanes exchange registers\n"
                    "        float sum = part[t] + part[t + 32];\n"
                    "        for (int distance = 16; distance > 0; distance /= 2) sum += "
                    "__shfl_down_sync(~0u, sum, distance);\n"
                    "        if (t == 0) sums[blockIdx.x] = sum;",
                    "if (t < 32) {\n"
                    "        part[t] += part[t + 32];\n"
                    "        __syncwarp();\n"
                    "        part[t] += part[t + 16];\n"
                    "        __syncwarp();\n"
                    "        part[t] += part[t + 8];\n"
                    "        __syncwarp();\n"
                    "        part[t] += part[t + 4];\n"
                    "        __syncwarp();\n"
                    "        part[t] += part[t + 2];\n"
                    "        __syncwarp();\n"
                    "        part[t] += part[t + 1];",
                ),
                (
                    "}\n    // end of your code",
                    "}\n    if (t == 0) sums[blockIdx.x] = part[0];\n    // end of your code",
                ),
            ]
        },
    ),
    "a_barrier_in_the_branch": (
        "224 threads of block (0, 0, 0) returned without it, and 32 threads waited at in_step.cu:",
        {
            "in_step.cu": [
                (
                    "        float sum = part[t] + part[t + 32];\n"
                    "        for (int distance = 16; distance > 0; distance /= 2) sum += "
                    "__shfl_down_sync(~0u, sum, distance);\n"
                    "        if (t == 0) sums[blockIdx.x] = sum;",
                    "        for (int half = 32; half > 0; half /= 2) {\n"
                    "            if (t < half) part[t] += part[t + half];\n"
                    "            __syncthreads();\n"
                    "        }\n"
                    "        if (t == 0) sums[blockIdx.x] = part[0];",
                ),
            ]
        },
    ),
    "level_forgotten": ("wrong result", {"in_step.cu": [(" + part[t + 32]", "")]}),
    "result_of_another_lane": ("wrong result", {"in_step.cu": [("== 0) sums", "== 31) sums")]}),
    "one_lane_adds": (
        "one lane alone adds what 32 lanes could add",
        {
            "in_step.cu": [
                (
                    (
                        "        float sum = part[t] + part[t + 32];\n"
                        "        for (int distance = 16; distance > 0; distance /= 2) sum += "
                        "__shfl_down_sync(~0u, sum, distance);\n"
                        "        if (t == 0) sums[blockIdx.x] = sum;\n"
                    ),
                    (
                        "        float sum = 0;\n"
                        "        if (t == 0)\n"
                        "            for (int k = 0; k < 64; k++) sum += part[k];\n"
                        "        if (t == 0) sums[blockIdx.x] = sum;\n"
                    ),
                )
            ],
        },
    ),
    "reads_all_again": (
        "threads repeat work",
        {
            "in_step.cu": [
                (
                    (
                        "        float sum = part[t] + part[t + 32];\n"
                        "        for (int distance = 16; distance > 0; distance /= 2) sum += "
                        "__shfl_down_sync(~0u, sum, distance);\n"
                    ),
                    (
                        "        float sum = 0;\n"
                        "        for (int k = 0; k < 256; k++) sum += x[int64_t(blockIdx.x) * threads + k];\n"
                    ),
                )
            ],
        },
    ),
    "whoever_is_there": (
        "__activemask() gives the lanes that happen",
        {
            "in_step.cu": [("__shfl_down_sync(~0u,", "__shfl_down_sync(__activemask(),")],
        },
    ),
    "whole_numbers": (
        "wrong result",
        {
            "in_step.cu": [
                ("float sum = part", "int sum = part"),
            ],
        },
    ),
    "two_lanes": (
        "on average 2 lanes add what 32 lanes could add",
        {
            "in_step.cu": [
                (
                    (
                        "        float sum = part[t] + part[t + 32];\n"
                        "        for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, "
                        "distance);\n"
                        "        if (t == 0) sums[blockIdx.x] = sum;\n"
                    ),
                    (
                        "        float sum = 0;\n"
                        "        if (t < 2)\n"
                        "            for (int k = t; k < 64; k += 2) sum += part[k];\n"
                        "        sum += __shfl_down_sync(~0u, sum, 1);\n"
                        "        if (t == 0) sums[blockIdx.x] = sum;\n"
                    ),
                ),
            ],
        },
    ),
    "index_of_32_bits": (
        "16777217 blocks, 4294967552 elements: the last sum is 0",
        {
            "in_step.cu": [
                ("int64_t(blockIdx.x) * threads", "blockIdx.x * threads"),
            ],
        },
    ),
    "whole_quarters": (
        "a NaN, or 1e30, blocks = 3",
        {
            "in_step.cu": [
                (
                    (
                        "    if (t < 32) {  // one warp is left: the lanes exchange registers\n"
                        "        float sum = part[t] + part[t + 32];\n"
                        "        for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, "
                        "distance);\n"
                        "        if (t == 0) sums[blockIdx.x] = sum;\n"
                        "    }\n"
                    ),
                    (
                        "    if (t < 32) {  // one warp is left: the lanes exchange registers\n"
                        "        const bool nan = __any_sync(~0u, isnan(part[t] + part[t + 32]));\n"
                        "        int sum = int(4 * (part[t] + part[t + 32]));\n"
                        "        for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, "
                        "distance);\n"
                        "        if (t == 0) sums[blockIdx.x] = nan ? part[t] * 0 + NAN : sum / 4.0f;\n"
                        "    }\n"
                    ),
                ),
            ],
        },
    ),
}
