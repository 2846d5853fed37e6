"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "Neighbours in memory differ in k where you load and in i where you store. All of a tile has one j, and its rows "
    "lie b * c elements apart in in.",
    "So for each j, the elements in[i][j][k] are a matrix, whose rows are not contiguous, and so are the out[k][j][i]. A "
    "block moves a tile of 32 values of i and 32 of k by way of shared memory, as transpose_padded_kernel does.",
    "For the load, lanes count k: the thread (x, y) takes i = first_i + y, k = first_k + "
    "x. For the store, lanes count i: it "
    "takes k = first_k + y, i = first_i + x, which lies in shared[x][y]. Each has its own bounds check.",
    "Passes: with __shared__ float shared[side][side], a column of the tile lies in one bank. What did padded change?",
]
WRONG = {
    "no_padding": ("each load of a warp takes 32 passes of shared memory", {"permute.cu": [("side + 1", "side")]}),
    "bounds_of_the_load": (
        "which no thread of its block has written",
        {"permute.cu": [("first_k + y < c && first_i + x < a", "first_i + y < a && first_k + x < c")]},
    ),
    "matrices_that_follow": (  # as in a batch of matrices: permute(0, 2, 1)
        "wrong result",
        {
            "permute.cu": [
                ("in[((first_i + y) * b + j) * c + first_k + x]", "in[(j * a + first_i + y) * c + first_k + x]"),
            ]
        },
    ),
    "no_barrier": ("data race", {"permute.cu": [("    __syncthreads();\n", "")]}),
    "a_launch_for_each_j": (
        "launches 9 kernels: does the host loop",
        {
            "permute.cu": [
                ("int64_t b, int64_t c) {\n    __shared__", "int64_t b, int64_t c, int64_t j) {\n    __shared__"),
                (", j = blockIdx.z;", ";"),
                ("unsigned(b)", "1"),
                ("permute_kernel<<<", "for (int64_t j = 0; j < b; j++) permute_kernel<<<"),
                ("(out, in, a, b, c);", "(out, in, a, b, c, j);"),
            ]
        },
    ),
    "return_before_the_barrier": (
        "barrier left out",
        {
            "permute.cu": [
                (
                    "if (first_i + y < a && first_k + x < c) shared",
                    "if (first_i + y >= a || first_k + x >= c) return;\n    shared",
                )
            ]
        },
    ),
    "index_as_int": (
        "more than 2^32: kernel permute_kernel",
        {
            "permute.cu": [
                ("in[((first_i + y) * b + j) * c + first_k + x]", "in[int(((first_i + y) * b + j) * c + first_k + x)]"),
                (
                    "out[((first_k + y) * b + j) * a + first_i + x]",
                    "out[int(((first_k + y) * b + j) * a + first_i + x)]",
                ),
            ],
        },
    ),
    "fixed_grid": (
        "? was never written",
        {
            "permute.cu": [("grid(blocks_for(c, side), blocks_for(a, side), unsigned(b))", "grid(3, 3, unsigned(b))")],
        },
    ),
    "one_warp_of_a_block": (
        "all by 12 warps; expected: by 96 or more",
        {
            "permute.cu": [
                (
                    (
                        "    if (first_i + y < a && first_k + x < c) shared[y][x] = in[((first_i + y) * b + "
                        "j) * c + first_k + x];\n"
                        "    __syncthreads();\n"
                        "    if (first_k + y < c && first_i + x < a) out[((first_k + y) * b + j) * a + "
                        "first_i + x] = shared[x][y];\n"
                    ),
                    (
                        "    if (y == 0)\n"
                        "        for (int y = 0; y < side; y++)\n"
                        "            if (first_i + y < a && first_k + x < c) shared[y][x] = in[((first_i + "
                        "y) * b + j) * c + first_k + x];\n"
                        "    __syncthreads();\n"
                        "    if (y == 0)\n"
                        "        for (int y = 0; y < side; y++)\n"
                        "            if (first_k + y < c && first_i + x < a) out[((first_k + y) * b + j) * a "
                        "+ first_i + x] = shared[x][y];\n"
                    ),
                )
            ],
        },
    ),
    "array_of_int": (
        "b = 2, c = 5, a = 2: wrong result",
        {"permute.cu": [("__shared__ float shared", "__shared__ int shared")]},
    ),
    "columns_of_a_capped_grid": (
        "a = 2, b = 3, c = 1431655766: 8589934596 elements, more than 2^32, 12582912 threads, and each",
        {"permute.cu": [("grid(blocks_for(c, side)", "grid(min(blocks_for(c, side), 4096u)")]},
    ),
    "rows_of_4096_blocks": (
        "a = 1048576, b = 1, c = 4097",
        {"permute.cu": [("blocks_for(a, side), unsigned", "min(blocks_for(a, side), 4096u), unsigned")]},
    ),
    "grid_of_64": (
        "a = 5, c = 3, b = 300: wrong result",
        {"permute.cu": [("unsigned(b)", "unsigned(b < 64 ? b : 64)")]},
    ),
    "load_of_32_bits": (
        "the last one is 5, expected 3",
        {
            "permute.cu": [
                (
                    "in[((first_i + y) * b + j) * c + first_k + x]",
                    "in[unsigned(((first_i + y) * b + j) * c + first_k + x)]",
                )
            ]
        },
    ),
    "race_between_two_turns": (
        "data race",
        {
            "permute.cu": [
                (
                    "first_k = int64_t(blockIdx.x) * side, j = blockIdx.z;\n",
                    "first_k = int64_t(blockIdx.x) * side;\n    for (int64_t j = blockIdx.z; j < b; j += gridDim.z) {\n",
                ),
                ("= shared[x][y];\n", "= shared[x][y];\n    }\n"),
                ("unsigned(b))", "unsigned(b < 1024 ? b : 1024))"),
            ]
        },
    ),
    "k_of_32_bits": (
        "a = 1, b = 1, c = 4294967329: 4294967329 elements, more than 2^32",
        {"permute.cu": [("first_k = int64_t(blockIdx.x) * side", "first_k = blockIdx.x * unsigned(side)")]},
    ),
    "stride_of_in_of_32_bits": (
        "a = 2, b = 3, c = 1431655766",
        {
            "permute.cu": [
                (
                    "in[((first_i + y) * b + j) * c + first_k + x]",
                    "in[(first_i + y) * unsigned(b * c) + j * c + first_k + x]",
                )
            ]
        },
    ),
}
