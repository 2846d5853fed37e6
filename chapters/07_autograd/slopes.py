"""Is a gradient right? What three operators return for the gradient of a, beside the slope of their result.

Started by `python chapters/07_autograd/main.py --gradcheck`.
"""

import torch
from function import SwiGLU
from training import WrongGradient

from common import device


def by_differences(op, a, b, step=1e-6):
    """How much op(a, b) changes when a does: its slope, with no gradient that somebody has written."""
    return (op(a + step, b) - op(a - step, b)) / (2 * step)


def returned(op, a, b):
    """What autograd returns as the gradient of a."""
    a = a.clone().requires_grad_()
    return torch.autograd.grad(op(a, b).sum(), a)[0]


def main(module) -> dict[str, bool]:
    """Prints a table; returns what torch's gradcheck says of each operator."""
    a = torch.arange(-3, 4, dtype=torch.float64, device=device)  # float32 is too rough for differences
    b = torch.ones_like(a)
    operators = {
        "that model": lambda a, b: WrongGradient.apply(module, a, b),
        "SwiGLU, Python": lambda a, b: SwiGLU.apply(module, a, b),
        "swiglu, C++": module.swiglu,
    }
    rows = {"a": a, "slope of the result": by_differences(module.swiglu_forward, a, b)}
    rows |= {name: returned(op, a, b) for name, op in operators.items()}
    for name, row in rows.items():
        print(f"{'slopes' if name == 'a' else '':8}{name:<22}" + "".join(f"{x:>8.3f}" for x in row.tolist()))
    leaves = a.clone().requires_grad_(), b.clone().requires_grad_()
    right = {name: torch.autograd.gradcheck(op, leaves, raise_exception=False) for name, op in operators.items()}
    print(f"{'torch':8}gradcheck: " + " · ".join(f"{name}: {'right' if ok else 'wrong'}" for name, ok in right.items()))
    return right
