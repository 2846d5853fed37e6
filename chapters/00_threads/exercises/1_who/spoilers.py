"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "where_am_i_kernel writes the same numbers, and more, to one array.",
    "First compute i, which differs in all threads of the grid. The warp and the lane come from threadIdx.x and warpSize.",
]
WRONG = {
    "no_block": ("data race", {"who.cu": [("blockIdx.x * blockDim.x + threadIdx", "threadIdx")]}),
    "warp_of_the_grid": ("elements of warp wrong", {"who.cu": [("= threadIdx.x /", "= i /")]}),
    "lanes_from_one_on": (
        "elements of lane wrong",
        {"who.cu": [("= threadIdx.x /", "= 1 + threadIdx.x /"), ("= threadIdx.x %", "= 1 + threadIdx.x %")]},
    ),
    "grid_for_block": ("out of bounds", {"who.cu": [("blockDim", "gridDim")]}),
    "one_thread": (
        "each by one lane alone",
        {
            "who.cu": [
                (
                    (
                        "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                        "    block[i] = blockIdx.x;\n"
                        "    warp[i] = threadIdx.x / warpSize;\n"
                        "    lane[i] = threadIdx.x % warpSize;\n"
                    ),
                    (
                        "    if (blockIdx.x > 0 || threadIdx.x > 0) return;\n"
                        "    for (unsigned b = 0; b < gridDim.x; b++)\n"
                        "        for (unsigned t = 0; t < blockDim.x; t++)\n"
                        "            block[b * blockDim.x + t] = b, warp[b * blockDim.x + t] = t / 32, "
                        "lane[b * blockDim.x + t] = t % 32;\n"
                    ),
                )
            ],
        },
    ),
    "three_blocks": (
        "blocks of 40 threads, blocks = 7: wrong result",
        {
            "who.cu": [("block[i] = blockIdx.x", "block[i] = blockIdx.x % 3")],
        },
    ),
    "only_4096": (
        "blocks of 40 threads, blocks = 300: wrong result",
        {"who.cu": [("    block[i] =", "    if (i >= 4096) return;\n    block[i] =")]},
    ),
    "block_in_a_byte": (
        "elements of block wrong",
        {"who.cu": [("block[i] = blockIdx.x", "block[i] = uint8_t(blockIdx.x)")]},
    ),
}
