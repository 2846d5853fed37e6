"""The rows of this chapter's operators. tests/chapters/opinfo.py says what a row is, and finds them."""

import torch

from tests.chapters.opinfo import AB, Operator, Scalar, factors


def matmul(a, b, step="auto"):
    return (a.double() @ b.double()).to(a.dtype)


def linear_gelu(x, weight, bias, approximate="none", step="auto"):
    h = x.double() @ weight.double().mT + bias.double()
    return torch.nn.functional.gelu(h, approximate=approximate).to(x.dtype)


STEP = Scalar("str", "auto", ("fallback", "64x64", "64x64 k/2"), ("", "First", "64x32"),
              "auto, fallback, first, larger, ring or a tile")  # fmt: skip
APPROXIMATE = Scalar("str", "none", ("tanh",), ("", "Tanh", "erf"), "none or tanh")
ROWS = {"shape": lambda n: (n, 5), "ranks": (2, 3), "strided": True, "dtypes": (torch.float16, torch.bfloat16),
        "tolerance": 2e-3, "differentiable": True, "dispatched": True, "stable": True,
        "at_once": [((n, 65), {"step": step})
                    for n, step in ((3000, "auto"), (70, "64x64 k/2"), (500, "64x64"), (129, "auto"))]}  # fmt: skip

OPERATORS = [
    Operator("matmul", AB, matmul, shapes={"b": lambda shape: (*shape[:-2], *shape[-1:], 4)}, fits={"b": factors},
             scalars={"step": STEP}, **ROWS),
    Operator("linear_gelu", ("x", "weight", "bias"), linear_gelu, scalars={"approximate": APPROXIMATE, "step": STEP},
             shapes={"weight": lambda shape: (8, *shape[-1:]), "bias": lambda shape: (8,)}, **ROWS),
]  # fmt: skip
