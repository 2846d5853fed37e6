"""Hints, which `ARGS=--hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "number_kernel and launch_number in threads.cu have the same parts: the index, the bounds check, the launch.",
    "A block has at most 1024 threads, so one block is not enough. blocks_for(n, 256) is the number of blocks.",
    "The square of a number above 46340 does not fit into 32 bits: use int64_t.",
]
WRONG = {
    "one_block": ("invalid configuration", {"squares.cu": [("blocks_for(n, threads), threads", "1, n")]}),
    "int_overflows": ("wrong result", {"squares.cu": [("int64_t i = int64_t(blockIdx.x)", "int i = blockIdx.x")]}),
    "every_block_does_all": (
        "1000 elements, and 4000 stores",
        {
            "squares.cu": [
                (
                    "const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;\n    if (i >= n) return;\n    out",
                    "for (int64_t i = threadIdx.x; i < n; i += blockDim.x) out",
                )
            ]
        },
    ),
    "no_bounds_check": ("out of bounds", {"squares.cu": [("    if (i >= n) return;\n", "")]}),
    "default_stream": (
        "squares_kernel is on the default stream",
        {"squares.cu": [("threads, 0, stream>>>", "threads>>>")]},
    ),
    "no_check": ("without CHECK_LAUNCH()", {"squares.cu": [("    CHECK_LAUNCH();\n", "")]}),
    "no_global": ("lacks __global__", {"squares.cu": [("__global__ ", "")]}),
    "on_the_host": (
        "the host writes out[0] at squares.cu",
        {
            "squares.cu": [
                (
                    "    constexpr int threads = 256;\n"
                    "    squares_kernel<<<blocks_for(n, threads), threads, 0, stream>>>(out, n);\n"
                    "    CHECK_LAUNCH();\n",
                    "    for (int64_t i = 0; i < n; i++) out[i] = i * i;\n",
                )
            ]
        },
    ),
    "one_thread": (
        "launches 1 thread, but each of the 3 elements",
        {
            "squares.cu": [
                ("blocks_for(n, threads), threads, 0", "1, 1, 0"),
                ("    constexpr int threads = 256;\n", ""),
                (
                    "const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;\n    if (i >= n) return;\n    out",
                    "for (int64_t i = 0; i < n; i++) out",
                ),
            ]
        },
    ),
}
