"""blur: find two mistakes at the edges

The kernel averages each element with its neighbours in the row. At the edges it takes wrong neighbours, because its
conditions test the index instead of the row and the column. The check draws which elements are wrong; fix both conditions.
"""

import torch

from grader.checks import Wrong, check, device, last_element, launchers, many, work_is_divided

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
        return (3 * torch.randint(-999, 999, (n, n + 1), device=device) / 4,)

    try:
        check(blur, reference, inputs, (0, 1, 2, 5, 15, 16, 17, 40), name="rows", any_n=True)
    except Wrong as error:
        race, lacks_a_barrier, _ = str(error).partition("; no __sync")
        if not lacks_a_barrier:
            raise
        raise Wrong(f"{race}: two threads write the same element; which rows and columns are theirs?") from None
    work_is_divided(lambda: blur(*inputs(40)), 40 * 41)
    height, width = 2**17 + 3, 2**15 + 9
    result, matrix = many(height * width), many(height * width)
    if matrix is not None:
        matrix[: 2**21], matrix[-2:] = 5, 3  # an index of 32 bits leads to the first of these
        where = f"{height} rows, {width} columns"
        last_element(launch, result, matrix, height, width, expected=3, where=where, may_loop=False)
