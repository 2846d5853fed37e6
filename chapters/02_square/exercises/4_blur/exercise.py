"""blur: find two mistakes at the edges

The kernel averages neighbours in a row. Its conditions ask for the index, where row and column count.
"""

import torch

from grader.checks import Wrong, check, device, launchers

MINUTES = 20
FAILS = "wrong result"


def run(mine):
    launch = launchers(mine / "blur.cu").launch_blur

    def blur(matrix):
        result = torch.empty_like(matrix)
        launch(result, matrix, *matrix.shape)
        return result

    def reference(matrix):
        left = torch.cat([matrix[:, :1], matrix[:, :-1]], dim=1)
        right = torch.cat([matrix[:, 1:], matrix[:, -1:]], dim=1)
        return (left + matrix + right) / 3

    def inputs(n):
        return (3 * torch.randint(-9, 9, (n, n + 1), device=device).float(),)

    try:
        check(blur, reference, inputs, (0, 1, 2, 5, 15, 16, 17, 40), name="rows")
    except Wrong as error:
        race, lacks_a_barrier, _ = str(error).partition("; no __syncwarp()")
        if not lacks_a_barrier:
            raise
        raise Wrong(f"{race}: two threads write the same element; which rows and columns are theirs?") from None
