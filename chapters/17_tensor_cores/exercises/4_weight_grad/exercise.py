"""weight_grad: multiply transposed matrices on tensor cores

Write the kernel of out = grad.T @ x: both matrices are row-major, with neighbours along m or n, and mma.sync wants neighbours
along k. Sizes may be any. The launch is given.
"""

import torch

from grader.checks import (
    Wrong,
    by_tensor_cores,
    check,
    device,
    last_element,
    launchers,
    many,
    without_comments,
    work_is_divided,
)

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

    def fractions(k):
        return torch.randn(k, 17, device=device).half(), torch.randn(k, 10, device=device).half()

    def with_infinity_and_nan(k):
        grad, x = (matrix.abs() + 1 for matrix in inputs(16, 8, k))
        grad[:, 5], x[:, 3], grad[k - 1, 12], x[0, 7] = torch.inf, torch.inf, torch.nan, torch.nan
        return grad, x

    def inputs(m, n=8, k=16):
        return tuple(torch.randint(-9, 10, (k, columns), device=device).half() for columns in (m, n))

    check(weight_grad, reference, inputs, (0, 16), name="16 rows, m and 8 columns, m")
    check(weight_grad, reference, lambda k: inputs(16, 8, k), (0, 1, 15, 48), name="k rows, 16 and 8 columns, k")
    check(
        weight_grad, reference, lambda m: inputs(m, m + 2, 33), (1, 7, 17, 40), name="33 rows, m and m + 2 columns, m"
    )
    check(weight_grad, reference, lambda n: inputs(16, n), (0, 3), name="16 rows, 16 and n columns, n")
    check(weight_grad, reference, fractions, (1, 33), rtol=1e-5, atol=1e-4, name="fractions, k rows, k")
    name = "a column of grad and one of x are infinite, and both have a NaN: k rows, k"
    check(weight_grad, reference, with_infinity_and_nan, (1, 15), name=name)
    if "multiply<" not in without_comments(mine / "weight_grad.cu"):
        raise Wrong("the tensor cores have nothing to do: multiply<__half>() is mma.sync")
    grad, x = inputs(32, 24, 16)
    work_is_divided(lambda: weight_grad(grad, x), 32 * 24, warps=6)
    by_tensor_cores(lambda: weight_grad(grad, x))
    for m, n in (2**28 + 1, 17), (17, 2**28 + 1):
        many_elements(launch, m, n, 17)


def many_elements(launch, m, n, k):
    """The last blocks alone, where out and grad or x have more than 2^32 elements."""
    grad, x = many(k * m, torch.half), many(k * n, torch.half)
    if grad is not None and x is not None:
        grad.view(k, m)[:, -1], x.view(k, n)[:, -1] = 1, 1
        last_element(launch, many(m * n), grad, x, m, n, k, expected=k, where=f"m = {m}, n = {n}, k = {k}",
                     threads=m * n // 8)  # fmt: skip
