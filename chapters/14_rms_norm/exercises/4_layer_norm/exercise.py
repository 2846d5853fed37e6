"""layer_norm: register a norm with a mean, and its gradient

The kernel is given, and right. Write in layer_norm.py what torch needs: the fake function, what is saved, and the gradient.
"""

import random

import torch

from grader.checks import Wrong, check, device, launchers, module, refuses, saves

MINUTES = 45
FAILS = "fake() of layer_norm.py is still to be written"
EPS = random.uniform(0.35, 0.5)  # large, so that a gradient with another one is wrong


def exact(x, weight):
    mean = x.mean(-1, keepdim=True)
    return (x - mean) * torch.rsqrt((x - mean).square().mean(-1, keepdim=True) + EPS) * weight


def run(mine):
    launch = launchers(mine / "layer_norm.cu").launch_layer_norm

    def kernel(x, weight):
        out = torch.empty_like(x)
        launch(out, x, weight, x.numel() // max(1, x.shape[-1]), x.shape[-1], EPS)
        return out

    module(mine / "layer_norm.py").register(kernel, EPS)
    op = torch.ops.exercise14.layer_norm

    def inputs(n):
        return torch.randn(5, n, device=device), torch.randn(n, device=device)

    fake(op)
    check(op, exact, inputs, (2, 3, 33, 512), rtol=1e-4, atol=1e-4, name="5 rows of n, n")
    gradients(op)
    x, weight = inputs(4)
    saves(op(x, weight.requires_grad_()), x, "x")
    saves(op(x, weight), weight, "weight")
    try:
        torch.library.opcheck(op.default, [t.requires_grad_() for t in inputs(4)])
    except Exception as error:  # OpCheckError, which torch does not export
        raise Wrong(f"torch.library.opcheck: {error}") from None
    print(f"{'right':8}opcheck")
    check(op, exact, lambda n: (inputs(n)[0], torch.zeros(n, device=device)), (4,), rtol=1e-3, atol=1e-4, gradients=True,
          name="a weight of zeros, n")  # fmt: skip


def fake(op):
    for shape in (3, 4), (2, 5, 6):
        try:
            y = op(torch.empty(shape, device="meta"), torch.empty(shape[-1], device="meta"))
        except NotImplementedError as error:
            raise Wrong(f"layer_norm of tensors without memory: {error}") from None
        if y.device.type != "meta":
            raise Wrong(f"fake() makes a result on the {y.device.type}, expected: on the device of x, here meta")
        if y.shape != shape or y.dtype != torch.float32 or y.stride() != torch.empty(shape).stride():
            raise Wrong(f"fake() says that the result of x of shape {list(shape)} is {y.dtype} of shape {list(y.shape)} with "
                        f"strides {y.stride()}; it is as x, contiguous")  # fmt: skip
    refuses(lambda: op(torch.empty(3, 4, device="meta"), torch.empty(3, device="meta")), RuntimeError, "weight",
            "fake(): a weight of 3 elements for rows of 4")  # fmt: skip
    for shape in (4, 1), (1, 4):
        refuses(lambda s=shape: op(torch.empty(3, 4, device="meta"), torch.empty(s, device="meta")), RuntimeError, "weight",
                f"fake(): a weight of shape {list(shape)} for rows of 4")  # fmt: skip
    print(f"{'right':8}fake()")


def gradients(op):
    """Compared in float32, of a loss whose gradient is no constant."""
    for shape in (4, 6), (2, 3, 5), (7, 2):
        torch.manual_seed(0)
        leaves = [
            torch.randn(shape, device=device).requires_grad_(),
            torch.randn(shape[-1], device=device).requires_grad_(),
        ]
        doubles = [t.detach().double().requires_grad_() for t in leaves]
        found, expected = [], []
        for f, args, into in (op, leaves, found), (exact, doubles, expected):
            try:
                first = torch.autograd.grad(f(*args).sin().sum(), args, create_graph=True)
                into += [*first, *torch.autograd.grad(sum(g.cos().sum() for g in first), args)]
            except RuntimeError as error:
                raise Wrong(f"x of shape {list(shape)}: {error}") from None
        names = (
            "the gradient of x",
            "the gradient of weight",
            "the second derivative, x",
            "the second derivative, weight",
        )
        for name, mine, right in zip(names, found, expected, strict=True):
            mine, right = mine.detach(), right.detach()
            if mine.shape != right.shape:
                raise Wrong(
                    f"x of shape {list(shape)}: {name} has the shape {list(mine.shape)}, expected {list(right.shape)}"
                )
            if not torch.allclose(mine.double(), right, rtol=1e-3, atol=1e-3 * float(right.abs().max())):
                raise Wrong(f"x of shape {list(shape)}: {name} is wrong: the largest difference is "
                            f"{(mine - right).abs().max():.3g}, and its largest element {right.abs().max():.3g}")  # fmt: skip
        print(f"{'right':8}first and second derivative, x of shape {list(shape)}")
