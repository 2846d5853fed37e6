"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "unsigned same = __match_any_sync(~0u, value): bit k of same says that lane k called it with the same value. All "
    "lanes call it. With which value does a lane call it that has no element?",
    "__popc(same) is how many lanes have that value: one addition of this number is enough. Which of the lanes makes it? "
    "They have to agree.",
    "__ffs(same) - 1 is the number of the lowest bit that is set: the first lane of those with this value. "
    "threadIdx.x % 32 is this lane's.",
]
WRONG = {
    "all_add_the_number": (
        "wrong result",
        {
            "histogram.cu": [
                (
                    "const int first = __ffs(int(same)) - 1;  // the first of these lanes\n"
                    "    if (i < n && int(threadIdx.x) % 32 == first) atomicAdd(&counts[value], "
                    "__popc(same));",
                    "if (i < n) atomicAdd(&counts[value], __popc(same));",
                )
            ]
        },
    ),
    "one_lane_counts_all": (
        "each by one lane alone",
        {
            "histogram.cu": [
                (
                    "    const int value = i < n ? x[i] : -1;  // no element has -1\n"
                    "    const unsigned same = __match_any_sync(~0u, value);\n"
                    "    const int first = __ffs(int(same)) - 1;  // the first of these lanes\n"
                    "    if (i < n && int(threadIdx.x) % 32 == first) atomicAdd(&counts[value], __popc(same));",
                    "    if (threadIdx.x % 32 == 0)\n"
                    "        for (int64_t k = i; k < i + 32 && k < n; k++) atomicAdd(&counts[x[k]], 1);",
                )
            ]
        },
    ),
    "first_lane_adds_one": ("wrong result", {"histogram.cu": [("__popc(same)", "1")]}),
    "zero_behind_the_end": ("wrong result", {"histogram.cu": [("-1;  // no element has -1", "0;")]}),
    "whoever_is_there": (
        "__activemask() gives the lanes that happen",
        {
            "histogram.cu": [("__match_any_sync(~0u", "__match_any_sync(__activemask()")],
        },
    ),
    "no_element_is_255": (
        "all 255, n = 1: wrong result",
        {
            "histogram.cu": [("? x[i] : -1", "? x[i] : 255")],
        },
    ),
    "early_return": (
        "a lane that has no element does not come here",
        {
            "histogram.cu": [
                (
                    (
                        "    const int value = i < n ? x[i] : -1;  // no element has -1\n"
                        "    const unsigned same = __match_any_sync(~0u, value);\n"
                        "    const int first = __ffs(int(same)) - 1;  // the first of these lanes\n"
                        "    if (i < n && int(threadIdx.x) % 32 == first) atomicAdd(&counts[value], "
                        "__popc(same));\n"
                    ),
                    (
                        "    if (i >= n) return;\n"
                        "    const int value = x[i];\n"
                        "    const unsigned same = __match_any_sync(~0u, value);\n"
                        "    if (int(threadIdx.x) % 32 == __ffs(int(same)) - 1) atomicAdd(&counts[value], "
                        "__popc(same));\n"
                    ),
                )
            ]
        },
    ),
    "in_a_branch": (
        "a lane that has no element does not come here",
        {
            "histogram.cu": [
                (
                    (
                        "    const int value = i < n ? x[i] : -1;  // no element has -1\n"
                        "    const unsigned same = __match_any_sync(~0u, value);\n"
                        "    const int first = __ffs(int(same)) - 1;  // the first of these lanes\n"
                        "    if (i < n && int(threadIdx.x) % 32 == first) atomicAdd(&counts[value], "
                        "__popc(same));\n"
                    ),
                    (
                        "    constexpr unsigned all = 0xffffffff;\n"
                        "    if (i < n) {\n"
                        "        const int value = x[i];\n"
                        "        const unsigned same = __match_any_sync(all, value);\n"
                        "        if (int(threadIdx.x) % 32 == __ffs(int(same)) - 1) atomicAdd(&counts[value], "
                        "__popc(same));\n"
                        "    }\n"
                    ),
                )
            ]
        },
    ),
    "sets_to_zero": (
        "counts of 5 before, n = 33: wrong result",
        {
            "histogram.cu": [
                ("    histogram_kernel<<<", "    cudaMemsetAsync(counts, 0, 1024, stream);\n    histogram_kernel<<<")
            ]
        },
    ),
    "index_of_32_bits": (
        "How many bits has each index?",
        {"histogram.cu": [("const int64_t i = int64_t(blockIdx.x) * threads", "const int i = blockIdx.x * threads")]},
    ),
    "unsigned_product": (
        "of the last 10 elements 0 are counted",
        {"histogram.cu": [("int64_t(blockIdx.x) * threads", "blockIdx.x * threads")]},
    ),
    "one_lane_after_another": (
        "320 atomic additions for 320 equal elements",
        {
            "histogram.cu": [
                (
                    (
                        "    const int value = i < n ? x[i] : -1;  // no element has -1\n"
                        "    const unsigned same = __match_any_sync(~0u, value);\n"
                        "    const int first = __ffs(int(same)) - 1;  // the first of these lanes\n"
                        "    if (i < n && int(threadIdx.x) % 32 == first) atomicAdd(&counts[value], __popc(same));\n"
                    ),
                    (
                        "    const int value = i < n ? x[i] : -1;\n"
                        "    for (int lane = 0; lane < 32; lane++) {\n"
                        "        if (int(threadIdx.x) % 32 == lane && i < n) atomicAdd(&counts[value], 1);\n"
                        "        __syncwarp();\n"
                        "    }\n"
                    ),
                ),
            ],
        },
    ),
    "mask_by_a_macro": (
        "a lane that has no element does not come here",
        {
            "histogram.cu": [
                ("constexpr int threads = 128;\n", ("#define FULL_MASK 0xffffffff\nconstexpr int threads = 128;\n")),
                (
                    (
                        "    const int value = i < n ? x[i] : -1;  // no element has -1\n"
                        "    const unsigned same = __match_any_sync(~0u, value);\n"
                        "    const int first = __ffs(int(same)) - 1;  // the first of these lanes\n"
                        "    if (i < n && int(threadIdx.x) % 32 == first) atomicAdd(&counts[value], __popc(same));\n"
                    ),
                    (
                        "    if (i >= n) return;\n"
                        "    const int value = x[i];\n"
                        "    const unsigned same = __match_any_sync(FULL_MASK, value);\n"
                        "    if (int(threadIdx.x) % 32 == __ffs(int(same)) - 1) atomicAdd(&counts[value], __popc(same));\n"
                    ),
                ),
            ],
        },
    ),
    "ballot_in_a_branch": (
        "a lane that has no element does not come here",
        {
            "histogram.cu": [
                (
                    (
                        "    const int value = i < n ? x[i] : -1;  // no element has -1\n"
                        "    const unsigned same = __match_any_sync(~0u, value);\n"
                        "    const int first = __ffs(int(same)) - 1;  // the first of these lanes\n"
                        "    if (i < n && int(threadIdx.x) % 32 == first) atomicAdd(&counts[value], __popc(same));\n"
                    ),
                    (
                        "    if (i >= n) return;\n"
                        "    const unsigned here = __ballot_sync(~0u, i < n);\n"
                        "    const int value = x[i];\n"
                        "    const unsigned same = __match_any_sync(here, value);\n"
                        "    if (int(threadIdx.x) % 32 == __ffs(int(same)) - 1) atomicAdd(&counts[value], __popc(same));\n"
                    ),
                ),
            ],
        },
    ),
    "reads_then_writes": (
        "atomicExch(): between the reading and the writing",
        {
            "histogram.cu": [
                (
                    "atomicAdd(&counts[value], __popc(same));",
                    "{ const int old = atomicAdd(&counts[value], 0); atomicExch(&counts[value], old + __popc(same)); }",
                ),
            ],
        },
    ),
    "compares_once": (
        "atomicCAS(): between the reading and the writing",
        {
            "histogram.cu": [
                (
                    "atomicAdd(&counts[value], __popc(same));",
                    "{ const int old = counts[value]; atomicCAS(&counts[value], old, old + __popc(same)); }",
                ),
            ],
        },
    ),
    "seven_of_eight_bits": (
        "random values, n = 300: wrong result",
        {
            "histogram.cu": [
                (
                    (
                        "    const int value = i < n ? x[i] : -1;  // no element has -1\n"
                        "    const unsigned same = __match_any_sync(~0u, value);\n"
                        "    const int first = __ffs(int(same)) - 1;  // the first of these lanes\n"
                        "    if (i < n && int(threadIdx.x) % 32 == first) atomicAdd(&counts[value], __popc(same));\n"
                    ),
                    (
                        "    const int value = i < n ? x[i] : -1;\n"
                        "    unsigned same = __ballot_sync(~0u, i < n);\n"
                        "    for (int bit = 0; bit < 7; bit++) {\n"
                        "        const unsigned set = __ballot_sync(~0u, value >> bit & 1);\n"
                        "        same &= value >> bit & 1 ? set : ~set;\n"
                        "    }\n"
                        "    const int first = __ffs(int(same)) - 1;\n"
                        "    if (i < n && int(threadIdx.x) % 32 == first) atomicAdd(&counts[value], __popc(same));\n"
                    ),
                ),
            ],
        },
    ),
    "mask_of_31_lanes": (
        "a lane that has no element does not come here",
        {
            "histogram.cu": [
                (
                    (
                        "    const int value = i < n ? x[i] : -1;  // no element has -1\n"
                        "    const unsigned same = __match_any_sync(~0u, value);\n"
                        "    const int first = __ffs(int(same)) - 1;  // the first of these lanes\n"
                        "    if (i < n && int(threadIdx.x) % 32 == first) atomicAdd(&counts[value], __popc(same));\n"
                    ),
                    (
                        "    if (i >= n) return;\n"
                        "    const int64_t left = n - (i - threadIdx.x % 32);\n"
                        "    const unsigned mask = left < 31 ? (1u << left) - 1 : ~0u;\n"
                        "    const int value = x[i];\n"
                        "    const unsigned same = __match_any_sync(mask, value);\n"
                        "    if (int(threadIdx.x) % 32 == __ffs(int(same)) - 1) atomicAdd(&counts[value], __popc(same));\n"
                    ),
                ),
            ],
        },
    ),
}
