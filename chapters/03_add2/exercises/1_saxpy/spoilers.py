"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "The loop of add2_kernel visits the right elements. Which line of it computes one?",
    "`for (int64_t i = ...; i < n; i += stride)`: thread 0 of block 0 begins at i = 0, thread 0 of block 1 at 256.",
]
WRONG = {
    "one_too_far": ("past the end of x (1 element)", {"saxpy.cu": [("< n", "<= n")]}),
    "every_next": ("1000 elements, and", {"saxpy.cu": [("i += stride", "i++")]}),
    "a_piece_for_each_thread": (
        "sectors of device memory, at most 4 allowed",
        {
            "saxpy.cu": [
                (
                    "const int64_t stride = int64_t(gridDim.x) * blockDim.x;\n"
                    "    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) out",
                    "const int64_t threads = int64_t(gridDim.x) * blockDim.x, each = (n + threads - 1) / threads;\n"
                    "    const int64_t first = (int64_t(blockIdx.x) * blockDim.x + threadIdx.x) * each;\n"
                    "    for (int64_t i = first; i < first + each && i < n; i++) out",
                )
            ]
        },
    ),
    "no_block": ("? was never written", {"saxpy.cu": [("int64_t(blockIdx.x) * blockDim.x + threadIdx", "threadIdx")]}),
    "first_block_alone": (
        "1000 stores, all by 8 warps; expected: by 16 or more",
        {
            "saxpy.cu": [
                (
                    "    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride)",
                    ("    if (blockIdx.x == 0)\n        for (int64_t i = threadIdx.x; i < n; i += blockDim.x)"),
                )
            ],
        },
    ),
    "factor_of_the_test": (
        "n = 1: wrong result",
        {
            "saxpy.cu": [("factor * x[i]", "2 * x[i]")],
        },
    ),
    "index_of_32_bits": (
        "saxpy.cu:13: i has 32 bits, and n has 64",
        {
            "saxpy.cu": [
                (
                    "for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x",
                    "for (int i = blockIdx.x * blockDim.x + threadIdx.x",
                )
            ]
        },
    ),
    "index_as_unsigned": (
        "n = 4294967306, in a grid as large: 4294967306 elements, more than 2^32",
        {"saxpy.cu": [("int64_t(blockIdx.x) * blockDim.x + threadIdx.x;", "blockIdx.x * blockDim.x + threadIdx.x;")]},
    ),
    "larger_grid": (
        "n = 4099: 4352 threads, expected: at most two blocks of 256",
        {
            "saxpy.cu": [
                ("std::min(blocks_for(n, threads), 2u)", "blocks_for(n, threads)"),
                (
                    "for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) out",
                    "const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;\n    if (i < n) out",
                ),
            ]
        },
    ),
    "sixty_four_each": (
        "n = 131073: wrong result",
        {
            "saxpy.cu": [
                ("i < n; i += stride) out", "i < n && i < 64 * stride; i += stride) out"),
            ]
        },
    ),
    "factor_as_int": ("n = 1: wrong result", {"saxpy.cu": [("factor * x[i]", "int(factor) * x[i]")]}),
}
