"""Chapter 99: what only my_op has. test_operators.py and test_registered.py try it like every operator."""

import pytest
import torch

from common import check, device
from tests.support import chapter, operators

FLOATS = torch.float32, torch.float16, torch.bfloat16
per_float = pytest.mark.parametrize("dtype", FLOATS, ids=str)


@pytest.fixture(scope="module")
def op():
    return operators("99_my_op").my_op


@per_float
def test_gradient(op, dtype):
    main = chapter("99_my_op")
    ours, shapes = main.operators(main.build())["my_op"], (0, 1, 3, 100)
    check(ours, main.reference, lambda n: main.inputs(n, dtype), shapes, **main.tolerance(dtype), gradients=True)


@pytest.mark.parametrize("where", [device.type, "meta"])  # the kernel's binding, and main.shape_of_result
def test_refused_with_memory_and_without(op, where):
    x = torch.ones(4, 3, device=where)
    for wrong, words in (x.double(), "x must have dtype Float or Half or BFloat16"), (x.t(), "x must be contiguous"):
        with pytest.raises(RuntimeError, match=words):
            op(wrong, 2.0)
