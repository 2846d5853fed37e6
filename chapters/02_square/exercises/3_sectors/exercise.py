"""sectors: reach four sectors a request

The kernel is right, and each warp touches 16 sectors with one load. Four hold the 32 floats.
"""

import torch

from grader.checks import check, device, launchers, limits, shared_out

MINUTES = 15
FAILS = "each load of a warp touches 16 sectors of device memory, at most 4 allowed"


def run(mine):
    launch = launchers(mine / "negate.cu").launch_negate

    def negate(matrix):
        result = torch.empty_like(matrix)
        launch(result, matrix, *matrix.shape)
        return result

    def inputs(n):
        return (torch.arange(n * (n + 2), device=device).float().view(n, n + 2),)

    check(negate, torch.neg, inputs, (0, 1, 2, 5, 15, 16, 17, 40), name="rows")
    matrix = torch.zeros(256, 64, device=device)
    limits(lambda: negate(matrix), sectors_per_request=4)
    shared_out(lambda: negate(matrix), 256 * 64)
