"""strip: find two mistakes around a barrier

In strip.cu, a block transposes one tile after another. The kernel has one mistake at the edges of the matrix, and one
between two tiles. The check says which.
"""

import torch

from grader.checks import check, device, last_element, launchers, limits, many, same_bits, work_is_divided

MINUTES = 15
FAILS = "barrier left out"


def run(mine):
    launch = launchers(mine / "strip.cu").launch_strip

    def transpose(x):
        out = torch.empty(x.shape[1], x.shape[0], device=device)
        launch(out, x, *x.shape)
        return out

    def inputs(n):
        return (torch.arange(n, device=device)[:, None] * 100.5 + torch.arange(7, device=device),)

    def reference(x):
        return x.T.contiguous()

    check(transpose, reference, inputs, (0, 1, 2, 7, 32, 65, 300), name="7 columns, rows")
    square = torch.rand(70, 70, device=device)
    check(transpose, reference, lambda n: (square[:n, :n].contiguous(),), (32, 33, 70), name="square, rows")
    check(
        transpose, reference, lambda n: (torch.rand(7, n, device=device),), (33, 70), name="7 rows, columns", any_n=True
    )
    same_bits(transpose, reference, torch.rand(40, 7, device=device))
    x = torch.rand(64, 96, device=device)
    work_is_divided(lambda: transpose(x), x.numel())
    limits(lambda: transpose(x), sectors_per_request=4, wavefronts_per_request=1)
    rows, columns = 7, 2**32 + 5
    out, x = many(rows * columns), many(rows * columns)
    if x is not None:
        x[:1000], x[-1] = 5, 3  # an index of 32 bits leads to the first of these
        last_element(launch, out, x, rows, columns, expected=3, where=f"{rows} rows, {columns} columns")
