"""The rows of this chapter's operators. tests/chapters/opinfo.py says what a row is, and finds them."""

import torch

from tests.chapters.opinfo import AT_ONCE, FLOATS, Operator, Scalar, any_float


def softmax(x, step="auto"):
    return torch.softmax(x.double(), -1).to(x.dtype)


def softmax_backward(grad, y, step="auto"):
    g, v = grad.double(), y.double()
    return (v * (g - (g * v).sum(-1, keepdim=True))).to(y.dtype)


STEP = Scalar("str", "auto", ("strip", "twice", "split"), ("", "Warp", "warps", "three_passes"),
              "auto, strip, warp, block, twice or split")  # fmt: skip
SOFTMAX_STEP = Scalar("str", "auto", ("strip", "twice", "split", "three_passes"), ("", "Warp", "warps"),
                      "auto, three_passes, strip, warp, block, twice or split")  # fmt: skip
ROWS = FLOATS | any_float | {"shape": lambda n: (n, 5), "ranks": range(1, 65), "differentiable": True,
                            "at_once": [((2, n), {}) for n in AT_ONCE]}  # fmt: skip

OPERATORS = [
    Operator("softmax", ("x",), softmax, **ROWS | {"at_once": [((2, n), {"step": "split"}) for n in AT_ONCE]},
             scalars={"step": SOFTMAX_STEP}, tolerance=1e-6),
    Operator("softmax_backward", ("grad", "y"), softmax_backward, **ROWS, scalars={"step": STEP},
             tolerance=2e-6),
]  # fmt: skip
