"""weight_grad: multiply transposed matrices on tensor cores

Write the kernel of out = grad.T @ x: both matrices are row-major, with neighbours along m or n, and mma.sync wants neighbours
along k. Sizes may be any. The launch is given.
"""

import torch

from grader.checks import Wrong, check, device, launchers, without_comments, work_is_divided

MINUTES = 40
FAILS = "never written"
CAPABILITY = "8.0"


def run(mine):
    launch = launchers(mine / "weight_grad.cu").launch_weight_grad

    def weight_grad(grad, x):
        out = torch.empty(grad.shape[1], x.shape[1], device=device)
        launch(out, grad, x, grad.shape[1], x.shape[1], len(grad))
        return out

    def reference(grad, x):
        return grad.float().T @ x.float()

    def inputs(m, n=8, k=16):
        return tuple(torch.randint(-9, 10, (k, columns), device=device).half() for columns in (m, n))

    check(weight_grad, reference, inputs, (0, 16), name="16 rows, m and 8 columns, m")
    check(weight_grad, reference, lambda k: inputs(16, 8, k), (1, 15, 48), name="k rows, 16 and 8 columns, k")
    check(
        weight_grad, reference, lambda m: inputs(m, m + 2, 33), (1, 7, 17, 40), name="33 rows, m and m + 2 columns, m"
    )
    if "multiply<" not in without_comments(mine / "weight_grad.cu"):
        raise Wrong("the tensor cores have nothing to do: multiply<__half>() is mma.sync")
    grad, x = inputs(32, 24, 16)
    work_is_divided(lambda: weight_grad(grad, x), 32 * 24, warps=6)
