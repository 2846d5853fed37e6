"""The rows of this chapter's operators. tests/chapters/opinfo.py says what a row is, and finds them."""

from math import inf, nan

import numpy
import torch

from tests.chapters.opinfo import AT_ONCE, FLOATS, Operator, Scalar


def rms_norm(x, weight, eps):
    v = x.double()
    return (v * torch.rsqrt(v.square().mean(-1, keepdim=True) + eps) * weight.double()).to(x.dtype)


def add_rms_norm(x, residual, weight, eps):
    sum = x + residual
    return rms_norm(sum, weight, eps), sum


def both_gradients(grad, x, weight, eps):
    g, v = grad.double(), x.double()
    scale, part = torch.rsqrt(v.square().mean(-1, keepdim=True) + eps), g * weight.double()
    of_x = scale * (part - v * scale.square() * (part * v).mean(-1, keepdim=True))
    of_weight = g * v * scale
    return of_x, (of_weight.flatten(end_dim=-2).sum(0) if x.dim() > 1 else of_weight).to(x.dtype)


def rms_norm_backward(grad, x, weight, eps):
    of_x, of_weight = both_gradients(grad, x, weight, eps)
    return of_x.to(x.dtype), of_weight


def add_rms_norm_backward(grad, grad_sum, sum, weight, eps):
    of_x, of_weight = both_gradients(grad, sum, weight, eps)
    return (of_x + grad_sum.double()).to(sum.dtype), of_weight


EPS = Scalar("float", 1e-6, (0, 1, 0.5, 1e-42, numpy.float32(0.5), torch.tensor(0.5)), (-1, nan, inf, 1e39),
             "0 or more, and finite as float32")  # fmt: skip
DTYPES = FLOATS | {"dtypes": (torch.float32, torch.float64, torch.float16, torch.bfloat16)}
ROWS = DTYPES | {"shape": lambda n: (n, 5), "ranks": range(1, 65), "differentiable": True,
                 "shapes": {"weight": lambda shape: tuple(shape[-1:])}, "scalars": {"eps": EPS},
                 "at_once": [((2, n), {}) for n in AT_ONCE]}  # fmt: skip

OPERATORS = [
    Operator("rms_norm", ("x", "weight"), rms_norm, **ROWS, tolerance=1e-6),
    Operator("add_rms_norm", ("x", "residual", "weight"), add_rms_norm, **ROWS, tolerance=1e-6),
    Operator("rms_norm_backward", ("grad", "x", "weight"), rms_norm_backward, **ROWS,
             tolerance=1e-4),  # the gradient of weight is a sum of many
    Operator("add_rms_norm_backward", ("grad", "grad_sum", "sum", "weight"), add_rms_norm_backward, **ROWS, tolerance=1e-4),
]  # fmt: skip
