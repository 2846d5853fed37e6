"""What the tests of chapter 07 share: its functions under one name each, and tensors to differentiate by."""

import pytest
import torch

from common import device
from tests.support import chapter, operators

main = chapter("07_autograd")
function = chapter("07_autograd", "function")
memory = chapter("07_autograd", "memory")
training = chapter("07_autograd", "training")
slopes = chapter("07_autograd", "slopes")


def module():
    return operators("07_autograd")


def swiglu_python(a, b):
    return function.SwiGLU.apply(module(), a, b)


def swiglu_torch(a, b):
    return torch.nn.functional.silu(a) * b


def add(a, b):
    return module().add(a, b)


def swiglu(a, b):
    return module().swiglu(a, b)


def reference(op):
    """The same in torch's operations."""
    return torch.add if op is add else swiglu_torch


both_swiglus = pytest.mark.parametrize("op", [swiglu, swiglu_python])
every_function = pytest.mark.parametrize("op", [add, swiglu, swiglu_python])


def leaves(*shape, dtype=torch.float64, needs=(True, True)):
    """a and b, the same values in each call."""
    torch.manual_seed(0)
    return [torch.randn(shape, dtype=dtype, device=device).requires_grad_(need) for need in needs]
