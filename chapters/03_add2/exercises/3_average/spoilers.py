"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "Which thread writes sum[i + 1]? What says that it has done so before another thread reads it?",
    "__syncthreads() makes the threads of one block wait for one another. Nothing makes a block wait for another one "
    "within a kernel. But the kernels of one stream run one after another.",
    "Make two kernels of it: one writes sum, the next one reads it. Both are launched by launch_average.",
]
WRONG = {
    "one_thread": (
        "each by one lane alone",
        {
            "average.cu": [
                (
                    "if (i < n) sum[i] = a[i] + b[i]",
                    "if (i == 0)\n        for (int64_t k = 0; k < n; k++) sum[k] = a[k] + b[k]",
                ),
                (
                    "if (i < n) out[i] = (sum[i] + sum[(i + 1) % n]) / 2",
                    "if (i == 0)\n        for (int64_t k = 0; k < n; k++) out[k] = (sum[k] + sum[(k + 1) % n]) / 2",
                ),
            ]
        },
    ),
    "default_stream": (
        "the launch of sum_kernel is on the default stream",
        {
            "average.cu": [
                (
                    "sum_kernel<<<blocks_for(n, threads), threads, 0, stream>>>",
                    "sum_kernel<<<blocks_for(n, threads), threads>>>",
                )
            ]
        },
    ),
    "waits_in_its_block": (
        "data race",
        {
            "average.cu": [
                ("sum_kernel(float", "average_kernel(float* out, float"),
                (
                    "}\n"
                    "\n"
                    "__global__ void average_kernel(float* out, const float* sum, int64_t n) {\n"
                    "    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;",
                    "    __syncthreads();",
                ),
                (
                    "sum_kernel<<<blocks_for(n, threads), threads, 0, stream>>>(sum, a, b, n);\n"
                    "    CHECK_LAUNCH();\n"
                    "    average_kernel<<<blocks_for(n, threads), threads, 0, stream>>>(out, sum, n);  "
                    "// after it, as in any stream",
                    "average_kernel<<<blocks_for(n, threads), threads, 0, stream>>>(out, sum, a, b, n);",
                ),
            ]
        },
    ),
    "one_block": (
        "launches 256 threads, but each of the 257 elements needs",
        {
            "average.cu": [
                ("sum_kernel(float", "average_kernel(float* out, float"),
                (
                    "}\n"
                    "\n"
                    "__global__ void average_kernel(float* out, const float* sum, int64_t n) {\n"
                    "    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;",
                    "    __syncthreads();",
                ),
                (
                    "sum_kernel<<<blocks_for(n, threads), threads, 0, stream>>>(sum, a, b, n);\n"
                    "    CHECK_LAUNCH();\n"
                    "    average_kernel<<<blocks_for(n, threads), threads, 0, stream>>>(out, sum, n);  "
                    "// after it, as in any stream",
                    "average_kernel<<<1, threads, 0, stream>>>(out, sum, a, b, n);",
                ),
            ]
        },
    ),
    "host_loop_and_copies": (
        "the launcher copies from or to memory of the host",
        {
            "average.cu": [
                ("    if (i < n) sum[i] = a[i] + b[i];\n", ""),
                ("    if (i < n) out[i] = (sum[i] + sum[(i + 1) % n]) / 2;\n", ""),
                (
                    "    constexpr int threads = 256;\n",
                    (
                        "    constexpr int threads = 256;\n"
                        "    float *x = new float[2 * n], *y = x + n;\n"
                        "    cudaMemcpyAsync(x, a, 4 * n, cudaMemcpyDeviceToHost, stream);\n"
                        "    cudaMemcpyAsync(y, b, 4 * n, cudaMemcpyDeviceToHost, stream);\n"
                        "    for (int64_t i = 0; i < n; i++) x[i] += y[i];\n"
                        "    for (int64_t i = 0; i < n; i++) y[i] = (x[i] + x[(i + 1) % n]) / 2;\n"
                        "    cudaMemcpyAsync(sum, x, 4 * n, cudaMemcpyHostToDevice, stream);\n"
                        "    cudaMemcpyAsync(out, y, 4 * n, cudaMemcpyHostToDevice, stream);\n"
                        "    delete[] x;\n"
                    ),
                ),
            ],
        },
    ),
    "fixed_grid": (
        "launches 4352 threads, but each of the 8198 elements needs",
        {
            "average.cu": [
                ("sum_kernel<<<blocks_for(n, threads)", "sum_kernel<<<17"),
                ("average_kernel<<<blocks_for(n, threads)", "average_kernel<<<17"),
            ],
        },
    ),
    "index_of_32_bits": (
        "4294967306 elements, more than 2^32: the last blocks write element 9",
        {
            "average.cu": [
                (
                    (
                        "void sum_kernel(float* sum, const float* a, const float* b, int64_t n) {\n"
                        "    const int64_t i = int64_t(blockIdx.x)"
                    ),
                    (
                        "void sum_kernel(float* sum, const float* a, const float* b, int64_t n) {\n"
                        "    const unsigned i = blockIdx.x"
                    ),
                ),
                (
                    (
                        "void average_kernel(float* out, const float* sum, int64_t n) {\n"
                        "    const int64_t i = int64_t(blockIdx.x)"
                    ),
                    (
                        "void average_kernel(float* out, const float* sum, int64_t n) {\n"
                        "    const unsigned i = blockIdx.x"
                    ),
                ),
            ],
        },
    ),
    "second_index_of_32_bits": (
        "4294967306 elements, more than 2^32: the last blocks write element 9",
        {
            "average.cu": [
                (
                    (
                        "void average_kernel(float* out, const float* sum, int64_t n) {\n"
                        "    const int64_t i = int64_t(blockIdx.x)"
                    ),
                    (
                        "void average_kernel(float* out, const float* sum, int64_t n) {\n"
                        "    const unsigned i = blockIdx.x"
                    ),
                )
            ],
        },
    ),
    "index_as_int": (
        "n = 4294967306: 4294967306 elements, more than 2^32: kernel sum_kernel",
        {
            "average.cu": [
                (
                    (
                        "void sum_kernel(float* sum, const float* a, const float* b, int64_t n) {\n"
                        "    const int64_t i = int64_t(blockIdx.x)"
                    ),
                    (
                        "void sum_kernel(float* sum, const float* a, const float* b, int64_t n) {\n"
                        "    const int i = blockIdx.x"
                    ),
                ),
                (
                    (
                        "void average_kernel(float* out, const float* sum, int64_t n) {\n"
                        "    const int64_t i = int64_t(blockIdx.x)"
                    ),
                    ("void average_kernel(float* out, const float* sum, int64_t n) {\n    const int i = blockIdx.x"),
                ),
            ],
        },
    ),
    "one_block_with_loops": (
        "launches 256 threads, but each of the 257 elements needs",
        {
            "average.cu": [
                (
                    (
                        "__global__ void sum_kernel(float* sum, const float* a, const float* b, int64_t n) {\n"
                        "    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;\n"
                        "    if (i < n) sum[i] = a[i] + b[i];\n"
                        "}\n"
                        "\n"
                    ),
                    "",
                ),
                (
                    (
                        "average_kernel(float* out, const float* sum, int64_t n) {\n"
                        "    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;\n"
                        "    if (i < n) out[i]"
                    ),
                    (
                        "average_kernel(float* out, float* sum, const float* a, const float* b, int64_t n) {\n"
                        "    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) sum[i] = a[i] + b[i];\n"
                        "    __syncthreads();\n"
                        "    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) out[i]"
                    ),
                ),
                (
                    (
                        "    sum_kernel<<<blocks_for(n, threads), threads, 0, stream>>>(sum, a, b, n);\n"
                        "    CHECK_LAUNCH();\n"
                        "    average_kernel<<<blocks_for(n, threads), threads, 0, stream>>>(out, sum, n);"
                    ),
                    "    average_kernel<<<1, threads, 0, stream>>>(out, sum, a, b, n);",
                ),
            ],
        },
    ),
    "second_kernel_of_one_block": (
        "32 stores of 8 warps for 1000 elements, expected: each element has a thread of its own",
        {
            "average.cu": [
                (
                    "if (i < n) out[i] = (sum[i] + sum[(i + 1) % n]) / 2",
                    "for (int64_t k = i; k < n; k += blockDim.x) out[k] = (sum[k] + sum[(k + 1) % n]) / 2",
                ),
                ("average_kernel<<<blocks_for(n, threads)", "average_kernel<<<1"),
            ]
        },
    ),
    "as_int": ("wrong result", {"average.cu": [("sum[i] = a[i] + b[i]", "sum[i] = int(a[i]) + int(b[i])")]}),
}
