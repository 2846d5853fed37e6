"""Hints, which `ARGS=--hint` shows one by one, and wrong solutions. Both give the solution away."""

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
        "? was never written",
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
}
