"""judge: tell right gradients from wrong ones

Nine classes compute silu(x), and two of them have right gradients. Write the function that says which.
"""

import torch

from grader.checks import Wrong, module

MINUTES = 20
FAILS = "Constant: is_right() says True"


class Right(torch.autograd.Function):
    """It is right: the lesson's formula."""

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


class Steep(Right):
    """Its backward takes 1 for the slope where x > 1, so it is wrong for large x."""

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        s = torch.sigmoid(x)
        return grad * torch.where(x > 1, torch.ones_like(x), s * (1 + x * (1 - s)))


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
    """It is right: another formula for the same derivative."""

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        s = torch.sigmoid(x)
        return grad * (s + x * s * (1 - s))


class GradOfOne(Right):
    """Its backward takes 1 for the gradient that it gets, as of a sum."""

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        s = torch.sigmoid(x)
        return s * (1 + x * (1 - s))


class HalfAGraph(Right):
    """Its backward detaches one of two factors, so its second derivative has a graph, and lacks a term."""

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        s = torch.sigmoid(x)
        return grad * s * (1 + x * (1 - s.detach()))


def run(mine):
    is_right = module(mine / "judge.py").is_right
    for candidate in Constant, Mirrored, Steep, Right, AlsoRight, NoGraph, OnCtx, GradOfOne, HalfAGraph:
        expected = candidate in (Right, AlsoRight)
        for seed in range(3):
            torch.manual_seed(seed)
            seen = Seen(candidate.apply)
            try:
                said = f"says {answer}" if (answer := is_right(seen.silu)) is not expected else ""
                if answer and not said and not (seen.twice and seen.changed):
                    said = "says True before it has looked at all three"
            except Exception as error:
                said = f"raises {type(error).__name__} ({str(error).strip().partition(chr(10))[0]})"
            if said:
                raise Wrong(
                    f"{candidate.__name__}: is_right() {said}, expected {expected}\n"
                    f"What {candidate.__name__} is like: {candidate.__doc__}\n"
                    f"What is_right() did with it: {seen}"
                )
    print("right   two right classes, seven wrong ones")


class Seen:
    """Calls a candidate, and notes with what x, and what was asked of its backward."""

    def __init__(self, apply):
        self.apply = apply
        self.dtypes, self.least, self.greatest = set(), float("inf"), float("-inf")
        self.backward = self.twice = self.changed = self.unnoticed = False

    def silu(self, x):
        self.dtypes.add(str(x.dtype).removeprefix("torch."))
        if x.numel():
            self.least, self.greatest = min(self.least, x.min().item()), max(self.greatest, x.max().item())
        out, values, version = self.apply(x), x.detach().clone(), x._version

        def before_backward(grad):
            self.backward = True
            self.twice |= torch.is_grad_enabled()  # create_graph=True
            if x._version != version or not torch.equal(x.detach(), values):
                self.changed = True
                self.unnoticed |= x._version == version  # x.data.mul_(2), for example

        if out.requires_grad:
            out.register_hook(before_backward)
        return out

    def __str__(self):
        if not self.dtypes:
            return "it was not called"
        done = [f"x of {' and '.join(sorted(self.dtypes))}, from {self.least:.3g} to {self.greatest:.3g}"]
        done.append("backward" if self.backward else "no backward")
        done.append("second derivatives" if self.twice else "no second derivatives")
        done.append("backward after a change of x" if self.changed else "no backward after a change of x")
        if self.unnoticed:
            done.append("which x._version had not counted, so that no class could notice it")
        return ", ".join(done)
