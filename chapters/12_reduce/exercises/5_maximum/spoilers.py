"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "It is sum_last_block_kernel with another operation. Write a function of two floats first, which is the larger one, "
    "then block_sum() with it, then the kernel.",
    "What does a thread hold that has no element, and what does it begin with? The largest of no numbers is the number "
    "that is smaller than all others: -INFINITY.",
    "NaN > 1 and 1 > NaN are both false, and fmaxf(NaN, 1) is 1. So ask for isnan() of one of them, and let the "
    "comparison's other branch return the other.",
    "In this order: loop over x, block_max, thread 0 writes partial[blockIdx.x], is_last_block(ticket). Then the "
    "last block does the same with partial as with x.",
]
WRONG = {
    "every_thread_goes_on": (
        "threads repeat work that others have done",
        {"maximum.cu": [("i += int64_t(gridDim.x) * threads", "i++")]},
    ),
    "one_thread": (
        "each by one lane alone",
        {
            "maximum.cu": [
                (
                    "float max = -INFINITY;\n",
                    "if (blockIdx.x > 0 || threadIdx.x > 0) return;\n"
                    "    float max = -INFINITY;\n"
                    "    for (int64_t i = 0; i < n; i++) max = larger(max, x[i]);\n"
                    "    *out = max;\n"
                    "    return;\n",
                )
            ]
        },
    ),
    "fmaxf_drops_nan": ("nan", {"maximum.cu": [("a > b || isnan(a) ? a : b", "fmaxf(a, b)")]}),
    "begins_at_zero": ("wrong result", {"maximum.cu": [("float max = -INFINITY;", "float max = 0;")]}),
    "ticket_before_the_partial": (
        "data race",
        {
            "maximum.cu": [
                (
                    "max = larger(max, x[i]);\n    max = block_max(max);",
                    "max = larger(max, x[i]);\n    max = block_max(max);\n    const bool last = is_last_block(ticket);",
                ),
                ("!is_last_block(ticket)", "!last"),
            ]
        },
    ),
    "first_partials_only": (
        "300 blocks, so 300 partial results for a block of 64 threads, n = 19200: wrong result",
        {
            "maximum.cu": [
                (
                    "for (unsigned k = threadIdx.x; k < gridDim.x; k += threads) max = larger(max, partial[k]);",
                    "if (threadIdx.x < gridDim.x) max = partial[threadIdx.x];",
                )
            ]
        },
    ),
    "own_maximum_only": (
        "wrong result",
        {
            "maximum.cu": [
                (
                    "    max = -INFINITY;\n"
                    "    for (unsigned k = threadIdx.x; k < gridDim.x; k += threads) max = larger(max, "
                    "partial[k]);\n"
                    "    max = block_max(max);\n",
                    "",
                )
            ]
        },
    ),
    "host_loop_and_a_copy": (
        "the launcher copies from or to memory of the host",
        {
            "maximum.cu": [
                (
                    "    maximum_kernel<<<blocks, threads, 0, stream>>>(out, x, n, partial, ticket);\n",
                    (
                        "    float* host = new float[n];\n"
                        "    cudaMemcpyAsync(host, x, 4 * n, cudaMemcpyDeviceToHost, stream);\n"
                        "    for (int64_t i = 1; i < n; i++)\n"
                        "        if (!(host[0] >= host[i]) && host[0] == host[0]) host[0] = host[i];\n"
                        "    maximum_kernel<<<blocks, threads, 0, stream>>>(out, x, 0, partial, ticket);\n"
                        "    cudaMemcpyAsync(out, host, 4, cudaMemcpyHostToDevice, stream);\n"
                        "    delete[] host;\n"
                    ),
                )
            ],
        },
    ),
    "index_of_32_bits": (
        "33554433 blocks, n = 2147483712: ",
        {
            "maximum.cu": [
                ("for (int64_t i = int64_t(blockIdx.x) * threads", "for (int i = blockIdx.x * threads"),
                ("i += int64_t(gridDim.x) * threads", "i += gridDim.x * threads"),
            ],
        },
    ),
    "one_block_reads_all": (
        "1003 loads, all by 2 warps",
        {
            "maximum.cu": [
                (
                    (
                        "    float max = -INFINITY;\n"
                        "    for (int64_t i = int64_t(blockIdx.x) * threads + threadIdx.x; i < n; i += "
                        "int64_t(gridDim.x) * threads)"
                    ),
                    (
                        "    float max = -INFINITY;\n"
                        "    if (blockIdx.x == 0) for (int64_t i = threadIdx.x; i < n; i += threads)"
                    ),
                )
            ],
        },
    ),
    "last_block_reads_all": (
        "1000 loads, all by 2 warps",
        {
            "maximum.cu": [
                (
                    (
                        "    float max = -INFINITY;\n"
                        "    for (int64_t i = int64_t(blockIdx.x) * threads + threadIdx.x; i < n; i += "
                        "int64_t(gridDim.x) * threads)\n"
                        "        max = larger(max, x[i]);\n"
                        "    max = block_max(max);\n"
                        "    if (threadIdx.x == 0) partial[blockIdx.x] = max;\n"
                    ),
                    "    float max;\n",
                ),
                (
                    "for (unsigned k = threadIdx.x; k < gridDim.x; k += threads) max = larger(max, partial[k])",
                    "for (int64_t k = threadIdx.x; k < n; k += threads) max = larger(max, x[k])",
                ),
            ],
        },
    ),
    "compares_bits": (
        "one NaN, n = 1: wrong result",
        {
            "maximum.cu": [
                (
                    "__device__ float larger(float a, float b) { return a > b || isnan(a) ? a : b; }\n",
                    (
                        "__device__ int key(float v) { const int b = __float_as_int(v); return b >= 0 ? b : b ^ "
                        "0x7fffffff; }\n"
                        "__device__ float larger(float a, float b) { return key(a) > key(b) ? a : b; }\n"
                    ),
                ),
            ],
        },
    ),
    "two_kernels": (
        "maximum.cu launches two kernels",
        {
            "maximum.cu": [
                (
                    ("    if (!is_last_block(ticket)) return;\n    max = -INFINITY;"),
                    (
                        "}\n"
                        "\n"
                        "__global__ void finish_kernel(float* out, const float* partial, int blocks) {\n"
                        "    float max = -INFINITY;"
                    ),
                ),
                ("k < gridDim.x; k", "k < blocks; k"),
                (
                    ("(out, x, n, partial, ticket);\n    CHECK_LAUNCH();"),
                    (
                        "(out, x, n, partial, ticket);\n"
                        "    CHECK_LAUNCH();\n"
                        "    finish_kernel<<<1, threads, 0, stream>>>(out, partial, blocks);\n"
                        "    CHECK_LAUNCH();"
                    ),
                ),
            ],
        },
    ),
    "length_of_32_bits": (
        "16777217 blocks, n = 4294967552: the last block writes -inf",
        {
            "maximum.cu": [
                ("i < n; i += int64_t", "i < int(n); i += int64_t"),
            ],
        },
    ),
    "partials_128": (
        "300 blocks, so 300 partial results",
        {
            "maximum.cu": [
                (
                    "for (unsigned k = threadIdx.x; k < gridDim.x; k += threads) max = larger(max, partial[k]);",
                    (
                        "for (unsigned k = threadIdx.x; k < gridDim.x && k < 128; k += threads) max = larger(max, "
                        "partial[k]);"
                    ),
                ),
            ],
        },
    ),
    "two_partials_each": (
        "300 blocks, so 300 partial results",
        {
            "maximum.cu": [
                (
                    "for (unsigned k = threadIdx.x; k < gridDim.x; k += threads) max = larger(max, partial[k]);",
                    (
                        "if (threadIdx.x < gridDim.x) max = partial[threadIdx.x];\n"
                        "    if (threadIdx.x + threads < gridDim.x) max = larger(max, partial[threadIdx.x + threads]);"
                    ),
                ),
            ],
        },
    ),
}
