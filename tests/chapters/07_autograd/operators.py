"""The rows of this chapter's operators. tests/chapters/opinfo.py says what a row is, and finds them."""

import functools

import torch

from tests.chapters.opinfo import AB, Operator, Scalar, add, both, both_rounded
from tests.support import chapter


def swiglu(a, b):
    return torch.nn.functional.silu(a) * b


def swiglu_and_gate(a, b):
    return swiglu(a, b), torch.sigmoid(a)


def python_function(module, name="SwiGLU"):
    return functools.partial(getattr(chapter("07_autograd", "function"), name).apply, module)


def swiglu_backward(grad, a, b, output_mask):
    return torch.ops.aten.silu_backward(grad * b, a), grad * torch.nn.functional.silu(a)


MASK = Scalar("mask", (True, True), ([True, True],), (), "two bools")

OPERATORS = [
    Operator("add_forward", AB, add, **both),
    Operator("add", AB, add, **both, differentiable=True, linear=True),
    Operator("swiglu_forward", AB, swiglu, **both_rounded),
    Operator("swiglu_backward", ("grad", *AB), swiglu_backward, **both_rounded,
             scalars={"output_mask": MASK}),
    Operator("swiglu", AB, swiglu, **both_rounded, differentiable=True),
    Operator("SwiGLU.apply", AB, swiglu, **both_rounded, differentiable=True, of=python_function),
    Operator("SwiGLUWithGate.apply", AB, swiglu_and_gate, **both_rounded, differentiable=True,
             of=functools.partial(python_function, name="SwiGLUWithGate")),
]  # fmt: skip
