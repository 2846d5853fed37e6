"""judge: a test that tells right gradients from wrong ones

Six classes compute silu(x). Two have right gradients. Your function has to say which ones.
"""

import torch

from common.exercises import Wrong, module

MINUTES = 20
HINTS = [
    "torch.autograd.gradcheck(f, (x,)) raises an error if a gradient is wrong, and returns False instead with "
    "raise_exception=False. In which dtype, and with which values of x, does it find most?",
    "gradcheck looks at first derivatives alone. torch.autograd.gradgradcheck is called in the same way, and looks at "
    "second ones.",
    "What no gradcheck does: change the input between forward and backward. `with torch.no_grad(): x.mul_(2)`, then "
    "backward() has to raise a RuntimeError.",
]
FAILS = "Constant: is_right() says True"
WRONG = {
    "float32": (
        "Right: is_right() says False",
        {"judge.py": [("dtype=torch.float64, requires_grad", "requires_grad")]},
    ),
    "positive": ("Mirrored: is_right() says True", {"judge.py": [("-3.0, -1.0, -0.1, 0.1", "0.1, 0.5")]}),
    "first_only": (
        "NoGraph: is_right() says True",
        {"judge.py": [("    if not gradgradcheck(silu, (x,), raise_exception=False):\n        return False\n", "")]},
    ),
    "no_change": (
        "OnCtx: is_right() says True",
        {
            "judge.py": [
                (
                    "if not gradgradcheck(silu, (x,), raise_exception=False):\n"
                    "        return False\n"
                    "    out = silu(x)\n"
                    "    with torch.no_grad():\n"
                    "        x.mul_(2)\n"
                    "    try:\n"
                    "        out.sum().backward()\n"
                    "    except RuntimeError:\n"
                    "        return True\n"
                    "    return False",
                    "return gradgradcheck(silu, (x,), raise_exception=False)",
                )
            ]
        },
    ),
}


class Right(torch.autograd.Function):
    """Right: the lesson's formula."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * torch.sigmoid(x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        s = torch.sigmoid(x)
        return grad * s * (1 + x * (1 - s))


class Constant(Right):
    """Its backward treats sigmoid(x) as a constant."""

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * torch.sigmoid(x)


class Mirrored(Right):
    """Its backward takes |x| for x, so it is wrong where x is negative."""

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        x = x.abs()
        s = torch.sigmoid(x)
        return grad * s * (1 + x * (1 - s))


class NoGraph(Right):
    """Its backward runs under no_grad(), so its second derivative lacks a term."""

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        with torch.no_grad():
            s = torch.sigmoid(x)
            slope = s * (1 + x * (1 - s))
        return grad * slope


class OnCtx(Right):
    """It keeps x as ctx.x, so autograd does not notice that x changes before backward."""

    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        return x * torch.sigmoid(x)

    @staticmethod
    def backward(ctx, grad):
        s = torch.sigmoid(ctx.x)
        return grad * s * (1 + ctx.x * (1 - s))


class AlsoRight(Right):
    """Right: it computes the derivative by another formula."""

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        s = torch.sigmoid(x)
        return grad * (s + x * s * (1 - s))


def run(mine):
    is_right = module(mine / "judge.py").is_right
    for candidate in Constant, Mirrored, Right, AlsoRight, NoGraph, OnCtx:
        expected = candidate in (Right, AlsoRight)
        for seed in range(3):
            torch.manual_seed(seed)
            try:
                said = is_right(candidate.apply)
            except Exception as error:
                raise Wrong(
                    f"{candidate.__name__}: is_right() raises {type(error).__name__}, expected {expected}\n"
                    f"{str(error).strip().partition(chr(10))[0]}"
                ) from None
            if said is not expected:
                raise Wrong(
                    f"{candidate.__name__}: is_right() says {said}, expected {expected}\n"
                    f"What {candidate.__name__} is like: {candidate.__doc__}"
                )
    print("right   two right classes, four wrong ones")
