"""mistakes: find three mistakes in a registered gradient

add_rms_norm here consists of torch's operations, and its results are right. Its gradient, in gradient.py, has three
mistakes. A test that uses y alone, in float32, with as many rows as columns, finds none of them.
"""

import torch

from grader.checks import Wrong, device, module, saves

MINUTES = 25
MEMORY_CHECK = False
FAILS = "the gradient of x"
EPS = 1e-6


def formula(x, residual, weight):
    sum = x + residual
    return sum * torch.rsqrt(sum.square().mean(-1, keepdim=True) + EPS) * weight, sum


def run(mine):
    module(mine / "gradient.py")
    op = torch.ops.exercise14.add_rms_norm
    torch.manual_seed(0)
    for rows, n in (4, 4), (2, 5), (7, 3):
        for used in "y", "sum", "y and sum":
            compare(op, rows, n, used)
    for dtype, rows in (torch.bfloat16, 20_000), (torch.float16, 3_000):
        half(op, dtype, rows)
        half_of_x(op, dtype)
    close("saved", *changed(op))
    x, weight = torch.randn(2, 4, device=device), torch.randn(4, device=device, requires_grad=True)
    y, sum = op(x, x, weight)
    saves(y, sum, "sum")
    saves(op(x, x, weight)[0], weight, "weight")


def compare(op, rows, n, used):
    leaves = [torch.randn(*shape, dtype=torch.float64, device=device, requires_grad=True)
              for shape in ((rows, n), (rows, n), (n,))]  # fmt: skip
    results, kept = op(*leaves), []
    for t, name in zip(results, ("y", "sum"), strict=True):
        kept.append((t, t.detach().clone()))
        if name in used:
            t.register_hook(lambda grad: kept.append((grad, grad.clone())))
    found, expected = (
        torch.autograd.grad(loss(of, used), leaves, allow_unused=True, materialize_grads=True)
        for of in (results, formula(*leaves))
    )
    if not all(torch.equal(now, before) for now, before in kept):
        raise Wrong(f"{rows} rows of {n}: backward() changes its grad, its grad_sum, or the sum that the caller has")
    for name, mine, right in zip(("x", "residual", "weight"), found, expected, strict=True):
        close(f"{rows} rows of {n}, {used} used further: the gradient of {name}", mine, right)
    print(f"{'right':8}{rows} rows of {n}, {used} used further")


def loss(results, used):
    y, sum = results
    return (y.sin().sum() if "y" in used else 0) + (sum.cos().sum() if "sum" in used else 0)


def close(what, found, expected):
    if found.shape != expected.shape:
        raise Wrong(f"{what} has the shape {list(found.shape)}, expected {list(expected.shape)}")
    if not torch.allclose(found, expected, rtol=1e-10, atol=1e-12):
        far = (found - expected).abs().max()
        raise Wrong(f"{what} is wrong: the largest difference is {far:.3g}, and the gradient's largest element "
                    f"{expected.abs().max():.3g}")  # fmt: skip


def half(op, dtype, rows):
    """Many rows with the same sign: a sum in half precision stops growing. The square of 300 is infinite in float16."""
    x = torch.full((rows, 2), 300, dtype=dtype, device=device)
    weight = torch.ones(2, dtype=dtype, device=device, requires_grad=True)
    y, _ = op(x, torch.zeros_like(x), weight)
    (found,) = torch.autograd.grad(y, weight, torch.ones_like(y))
    if found.dtype != dtype:
        raise Wrong(f"the gradient of a weight in {str(dtype)[6:]} is in {str(found.dtype)[6:]}")
    if abs(float(found[0]) / rows - 1) > 0.01:
        raise Wrong(f"{str(dtype)[6:]}, {rows} rows of 300: weight's gradient is {float(found[0]):g}, expected about {rows}: "
                    "in what dtype is it added up, and in what are squares?")  # fmt: skip
    print(f"{'right':8}{str(dtype)[6:]}, {rows} rows")


def half_of_x(op, dtype):
    """The gradient of x, which also needs squares that are infinite in float16."""
    x, weight = 300 * torch.randn(4, 6, device=device), torch.randn(6, device=device)
    given = [t.to(dtype).requires_grad_() for t in (x, torch.zeros_like(x), weight)]
    wide = [t.detach().double().requires_grad_() for t in given]
    (found,), (expected,) = (torch.autograd.grad(loss(f(*t), "y"), t[:1]) for f, t in ((op, given), (formula, wide)))
    far, most = (found - expected).abs().max(), expected.abs().max()
    if not far < 0.03 * most:  # also not where it is NaN
        raise Wrong(f"{str(dtype)[6:]}, numbers around 300: the gradient of x is wrong: the largest difference is {far:.3g}, "
                    f"and the gradient's largest element {most:.3g}: in what dtype are squares?")  # fmt: skip


def changed(op):
    """The same gradient, also after x was overwritten: only sum is needed."""
    x, residual = (torch.randn(2, 4, dtype=torch.float64, device=device) for _ in range(2))
    weight = torch.randn(4, dtype=torch.float64, device=device, requires_grad=True)
    (expected,) = torch.autograd.grad(formula(x, residual, weight)[0].sum(), weight)
    y, _ = op(x, residual, weight)
    x.zero_()
    try:
        (found,) = torch.autograd.grad(y.sum(), weight)
    except RuntimeError as error:
        raise Wrong(
            f"x was overwritten after the call, and backward needs it: which tensor is enough?\n{error}"
        ) from None
    return found, expected
