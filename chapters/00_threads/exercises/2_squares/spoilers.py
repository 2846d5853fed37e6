"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

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
    "host_loop_and_a_copy": (
        "the launcher copies from or to memory of the host",
        {
            "squares.cu": [
                ("    out[i] = i * i;\n", ""),
                (
                    "    CHECK_LAUNCH();\n",
                    (
                        "    CHECK_LAUNCH();\n"
                        "    int64_t* host = new int64_t[n];\n"
                        "    for (int64_t i = 0; i < n; i++) host[i] = i * i;\n"
                        "    cudaMemcpyAsync(out, host, 8 * n, cudaMemcpyHostToDevice, stream);\n"
                        "    delete[] host;\n"
                    ),
                ),
            ],
        },
    ),
    "host_loop_in_managed_memory": (
        "asks for memory that the host can use",
        {
            "squares.cu": [
                ("(int64_t* out, int64_t n) {", "(int64_t* out, const int64_t* host, int64_t n) {"),
                ("= i * i", "= host[i]"),
                ("(out, n);", "(out, host, n);"),
                (
                    "    constexpr int threads = 256;\n",
                    (
                        "    constexpr int threads = 256;\n"
                        "    int64_t* host;\n"
                        "    cudaMallocManaged(&host, 8 * n);\n"
                        "    for (int64_t i = 0; i < n; i++) host[i] = i * i;\n"
                    ),
                ),
                ("    CHECK_LAUNCH();\n", ("    CHECK_LAUNCH();\n    cudaFree(host);\n")),
            ],
        },
    ),
    "unsigned_overflows": (
        "4464 of 70000 elements wrong",
        {
            "squares.cu": [("const int64_t i = int64_t(blockIdx.x)", "const unsigned i = blockIdx.x")],
        },
    ),
    "index_of_32_bits": (
        "n = 2147483658: 2147483658 elements, more than 2^31: ",
        {
            "squares.cu": [
                ("const int64_t i = int64_t(blockIdx.x)", "const int i = blockIdx.x"),
                ("= i * i", "= int64_t(i) * i"),
            ],
        },
    ),
    "fixed_grid": (
        "launches 51200 threads, but each of the 70000 elements needs",
        {
            "squares.cu": [("blocks_for(n, threads), threads", "200, 256")],
        },
    ),
    "large_fixed_grid": (
        "launches 1048576 threads, but each of the 1120000 elements needs",
        {
            "squares.cu": [("blocks_for(n, threads), threads", "4096, 256")],
        },
    ),
    "one_warp": (
        "1000 stores, all by 1 warp",
        {
            "squares.cu": [
                (
                    ("    if (i >= n) return;\n    out[i] = i * i;"),
                    ("    if (i < 32)\n        for (int64_t k = i; k < n; k += 32) out[k] = k * k;"),
                )
            ],
        },
    ),
    "memory_of_a_vector": (
        "the host's memory",
        {
            "squares.cu": [
                ('#include "common/cuda_check.h"\n', ('#include <vector>\n\n#include "common/cuda_check.h"\n')),
                ("(int64_t* out, int64_t n) {", "(int64_t* out, const int64_t* numbers, int64_t n) {"),
                ("= i * i", "= numbers[i] * numbers[i]"),
                ("(out, n);", "(out, numbers.data(), n);"),
                (
                    "    constexpr int threads = 256;\n",
                    (
                        "    constexpr int threads = 256;\n"
                        "    std::vector<int64_t> numbers(n);\n"
                        "    for (int64_t i = 0; i < n; i++) numbers[i] = i;\n"
                    ),
                ),
            ],
        },
    ),
    "address_of_a_local_variable": (
        "the host's memory",
        {
            "squares.cu": [
                ("(int64_t* out, int64_t n) {", "(int64_t* out, const int64_t* n) {"),
                ("i >= n", "i >= *n"),
                ("(out, n);", "(out, &n);"),
            ],
        },
    ),
    "never_freed": (
        "is never freed",
        {
            "squares.cu": [
                (
                    "    constexpr int threads = 256;\n",
                    ("    constexpr int threads = 256;\n    int64_t* scratch;\n    cudaMalloc(&scratch, 8 * n);\n"),
                )
            ],
        },
    ),
    "variable_of_the_host": (
        'identifier "count" is undefined in device code',
        {
            "squares.cu": [
                (
                    "__global__ void squares_kernel(int64_t* out, int64_t n) {",
                    ("static int64_t count;\n\n__global__ void squares_kernel(int64_t* out, int64_t) {"),
                ),
                ("i >= n", "i >= count"),
                ("    constexpr int threads = 256;\n", ("    constexpr int threads = 256;\n    count = n;\n")),
            ],
        },
    ),
    "vector_in_the_kernel": (
        'calling a __host__ function("std::vector") from a __global__ function("squares_kernel") is not allowed',
        {
            "squares.cu": [
                ('#include "common/cuda_check.h"\n', ('#include <vector>\n\n#include "common/cuda_check.h"\n')),
                ("    out[i] = i * i;\n", ("    std::vector<int64_t> one(1, i);\n    out[i] = one[0] * one[0];\n")),
            ],
        },
    ),
    "function_of_the_host": (
        'calling a __host__ function("square") from a __global__ function("squares_kernel") is not allowed',
        {
            "squares.cu": [
                ("__global__ void", ("__host__ int64_t square(int64_t i) { return i * i; }\n\n__global__ void")),
                ("= i * i", "= square(i)"),
            ],
        },
    ),
    "missing_brace": (
        "squares.cu:8: error: this { has no }",
        {
            "squares.cu": [(("    out[i] = i * i;\n}\n"), "    out[i] = i * i;\n")],
        },
    ),
    "empty_grid": (
        "The grid is (0, 1, 1) blocks, and a block is (256, 1, 1) threads: no number may be 0",
        {
            "squares.cu": [("    if (n == 0) return;\n", "")],
        },
    ),
    "array_of_the_host": (
        'identifier "powers" is undefined in device code',
        {
            "squares.cu": [
                (
                    "__global__ void squares_kernel",
                    "static const int64_t powers[] = {0, 1, 2};\n\n__global__ void squares_kernel",
                ),
                ("out[i] = i * i", "out[i] = powers[1] * i * i"),
            ]
        },
    ),
    "function_of_the_hosts_library": (
        'calling a __host__ function("std::fill") from a __global__ function("squares_kernel") is not allowed',
        {
            "squares.cu": [
                ('#include "squares.h"\n', '#include "squares.h"\n\n#include <algorithm>\n'),
                ("out[i] = i * i", "std::fill(out + i, out + i + 1, i * i)"),
            ]
        },
    ),
}
