"""Chapter 05's registered operator, for tensors that have a shape and no memory: as axpy() takes and refuses them."""

import contextlib

import pytest
import torch
from support import operators
from torch._subclasses import FakeTensorMode

from common import device

REFUSED = {
    "both transposed": lambda x, y: (x.t(), y.t()),
    "x transposed": lambda x, y: (x.t(), y),
    "y transposed": lambda x, y: (x, y.t()),
    "every second column": lambda x, y: (x[:, ::2], y[:, ::2]),
    "one row expanded": lambda x, y: (x[:1].expand(4, 4), y),
    "alpha beyond float32": lambda x, y: (x, y, 1e300),
    "-alpha beyond float32": lambda x, y: (x, y, -1e39),
    "x of float64": lambda x, y: (x.double(), y),
    "y of int64": lambda x, y: (x, y.long()),
    "fewer rows": lambda x, y: (x, y[:3]),
    "to be broadcast": lambda x, y: (x[:1], y),
    "another rank": lambda x, y: (x, y.flatten()),
}
TAKEN = {
    "contiguous": lambda x, y: (x, y),
    "begins later": lambda x, y: (x[1:], y[1:]),
    "empty": lambda x, y: (x[:0], y[:0]),
    "empty, transposed": lambda x, y: (x[:0].t(), y[:0].t()),
    "odd stride of one row": lambda x, y: (x.as_strided((1, 4), (17, 1)), y.as_strided((1, 4), (2, 1))),
    "no dimension": lambda x, y: (x[0, 0], y[0, 0]),
    "infinite alpha": lambda x, y: (x, y, float("inf")),
    "alpha is NaN": lambda x, y: (x, y, float("nan")),
}


@pytest.fixture
def axpy():
    operators("05_cmake")  # loads libaxpy, which registers the operator
    return torch.ops.chapter05.axpy


def two(device=device):
    return torch.rand(4, 4, device=device), torch.rand(4, 4, device=device)


def without_memory():
    """name -> (a context, two tensors with a shape and no memory)."""
    mode = FakeTensorMode()
    return {
        "meta": (contextlib.nullcontext(), two("meta")),
        "fake": (mode, [mode.from_tensor(x) for x in two()]),
    }


@pytest.mark.parametrize("kind", ["meta", "fake"])
@pytest.mark.parametrize("change", REFUSED.values(), ids=REFUSED)
def test_what_axpy_refuses_is_refused_without_memory_too(axpy, change, kind):
    """... by the same exception, with the same words."""
    with pytest.raises((TypeError, ValueError)) as expected:
        axpy(*change(*two()))
    context, tensors = without_memory()[kind]
    with context, pytest.raises(expected.type) as info:
        axpy(*change(*tensors))
    assert str(info.value).splitlines()[0] == str(expected.value).splitlines()[0]


@pytest.mark.parametrize("kind", ["meta", "fake"])
@pytest.mark.parametrize("change", TAKEN.values(), ids=TAKEN)
def test_what_axpy_takes_has_the_same_shape_and_strides_without_memory(axpy, change, kind):
    expected = axpy(*change(*two()))
    context, tensors = without_memory()[kind]
    with context:
        result = axpy(*change(*tensors))
    assert (result.dtype, result.shape, result.stride()) == (expected.dtype, expected.shape, expected.stride())


class Model(torch.nn.Module):
    def __init__(self, op, change):
        super().__init__()
        self.forward = lambda x, y: op(*change(x, y))


@pytest.mark.parametrize("rows", [None, torch.export.Dim("rows", min=2)], ids=["4 rows", "any rows"])
@pytest.mark.parametrize("name", ["both transposed", "alpha beyond float32", "x of float64"])
def test_a_model_that_axpy_would_refuse_is_not_exported(axpy, name, rows):
    """4 seconds for all: a size that is a symbol has rules of its own for strides."""
    change, shapes = REFUSED[name], rows and ({0: rows}, {0: rows})
    with pytest.raises((TypeError, ValueError)) as expected:
        axpy(*change(*two()))
    with pytest.raises(Exception) as info:
        torch.export.export(Model(axpy, change), two(), dynamic_shapes=shapes)
    assert str(expected.value).partition(", got")[0] in str(info.value)


EXPORTED = {
    "any rows": lambda x, y: (x, y),
    "transposed and copied": lambda x, y: (x.t().contiguous(), y.t().contiguous()),
    "as many as the data have": lambda x, y: (x[x > 0.5],) * 2,
}


@pytest.mark.parametrize("change", EXPORTED.values(), ids=EXPORTED)
def test_an_exported_model_takes_another_size(axpy, change):
    rows = torch.export.Dim("rows", min=2)
    exported = torch.export.export(Model(axpy, change), two(), dynamic_shapes=({0: rows}, {0: rows}))
    x, y = (torch.rand(7, 4, device=device) for _ in range(2))
    assert torch.equal(exported.module()(x, y), axpy(*change(x, y)))
