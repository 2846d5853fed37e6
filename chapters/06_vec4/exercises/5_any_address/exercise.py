"""any address: head, float4 and tail, in place

scale.h says what the launcher does. No line of scale.cu is there yet.
"""

import torch

from common.exercises import Wrong, check, device, launchers, seen

MINUTES = 40
HINTS = [
    "add_kernel_aligned_middle and launch_add_forward in vec4.cu do this for a sum. Here one pointer decides all, so no load "
    "has to go float by float because of another one.",
    "The launcher counts the head: while (head < n && the address of x + head is no multiple of 16) head++.",
    "Thread t takes the float4 at head + 4 * t, if four floats are left there. Threads 0 to 2 also take one float of the head "
    "each, if there is one, and one of the tail, which has (n - head) % 4 floats.",
    "A grid of 0 blocks is refused, so launch one block at least: n may be less than four.",
]
FAILS = "undefined reference to `launch_scale"
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
        "x *= 2, n = 4099, scale.cu:19: 7 floats have a load of their own",
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
}


def run(mine):
    launch = launchers(mine / "scale.cu").launch_scale

    def scaled(x, before):
        """before ones, then 2 * x, which was at an address of before floats behind a multiple of 16 bytes"""
        memory = torch.cat((torch.ones(before, device=device), x))
        launch(memory[before:], 2.0, x.numel())
        return memory

    def reference(x, before):
        return torch.cat((torch.ones(before, device=device), 2 * x))

    def name(before):
        return f"x[{before}:] *= 2 (an index counts from x[0] on), n" if before else "x *= 2, n"

    for before in range(4):
        inputs = lambda n, before=before: (torch.randint(1, 9, (n,), device=device).float(), before)  # noqa: E731
        check(scaled, reference, inputs, sizes=(0, 1, 2, 3, 4, 5, 8, 11, 1000, 1025, 4099), name=name(before))
    for before in 0, 1:
        n = 4099
        rows = seen(lambda before=before, n=n: scaled(torch.ones(n, device=device), before))
        for kind in "load", "store":
            alone = sum(row.threads * row.width // 4 for row in rows if row.kind == kind and row.width < 16)
            if alone > 6:
                line = next(row.line for row in rows if row.kind == kind and row.width < 16)
                which = f"{name(before)} = {n}, scale.cu:{line}"
                raise Wrong(f"{which}: {alone} floats have a {kind} of their own, one by one, and 6 may")
    if rows:
        print(f"{'right':8}all but six floats go as float4")
