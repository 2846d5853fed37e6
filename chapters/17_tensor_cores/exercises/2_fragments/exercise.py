"""fragments: load what each lane of a warp needs

Complete the kernel of out = a @ b.T: load each lane's fragments of a and of b, and store its results. The instruction that
multiplies them is given.
"""

import torch

from grader.checks import Wrong, by_tensor_cores, check, device, launchers, without_comments, work_is_divided

MINUTES = 20
FAILS = "never written"
CAPABILITY = "8.0"


def run(mine):
    launch = launchers(mine / "product.cu").launch_product

    def product(a, b):
        out = torch.empty(len(a), len(b), device=device)
        launch(out, a, b, len(a), len(b), a.shape[1])
        return out

    def inputs(m, n=8, k=16):
        return tuple(torch.randint(-9, 10, (rows, k), device=device).half() for rows in (m, n))

    def fractions(k):
        return torch.randn(16, k, device=device).half(), torch.randn(8, k, device=device).half()

    def with_nan(k):
        a, b = inputs(16, 8, k)
        a[9, k - 1], b[3, 0] = torch.nan, torch.nan
        return a, b

    def reference(a, b):
        return a.float() @ b.float().T

    check(product, reference, inputs, (0, 16), name="m x 16 by 16 x 8, m")
    check(product, reference, lambda k: inputs(16, 8, k), (32, 80), name="16 x k by k x 8, k")
    check(product, reference, lambda m: inputs(m, m + 8, 48), (32, 64), name="m x 48 by 48 x (m + 8), m")
    check(product, reference, fractions, (16, 48), rtol=1e-5, atol=1e-4, name="fractions, 16 x k by k x 8, k")
    check(product, reference, with_nan, (16, 48), name="a NaN in a, and one in b, 16 x k by k x 8, k")
    a, b = inputs(32, 16, 32)
    work_is_divided(lambda: product(a, b), 32 * 16, warps=4)
    by_tensor_cores(lambda: product(a, b))
    if without_comments(mine / "product.cu").count("multiply<__half>(sums, x, y[0], y[1]);") != 1:
        raise Wrong("the tensor cores have nothing to do: multiply<__half>(sums, x, y[0], y[1]) is given")
