"""The rows of this chapter's operators. tests/chapters/opinfo.py says what a row is, and finds them."""

from math import inf, nan

import numpy
import torch

from tests.chapters.opinfo import AT_ONCE, FLOATS, Operator, Scalar


def softmax(x, step="auto"):
    return torch.softmax(x.double(), -1).to(x.dtype)


def softmax_backward(grad, y, step="auto"):
    g, v = grad.double(), y.double()
    return (v * (g - (g * v).sum(-1, keepdim=True))).to(y.dtype)


def rms_norm(x, weight, eps, step="auto"):
    v = x.double()
    return (v * torch.rsqrt(v.square().mean(-1, keepdim=True) + eps) * weight.double()).to(x.dtype)


def rms_norm_backward(grad, x, weight, eps, step="auto"):
    g, v = grad.double(), x.double()
    scale, part = torch.rsqrt(v.square().mean(-1, keepdim=True) + eps), g * weight.double()
    of_x = scale * (part - v * scale.square() * (part * v).mean(-1, keepdim=True))
    of_weight = g * v * scale
    return of_x.to(x.dtype), (of_weight.flatten(end_dim=-2).sum(0) if x.dim() > 1 else of_weight).to(x.dtype)


GROUP = Scalar(
    "str", "auto", ("online", "warp"), ("", "Warp", "warps", "shared"), "auto, online, warp, block or cluster"
)
SOFTMAX_STEP = Scalar("str", "auto", ("online", "warp", "three_passes", "shared"), ("", "Warp", "warps"),
                      "auto, three_passes, shared, online, warp, block or cluster")  # fmt: skip
EPS = Scalar("float", 1e-6, (0, 1, 0.5, 1e-42, numpy.float32(0.5), torch.tensor(0.5)), (-1, nan, inf, 1e39),
             "0 or more, and finite as float32")  # fmt: skip
ROWS = FLOATS | {"shape": lambda n: (n, 5), "ranks": range(1, 65), "differentiable": True,
                 "at_once": [((2, n), {}) for n in AT_ONCE]}  # fmt: skip
X_WEIGHT = ROWS | {"shapes": {"weight": lambda shape: tuple(shape[-1:])}, "scalars": {"eps": EPS, "step": GROUP}}

OPERATORS = [
    Operator("softmax", ("x",), softmax, **ROWS | {"at_once": [((2, n), {"step": "shared"}) for n in AT_ONCE]},
             scalars={"step": SOFTMAX_STEP}, tolerance=1e-6),
    Operator("softmax_backward", ("grad", "y"), softmax_backward, **ROWS, scalars={"step": GROUP},
             tolerance=2e-6),
    Operator("rms_norm", ("x", "weight"), rms_norm, **X_WEIGHT, tolerance=1e-6),
    Operator("rms_norm_backward", ("grad", "x", "weight"), rms_norm_backward, **X_WEIGHT,
             tolerance=1e-4),  # the gradient of weight is a sum of many
]  # fmt: skip
