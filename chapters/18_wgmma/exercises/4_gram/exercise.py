"""gram: multiply a matrix's transpose by the matrix, by TMA and wgmma

Write the loop of a kernel that computes x.T @ x: each column of x by every column. In memory, the neighbours of a number
are numbers of other columns: both operands are stored across k.
"""

import torch

from grader.checks import Wrong, by_tensor_cores, check, device, launchers, seen, without_comments, work_is_divided

MINUTES = 40
FAILS = "wrong result"
CAPABILITY = "9.0a"


def run(mine):
    launch = launchers(mine / "gram.cu").launch_gram

    def gram(x):
        out = torch.empty(x.shape[1], x.shape[1], device=device)
        launch(out, x, *x.shape)
        return out

    def reference(x):
        return x.float().mT @ x.float()

    def inputs(rows, columns=128):
        return (torch.randint(-3, 4, (rows, columns), device=device).bfloat16(),)

    def fractions(rows):
        return (torch.randn(rows, 64, device=device).bfloat16(),)

    check(gram, reference, inputs, (1, 64, 65, 200), name="128 columns, rows")
    check(gram, reference, lambda n: inputs(70, 64 * n), (1, 2), name="70 rows, columns / 64")
    check(gram, reference, fractions, (65,), rtol=1e-5, atol=1e-3, name="fractions, 64 columns, rows")
    (x,) = inputs(64, 64)
    work_is_divided(lambda: gram(x), 64 * 64, warps=4)
    for row in seen(lambda: gram(x)):
        if (row.space, row.kind) == ("global", "load"):
            raise Wrong(f"{row.file}:{row.line}: threads load from device memory: TMA must copy what is multiplied")
    text = without_comments(mine / "gram.cu")
    for name in "tma_load", "wgmma_descriptor":
        if name not in text and "load_box" not in text:
            raise Wrong(f"no {name}(): the tensor cores must read what TMA has copied")
    by_tensor_cores(lambda: gram(x))
