"""The rows of this chapter's operators. tests/chapters/opinfo.py says what a row is, and finds them."""

import functools

import torch

from tests.chapters.opinfo import AB, Operator, Scalar, add, any_float, any_float_rounded
from tests.support import chapter


def swiglu(a, b):  # in double precision: torch would round twice
    return (torch.nn.functional.silu(a.double()) * b.double()).to(a.dtype)


def swiglu_and_gate(a, b):
    return swiglu(a, b), torch.sigmoid(a)


def python_function(module, name="SwiGLU"):
    return functools.partial(getattr(chapter("07_autograd", "function"), name).apply, module)


def swiglu_backward(grad, a, b, output_mask):
    g, x, y = grad.double(), a.double(), b.double()
    return torch.ops.aten.silu_backward(g * y, x).to(a.dtype), (g * torch.nn.functional.silu(x)).to(a.dtype)


MASK = Scalar("mask", (True, True), ([True, True],), (), "two bools")

OPERATORS = [
    Operator("add_forward", AB, add, **any_float),
    Operator("add", AB, add, **any_float, differentiable=True),
    Operator("swiglu_forward", AB, swiglu, **any_float_rounded),
    Operator("swiglu_backward", ("grad", *AB), swiglu_backward, **any_float_rounded,
             scalars={"output_mask": MASK}),
    Operator("swiglu", AB, swiglu, **any_float_rounded, differentiable=True),
    Operator("SwiGLU.apply", AB, swiglu, **any_float_rounded, differentiable=True, of=python_function),
    Operator("SwiGLUWithGate.apply", AB, swiglu_and_gate, **any_float_rounded, differentiable=True,
             of=functools.partial(python_function, name="SwiGLUWithGate")),
]  # fmt: skip

SMALL = {"SIZES": [16], "STEPS": 10}  # what test_bench.py sets in main.py
