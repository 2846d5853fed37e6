"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "How many blocks are n / threads for n = 1?",
    "Round up: (n + threads - 1) / threads. Which threads of the last block have an element then?",
]
WRONG = {
    "only_rounded_up": ("out of bounds", {"triple.cu": [("if (i < n) out", "out")]}),
    "every_block_does_all": (
        "1000 elements, and 8000 stores",
        {
            "triple.cu": [
                (
                    "const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;\n    if (i < n) out",
                    "for (int64_t i = threadIdx.x; i < n; i += blockDim.x) out",
                )
            ]
        },
    ),
    "one_more": ("out of bounds", {"triple.cu": [("< n", "<= n")]}),
    "still_rounded_down": ("invalid configuration", {"triple.cu": [("(n + threads - 1)", "n")]}),
    "index_as_int": (
        "n = 4294967306: 4294967306 elements, more than 2^32: kernel",
        {
            "triple.cu": [("const int64_t i = int64_t(blockIdx.x)", "const int i = blockIdx.x")],
        },
    ),
    "number_as_int": (
        "and 128 threads, as for 10",
        {
            "triple.cu": [("const int64_t blocks = (n", "const int blocks = (int(n)")],
        },
    ),
    "fixed_grid": (
        "n = 131168: wrong result",
        {
            "triple.cu": [("<<<unsigned(blocks), threads", "<<<1000, threads")],
        },
    ),
    "result_as_int": (
        "n = 1: wrong result",
        {
            "triple.cu": [("out[i] = 3 * in[i]", "out[i] = int(3 * in[i])")],
        },
    ),
    "blocks_as_float": (
        "and 4294967296 threads: each element needs a thread of its own",
        {"triple.cu": [("(n + threads - 1) / threads;", "ceilf(n / float(threads));")]},
    ),
    "at_most_2_to_20_blocks": (
        "and 134217728 threads: each element needs a thread of its own",
        {"triple.cu": [("<<<unsigned(blocks)", "<<<unsigned(blocks < 1 << 20 ? blocks : 1 << 20)")]},
    ),
    "as_double": ("wrong result", {"triple.cu": [("3 * in[i]", "3.0 * in[i]")]}),
}
