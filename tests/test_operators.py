"""Every operator: right at awkward sizes, and a clear exception for every input that it does not take."""

import re

import numpy
import pytest
import torch
from conftest import CHAPTERS, chapter, operators
from operator_table import OPERATORS, TESTED_ELSEWHERE

from common import check, device

per_operator = pytest.mark.parametrize("op", OPERATORS, ids=str)
per_float_operator = pytest.mark.parametrize("op", [op for op in OPERATORS if op.dtype.is_floating_point], ids=str)
DTYPES = [torch.float64, torch.float16, torch.bfloat16, torch.int32, torch.int8, torch.bool, torch.complex64]
OTHER_DEVICE = "cpu" if device.type == "cuda" else "meta"  # where the kernel cannot reach


def random(shape, dtype):
    """Values in [0, 1), or all that an integer can have. torch has no random uint16 of its own on every device."""
    if dtype.is_floating_point:
        return torch.rand(shape, dtype=dtype, device=device)
    signed = {1: torch.int8, 2: torch.int16}[dtype.itemsize]
    limits = torch.iinfo(signed)
    return torch.randint(limits.min, limits.max + 1, tuple(shape), dtype=signed, device=device).view(dtype)


def good(op, n=4):
    return [random(op.shape(n), op.dtype) for _ in op.arguments]


def tensors(result):
    return result if isinstance(result, tuple) else (result,)


def assert_right(op, args):
    torch.testing.assert_close(op(*args), op.reference(*args), rtol=op.tolerance, atol=op.tolerance, equal_nan=True)


def assert_refused(op, bad, exception, *words):
    """With `bad` as each argument in turn: that exception, which names it, with these words; then a good call works."""
    for i, argument in enumerate(op.arguments):
        args = good(op)
        args[i] = bad
        with pytest.raises(exception) as info:
            op(*args)
        text = str(info.value)
        # Our own messages begin with the argument's name, or with a pair of names. pybind11 lists name and type of all.
        starts = rf"{argument} (must|requires|is) |{argument} and \w+ must |\w+ and {argument} must "
        assert re.match(starts, text) or (text.startswith(f"{op.name}()") and f"{argument}: torch.Tensor" in text), text
        assert all(word in text for word in words), text
        assert_right(op, good(op))


def test_every_operator_of_every_chapter_is_in_the_table():
    """... so that none goes without the cases below, except those that have a test file of their own."""
    offered = set()
    for folder in CHAPTERS:
        main = chapter(folder.name)
        for build in (name for name in dir(main) if name.startswith("build") and callable(getattr(main, name))):
            module = operators(folder.name, build)
            offered |= {f"{folder.name}.{n}" for n in dir(module) if callable(getattr(module, n)) and n[0] != "_"}
    assert offered == set(map(str, OPERATORS)) | TESTED_ELSEWHERE


@pytest.mark.kernels
@per_operator
def test_right_at_awkward_sizes(op, thread_order):
    check(op, op.reference, lambda n: tuple(good(op, n)), op.sizes, rtol=op.tolerance, atol=op.tolerance)


@per_float_operator
def test_nan_and_infinity_pass_through(op):
    x = torch.tensor([float("nan"), float("inf"), -float("inf"), -0.0, 1e-45, 3e38], device=device).expand(2, 6)
    x = x.contiguous() if len(op.shape(1)) == 2 else x[0].contiguous()
    assert_right(op, [x] * len(op.arguments))


@pytest.mark.parametrize(
    "op, dtype", [(op, dtype) for op in OPERATORS for dtype in DTYPES if dtype not in op.dtypes], ids=str
)
def test_another_dtype_is_refused(op, dtype):
    name = {torch.float32: "Float", torch.uint8: "Byte", torch.uint16: "UInt16"}[op.dtype]
    bad = torch.ones(op.shape(4), dtype=dtype, device=device)
    assert_refused(op, bad, TypeError, f"must have dtype {name}")


@per_operator
def test_another_device_is_refused(op):
    bad = torch.ones(op.shape(4), dtype=op.dtype, device=OTHER_DEVICE)
    assert_refused(op, bad, ValueError, f"must be on {device}", OTHER_DEVICE)


@per_operator
def test_not_contiguous_is_refused(op):
    shape = op.shape(4)
    stepped = random((*shape[:-1], 2 * shape[-1]), op.dtype)[..., ::2]
    expanded = random((1,), op.dtype).expand(shape)
    for bad in stepped, expanded, random(shape[::-1], op.dtype).T if len(shape) == 2 else stepped:
        assert_refused(op, bad, ValueError, "must be contiguous", ".contiguous()")


@pytest.mark.parametrize("op", [op for op in OPERATORS if len(op.arguments) > 1], ids=str)
def test_another_shape_is_refused(op):
    for shape in [(5,), (1,), (), (4, 1), (0,)]:  # broadcasting is refused, too
        assert_refused(op, torch.rand(shape, device=device), ValueError, "same shape")


@per_operator
@pytest.mark.parametrize("bad", [3, "x", [1.0, 2.0], numpy.ones(4, numpy.float32)], ids=["int", "str", "list", "numpy"])
def test_not_a_tensor_is_refused(op, bad):
    # pybind11 lists the arguments by name and type, and says what came instead.
    assert_refused(op, bad, TypeError, f"{op.name}()")


@per_operator
def test_none_is_refused(op):
    assert_refused(op, None, TypeError)


@pytest.mark.parametrize(
    "op", [op for op in OPERATORS if op.dtype.is_floating_point and not op.differentiable], ids=str
)
def test_requires_grad_is_refused_unless_it_is_off(op):
    bad = torch.rand(op.shape(4), device=device, requires_grad=True)
    assert_refused(op, bad, ValueError, "requires grad", "no backward")
    with torch.no_grad():
        assert_right(op, [bad] * len(op.arguments))


@per_operator
def test_lazily_negated_and_sparse_are_refused(op):
    x = random(op.shape(4), op.dtype)
    assert_refused(op, torch._neg_view(x), ValueError, "resolve_neg")
    # to_sparse() does not know uint16
    sparse = torch.sparse_coo_tensor(size=x.shape, dtype=x.dtype, device=device, check_invariants=False)
    assert_refused(op, sparse, ValueError, "dense")


@per_operator
def test_arguments_have_names(op):
    args = good(op)
    named = dict(zip(op.arguments, args, strict=True))
    torch.testing.assert_close(op(**named), op(*args), rtol=0, atol=0)


@pytest.mark.kernels
@per_operator
def test_a_misaligned_slice_is_right_or_refused(op):
    shape = op.shape(4)
    args = [random((torch.Size(shape).numel() + 1,), op.dtype)[1:].view(shape) for _ in op.arguments]
    if op.aligned:
        return assert_refused(op, args[0], ValueError, "must begin at a multiple of 16 bytes", "4 bytes beyond")
    assert_right(op, args)


@pytest.mark.skipif(device.type == "cpu", reason="streams need a GPU")
@per_operator
def test_side_stream(op):
    args = [torch.zeros(op.shape(2**20), dtype=op.dtype, device=device) for _ in op.arguments]
    values = good(op, 2**20)
    torch.cuda.synchronize()
    with torch.cuda.stream(torch.cuda.Stream()) as _:
        torch.cuda._sleep(20_000_000)
        for arg, value in zip(args, values, strict=True):
            arg.copy_(value)
        result = op(*args)
        torch.cuda.current_stream().synchronize()
    torch.testing.assert_close(result, op.reference(*values), rtol=op.tolerance, atol=op.tolerance)


@pytest.mark.skipif(device.type == "cpu", reason="needs a GPU's memory")
@pytest.mark.skipif(
    device.type == "cuda" and torch.cuda.mem_get_info()[0] < 40 * 2**30, reason="needs 40 GiB of GPU memory"
)
@per_operator
def test_more_than_2_to_the_31_elements(op):
    n = 2**31 + 5
    x = random(op.shape(-(-n // torch.Size(op.shape(1)).numel())), op.dtype)
    results = op(*[x] * len(op.arguments))
    for part in zip(x.split(len(x) // 8), *(r.split(len(x) // 8) for r in tensors(results)), strict=True):
        expected = op.reference(*[part[0]] * len(op.arguments))  # of a part, as it needs memory of its own
        torch.testing.assert_close(part[1:], tensors(expected), rtol=op.tolerance, atol=op.tolerance)
