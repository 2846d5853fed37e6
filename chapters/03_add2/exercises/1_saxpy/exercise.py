"""saxpy: complete a kernel whose grid is too small

The launcher starts at most two blocks, so a thread has to compute several elements.
"""

import torch

from common.exercises import check, device, launchers, limits, shared_out

MINUTES = 10
HINTS = [
    "The loop of add2_kernel visits the right elements. Which line of it computes one?",
    "`for (int64_t i = ...; i < n; i += stride)`: thread 0 of block 0 begins at i = 0, thread 0 of block 1 at 256.",
]
FAILS = "? is not written"
WRONG = {
    "no_loop": (
        "? is not written",
        {
            "saxpy.cu": [
                (
                    "const int64_t stride = int64_t(gridDim.x) * blockDim.x;\n"
                    "    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += "
                    "stride) out[i] = factor * x[i] + y[i];",
                    "const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;\n"
                    "    if (i < n) out[i] = factor * x[i] + y[i];",
                )
            ]
        },
    ),
    "one_too_far": ("behind the end of x (1 element)", {"saxpy.cu": [("< n", "<= n")]}),
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
    "no_block": ("? is not written", {"saxpy.cu": [("int64_t(blockIdx.x) * blockDim.x + threadIdx", "threadIdx")]}),
}


def run(mine):
    launch = launchers(mine / "saxpy.cu").launch_saxpy

    def saxpy(x, y):
        out = torch.empty_like(x)
        launch(out, x, y, 2.0, x.numel())
        return out

    def inputs(n):
        return torch.randint(-9, 9, (n,), device=device).float(), torch.randint(-9, 9, (n,), device=device).float()

    check(saxpy, lambda x, y: 2 * x + y, inputs)
    shared_out(lambda: saxpy(*inputs(1000)), 1000)
    limits(lambda: saxpy(*inputs(1024)), sectors_per_request=4)
