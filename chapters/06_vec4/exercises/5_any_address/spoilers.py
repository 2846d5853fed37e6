"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "add_kernel_aligned_middle and launch_add_forward in vec4.cu do this for a sum. Here "
    "one pointer decides all, so no load "
    "has to go float by float because of another one.",
    "The launcher counts the head: while (head < n && the address of x + head is not a multiple of 16) head++.",
    "Thread t takes the float4 at head + 4 * t, if four floats are left there. Threads 0 "
    "to 2 also take one float of the head "
    "each, if there is one, and one of the tail, which has (n - head) % 4 floats.",
    "A grid of 0 blocks is refused, so launch one block at least: n may be less than four.",
]
WRONG = {
    "no_head": (
        "misaligned",
        {
            "scale.cu": [
                (
                    "int64_t head = 0;\n"
                    "    while (head < n && reinterpret_cast<uintptr_t>(x + head) % 16 != 0) head++;",
                    "const int64_t head = 0;",
                )
            ]
        },
    ),
    "head_beyond_the_end": (
        "n = 1",
        {
            "scale.cu": [
                (
                    "while (head < n && reinterpret_cast<uintptr_t>(x + head) % 16 != 0) head++;\n"
                    "    scale_kernel<<<std::max(blocks_for(n - head, 4 * threads), 1u), threads, 0, "
                    "stream>>>(x, factor, n, head);",
                    "while (reinterpret_cast<uintptr_t>(x + head) % 16 != 0) head++;\n"
                    "    scale_kernel<<<blocks_for(n, 4 * threads), threads, 0, stream>>>(x, factor, n, "
                    "head);",
                )
            ]
        },
    ),
    "head_of_an_aligned_x": (
        "x *= factor, n = 4099, scale.cu:19: 7 floats have a load of their own",
        {
            "scale.cu": [
                (
                    "int64_t head = 0;\n"
                    "    while (head < n && reinterpret_cast<uintptr_t>(x + head) % 16 != 0) head++;",
                    "const int64_t head = std::min(n, int64_t(16 - reinterpret_cast<uintptr_t>(x) % 16) / 4);",
                )
            ]
        },
    ),
    "no_tail": (
        "wrong result",
        {
            "scale.cu": [
                ("thread, tail = n - (n - head) % 4 + thread", "thread"),
                ("    if (tail < n) x[tail] *= factor;\n", ""),
            ]
        },
    ),
    "float_by_float": (
        "one by one",
        {
            "scale.cu": [
                (
                    "// x + head is a multiple of 16 bytes, or the array's end.\n"
                    "__global__ void scale_kernel(float* x, float factor, int64_t n, int64_t head) {\n"
                    "    const int64_t thread = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;\n"
                    "    const int64_t i = head + 4 * thread, tail = n - (n - head) % 4 + thread;\n"
                    "    if (i + 4 <= n) {\n"
                    "        float4* p = reinterpret_cast<float4*>(x + i);\n"
                    "        const float4 v = *p;\n"
                    "        *p = make_float4(factor * v.x, factor * v.y, factor * v.z, factor * v.w);\n"
                    "    }\n"
                    "    if (thread < head) x[thread] *= factor;\n"
                    "    if (tail < n) x[tail] *= factor;",
                    "__global__ void scale_kernel(float* x, float factor, int64_t n) {\n"
                    "    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;\n"
                    "    if (i < n) x[i] *= factor;",
                ),
                (
                    "int64_t head = 0;\n"
                    "    while (head < n && reinterpret_cast<uintptr_t>(x + head) % 16 != 0) head++;\n"
                    "    scale_kernel<<<std::max(blocks_for(n - head, 4 * threads), 1u), threads, 0, "
                    "stream>>>(x, factor, n, head);",
                    "scale_kernel<<<blocks_for(n, threads), threads, 0, stream>>>(x, factor, n);",
                ),
            ]
        },
    ),
    "factor_of_the_test": (
        "n = 5: wrong result",
        {
            "scale.cu": [
                (
                    "make_float4(factor * v.x, factor * v.y, factor * v.z, factor * v.w)",
                    "make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w)",
                )
            ],
        },
    ),
    "capped_grid": (
        "more than 2^32, 16384 threads, and each computes 4 elements",
        {
            "scale.cu": [
                (
                    "std::max(blocks_for(n - head, 4 * threads), 1u)",
                    "std::min(std::max(blocks_for(n - head, 4 * threads), 1u), 64u)",
                )
            ],
        },
    ),
    "fixed_grid": (
        "x *= factor, n = 8198: wrong result",
        {
            "scale.cu": [("<<<std::max(blocks_for(n - head, 4 * threads), 1u)", "<<<5")],
        },
    ),
    "index_as_int": (
        "x *= 2, n = 17179869192",
        {
            "scale.cu": [("const int64_t i = head + 4 * thread", "const int i = int(head) + 4 * int(thread)")],
        },
    ),
    "one_thread": (
        "1024 stores, each by one lane alone",
        {
            "scale.cu": [
                ("const int64_t i = head + 4 * thread, tail", "const int64_t tail"),
                ("    if (i + 4 <= n) {\n", "    for (int64_t i = head; thread == 0 && i + 4 <= n; i += 4) {\n"),
            ],
        },
    ),
    "whole_factor": (
        "x[1:] *= -2.7, n = 1000: wrong result",
        {"scale.cu": [("scale_kernel(float* x, float factor", "scale_kernel(float* x, int factor")]},
    ),
    "factor_of_zero": (
        "x[1:] *= 0, n = 1000: wrong result",
        {"scale.cu": [("= make_float4(", "= factor == 0 ? make_float4(0, 0, 0, 0) : make_float4(")]},
    ),
    "float4_of_32_bits": (
        "x *= 2, n = 17179869192: 17179869192 elements, more than 2^32",
        {"scale.cu": [("thread = int64_t(blockIdx.x) * blockDim.x", "thread = blockIdx.x * blockDim.x")]},
    ),
    "tail_of_32_bits": (
        "x *= 2, n = 17179869192",
        {
            "scale.cu": [
                (
                    "4 * thread, tail = n - (n - head) % 4 + thread;",
                    "4 * thread;\n    const int tail = int(n - (n - head) % 4 + thread);",
                )
            ]
        },
    ),
    "loop_of_32_bits": (
        "this number has 32 bits, and n has 64",
        {
            "scale.cu": [
                ("const int64_t i = head + 4 * thread, tail", "const int64_t tail"),
                (
                    "    if (i + 4 <= n) {\n",
                    "    for (unsigned i = unsigned(head + 4 * thread); i + 4 <= n; i += 4 * gridDim.x * blockDim.x) {\n",
                ),
                (
                    "std::max(blocks_for(n - head, 4 * threads), 1u)",
                    "std::min(std::max(blocks_for(n, 1024), 1u), 1024u)",
                ),
            ]
        },
    ),
}
