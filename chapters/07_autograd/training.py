"""A small model learns to separate two spirals, one wound into the other.

Started by `python chapters/07_autograd/main.py --train`, or `--guess` for one of the models. Four models have the same
initial weights and differ in SwiGLU: in C++, in Python, in torch's operations, and with a wrong gradient. A fifth is a linear
layer, which can only draw a straight line.
"""

import copy
import math
import time

import torch
from function import SwiGLU

from common import device


class WrongGradient(SwiGLU):
    """The gradient of a is wrong: it treats sigmoid(a) as a constant."""

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        s = torch.sigmoid(a)
        return None, grad * b * s, grad * a * s


def two_spirals(points=512, seed=0, dtype=torch.float32):
    """(x, y): points in the plane, shape [points, 2], and 0 or 1 for each, shape [points]. The same on every machine."""
    generator = torch.Generator().manual_seed(seed)
    y = torch.arange(points) % 2
    radius = torch.rand(points, generator=generator, dtype=torch.float64).sqrt()
    angle = 4 * math.pi * radius + math.pi * y  # two turns; the second spiral begins opposite to the first
    x = torch.stack([radius * angle.cos(), radius * angle.sin()], dim=1)
    x += 0.02 * torch.randn(x.shape, generator=generator, dtype=torch.float64)
    return x.to(device, dtype), y.to(device)


class Block(torch.nn.Module):
    """x + down(swiglu(gate(x), up(x))): the feed-forward block of a language model, small."""

    def __init__(self, width, swiglu):
        super().__init__()
        self.gate, self.up = torch.nn.Linear(width, 2 * width), torch.nn.Linear(width, 2 * width)
        self.down = torch.nn.Linear(2 * width, width)
        self.swiglu = swiglu

    def forward(self, x):
        return x + self.down(self.swiglu(self.gate(x), self.up(x)))


def models(module, dtype, width=32):
    """name -> model from [points, 2] to [points, 2]. All but the linear one have the same weights."""
    swiglus = {
        "C++": module.swiglu,
        "Python": lambda a, b: SwiGLU.apply(module, a, b),
        "torch": lambda a, b: torch.nn.functional.silu(a) * b,
        "wrong": lambda a, b: WrongGradient.apply(module, a, b),
    }
    torch.manual_seed(0)
    layers = [torch.nn.Linear(2, width), *(Block(width, None) for _ in range(2)), torch.nn.Linear(width, 2)]
    first = torch.nn.Sequential(*layers)
    made = {}
    for name, swiglu in swiglus.items():
        made[name] = copy.deepcopy(first)
        for block in made[name][1:-1]:
            block.swiglu = swiglu
    made["linear"] = torch.nn.Linear(2, 2)
    return {name: model.to(device, dtype) for name, model in made.items()}


def train(module, dtype=torch.float32, steps=300, rows=10, learners=None):
    """Trains each model on all points at once; prints a row every steps / rows steps. learners: as models() gives them.

    Returns the loss curves, name -> the mean cross entropy in nats before each step (a guess has ln 2), and the seconds a
    step, name -> those of the fastest row.
    """
    x, y = two_spirals(dtype=dtype)
    learners = learners or models(module, dtype)
    optimizers = {name: torch.optim.Adam(model.parameters(), lr=1e-3) for name, model in learners.items()}
    curves = {name: [] for name in learners}  # of tensors: to read a number, the host would wait for the GPU
    seconds = dict.fromkeys(learners, math.inf)

    print(f"{'train':8}{'loss after':<21}" + "".join(f"{name:>10}" for name in learners))
    for row in range(rows):
        for name, model in learners.items():
            start = time.perf_counter()
            for _ in range(steps // rows):
                loss = torch.nn.functional.cross_entropy(model(x), y)
                optimizers[name].zero_grad()
                loss.backward()
                optimizers[name].step()
                curves[name].append(loss.detach())
            curves[name][-1].item()  # waits for the GPU
            seconds[name] = min(seconds[name], (time.perf_counter() - start) / (steps // rows))
        losses = "".join(f"{curve[-1].item():>10.4f}" for curve in curves.values())
        print(f"{'':8}{(row + 1) * (steps // rows):>4} steps{'':<11}{losses}", flush=True)
    print(f"{'':8}{'right':<21}" + "".join(f"{_right(model, x, y):>10.1%}" for model in learners.values()))
    print(f"{'':8}{'a step, at best':<21}" + "".join(f"{1e3 * s:>7.2f} ms" for s in seconds.values()))

    curves = {name: torch.stack(curve).tolist() for name, curve in curves.items()}
    for name, curve in differences(curves).items() if "torch" in curves else ():
        print(f"{'':8}{name} and torch differ by at most {max(curve):.1e}, in all {steps} steps")
    return curves, seconds


def train_one(module):
    """The puzzle: a model learns. Its name would tell whether its gradient is right."""
    return train(module, rows=5, learners={"a model": models(module, torch.float32)["wrong"]})


def differences(curves) -> dict[str, list[float]]:
    """name -> |loss - loss of the model with torch's operations| before each step, for the models of the same weights."""
    return {
        name: [abs(loss - reference) for loss, reference in zip(curves[name], curves["torch"], strict=True)]
        for name in ("C++", "Python", "wrong")
    }


def measure(module, steps) -> dict:
    """For `make bench07`: the losses and the seconds a step in float32, the differences in both types."""
    losses, seconds = train(module, steps=steps)
    in_double, _ = train(module, torch.float64, steps)
    far = {"float32": differences(losses), "float64": differences(in_double)}
    return {"steps": steps, "losses": losses, "seconds": seconds, "differences": far}


def _right(model, x, y) -> float:
    """The fraction of points that the model tells apart."""
    with torch.no_grad():
        return (model(x).argmax(dim=1) == y).double().mean().item()
