"""The rows of this chapter's operators. tests/chapters/opinfo.py says what a row is, and finds them."""

import torch

from tests.chapters.opinfo import AT_ONCE, FLOATS, Operator, Scalar


def softmax(x, step="auto"):
    return torch.softmax(x.double(), -1).to(x.dtype)


def softmax_backward(grad, y, step="auto"):
    g, v = grad.double(), y.double()
    return (v * (g - (g * v).sum(-1, keepdim=True))).to(y.dtype)


# A cluster does not take float64: test_cluster.py has the other steps.
STEP = Scalar("str", "auto", ("fallback",), ("", "Barrier", "warp"), "auto, barrier, mbarrier, pipeline or fallback")
ROWS = FLOATS | {"dtypes": (*FLOATS["dtypes"], torch.float64), "shape": lambda n: (n, 5), "ranks": range(1, 65),
                 "differentiable": True, "scalars": {"step": STEP},
                 "at_once": [((2, n), {"step": "pipeline"}) for n in AT_ONCE]}  # fmt: skip

OPERATORS = [
    Operator("softmax", ("x",), softmax, **ROWS, tolerance=1e-6),
    Operator("softmax_backward", ("grad", "y"), softmax_backward, **ROWS, tolerance=2e-6),
]
