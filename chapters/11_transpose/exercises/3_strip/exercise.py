"""strip: find two mistakes around a barrier

A block moves one tile after another. The kernel has one mistake at the edges of the matrix, and one between two tiles.
"""

import torch

from common.exercises import check, device, launchers

MINUTES = 15
HINTS = [
    "At an edge, which thread stores the element that is not written? Does it have an element to load?",
    "Every thread of the block has to come to every barrier: put the bounds check around the load alone.",
    "A fast thread goes on to the next tile and writes to shared memory. What keeps it from doing so before a slow "
    "thread has read this tile?",
    "A second __syncthreads() at the end of the loop's body, outside of any if.",
]
FAILS = "? is not written"
WRONG = {
    "one_barrier": (
        "data race",
        {"strip.cu": [("        __syncthreads();  // all have read this tile: the next one may overwrite it\n", "")]},
    ),
    "barrier_in_the_if": (
        "__syncthreads()",
        {
            "strip.cu": [
                (
                    "if (top + y < rows && left + x < columns) shared[y][x] = in[(top + y) * columns + "
                    "left + x];\n"
                    "        __syncthreads();",
                    "if (top + y < rows && left + x < columns) {\n"
                    "            shared[y][x] = in[(top + y) * columns + left + x];\n"
                    "            __syncthreads();\n"
                    "        }",
                )
            ]
        },
    ),
    "barrier_in_the_wrong_place": (
        "data race",
        {
            "strip.cu": [
                ("__syncthreads();\n", "__syncthreads();\n        __syncthreads();\n"),
                ("        __syncthreads();  // all have read this tile: the next one may overwrite it\n", ""),
            ]
        },
    ),
}


def run(mine):
    launch = launchers(mine / "strip.cu").launch_strip

    def transpose(x):
        out = torch.empty(x.shape[1], x.shape[0], device=device)
        launch(out, x, *x.shape)
        return out

    def inputs(n):
        return (torch.arange(n, device=device)[:, None] * 100.0 + torch.arange(7, device=device),)

    check(transpose, lambda x: x.T.contiguous(), inputs, (0, 1, 2, 7, 16, 33), name="7 columns, rows")
    square = torch.rand(50, 50, device=device)
    check(
        transpose,
        lambda x: x.T.contiguous(),
        lambda n: (square[:n, :n].contiguous(),),
        (16, 17, 50),
        name="square, rows",
    )
