"""passes: find out why ldmatrix takes so long

turn.cu transposes a matrix, and its result is right. But each ldmatrix takes 32 passes of shared memory, where 4 are enough.
Find the reason, and change the file so that nothing takes more passes than it must.
"""

import torch

from grader.checks import Wrong, check, device, launchers, limits, seen, work_is_divided

MINUTES = 15
FAILS = "passes of shared memory"
CAPABILITY = "8.0"


def run(mine):
    launch = launchers(mine / "turn.cu").launch_turn

    def turn(x):
        out = torch.empty(x.shape[1], x.shape[0], dtype=x.dtype, device=device)
        launch(out, x, *x.shape)
        return out

    def inputs(rows):
        return (torch.randint(0, 999, (rows, 128), device=device).half(),)

    def fractions(columns):
        return (torch.randn(128, columns, device=device).half(),)

    check(turn, lambda x: x.T.contiguous(), inputs, (0, 64, 128), name="rows of 128, rows")
    (x,) = inputs(64)
    limits(lambda: turn(x), wavefronts_per_request=4)
    check(turn, lambda x: x.T.contiguous(), fractions, (64, 192), name="128 rows of fractions, columns")
    pairs = x.numel() // 2  # they are loaded from device memory once, and stored once
    work_is_divided(lambda: turn(x), pairs, "load", warps=8)
    work_is_divided(lambda: turn(x), pairs, warps=8)
    rows = [row for row in seen(lambda: turn(x)) if row.space == "shared"]
    passes, enough = sum(row.wavefronts for row in rows), 2 * x.nbytes // 128  # a pass stores or loads 128 bytes
    if passes > enough:
        raise Wrong(f"all stores and loads take {passes} passes of shared memory, where {enough} are enough")
