"""rotate: turn an image with 4 sectors and 1 pass for each access

The kernel is right. A store of a warp touches 32 sectors, and the image of the lesson's padded transpose is close.
"""

import torch

from common.exercises import check, device, launchers, limits

MINUTES = 30
HINTS = [
    "Neighbouring lanes have to store neighbours of a row of out. Which elements of in are these?",
    "A row of out is a column of in, from below. So the load goes along a row of in to shared memory, and the "
    "store takes a column of the tile, as in transpose_padded_kernel.",
    "After the barrier, thread (x, y) has the element shared[x][y], which is in[top + x][left + y]. By the header its place "
    "is out[left + y][rows - 1 - (top + x)]. Its bounds check is about left + y and top + x.",
    "Passes: with __shared__ float shared[side][side], a column of the tile lies in one bank. What did padded change?",
]
FAILS = "each store of a warp touches 32 sectors"
WRONG = {
    "no_padding": ("each load of a warp takes 32 passes of shared memory", {"rotate.cu": [("side + 1", "side")]}),
    "bounds_of_the_load": (
        "out of bounds",
        {"rotate.cu": [("left + y < columns && top + x < rows", "top + y < rows && left + x < columns")]},
    ),
    "mirrored_in_the_tile": (
        "which no thread of its block has written",
        {"rotate.cu": [("shared[y]", "shared[side - 1 - y]"), ("rows - 1 - (top + x)", "top + x")]},
    ),
    "no_barrier": ("data race", {"rotate.cu": [("    __syncthreads();\n", "")]}),
}


def run(mine):
    launch = launchers(mine / "rotate.cu").launch_rotate

    def rotate(image):
        out = torch.empty(image.shape[1], image.shape[0], device=device)
        launch(out, image, *image.shape)
        return out

    def inputs(n):
        return (torch.arange(n, device=device)[:, None] * 100.0 + torch.arange(5, device=device),)

    def reference(image):
        return image.T.flip(1).contiguous()

    check(rotate, reference, inputs, (0, 1, 2, 3, 31, 32, 33, 70), name="5 columns, rows")
    check(rotate, reference, lambda n: (torch.rand(n, 50, device=device),), (40,), name="50 columns, rows")
    limits(lambda: rotate(torch.rand(32, 64, device=device)), sectors_per_request=4, wavefronts_per_request=1)
