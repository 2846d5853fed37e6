"""Every operator: right at awkward sizes, and for every input that it does not take an exception that says why.

What each case must lead to follows from the operator's row in operator_table.py: see Operator.faults.
"""

import re

import numpy
import pytest
import torch
from conftest import CHAPTERS, chapter, operators
from operator_table import NAMES, OPERATORS

from common import check, device

WITH_TENSORS = [op for op in OPERATORS if op.arguments]
per_operator = pytest.mark.parametrize("op", WITH_TENSORS, ids=str)
per_float_operator = pytest.mark.parametrize("op", [op for op in WITH_TENSORS if op.dtype.is_floating_point], ids=str)
pytestmark = pytest.mark.filterwarnings("ignore")  # torch's own: about nested and quantized tensors, about non-leaves


def random(shape, dtype):
    """Values in [0, 1), or all that an integer can have. torch has no random uint16 of its own on every device."""
    if dtype.is_floating_point:
        return torch.rand(shape, dtype=dtype, device=device)
    signed = {1: torch.int8, 2: torch.int16}[dtype.itemsize]
    limits = torch.iinfo(signed)
    return torch.randint(limits.min, limits.max + 1, tuple(shape), dtype=signed, device=device).view(dtype)


def good(op, n=4):
    return [random(op.shape(n), op.dtype) for _ in op.arguments]


def example(op):
    """A shape that the operator takes, of two dimensions or more: one alone cannot be transposed."""
    return op.shape(4) if len(op.shape(4)) > 1 else (4, 4)


def tensors(result):
    return result if isinstance(result, tuple) else (result,)


def plain(x):
    return x.detach().as_subclass(torch.Tensor)


def assert_right(op, args, **scalars):
    """The reference's result, down to the sign of a zero, contiguous; and no input has changed."""
    before = [x if x is None else plain(x).clone() for x in args]
    expected = op.reference(*before, **op.values(args) | scalars)
    result = op(*args, **scalars)
    if not op.arguments:
        assert result == expected
        return
    for r, e in zip(map(plain, tensors(result)), tensors(expected), strict=True):
        torch.testing.assert_close(r, e, rtol=op.tolerance, atol=op.tolerance, equal_nan=True)
        assert r.is_contiguous()
        if r.is_floating_point() and op.tolerance == 0:
            assert torch.equal(r.signbit() & ~r.isnan(), e.signbit() & ~e.isnan())
    out = args[op.arguments.index(op.writes)] if op.writes else None
    for x, was in zip(args, before, strict=True):
        if x is not None and (out is None or x.untyped_storage().data_ptr() != out.untyped_storage().data_ptr()):
            assert torch.equal(*(plain(x).reshape(-1).view(torch.uint8) for x in (x, was))), "an input has changed"


def assert_raises(op, faults, call):
    """One of these exceptions, with its message; then an ordinary call works."""
    with pytest.raises(Exception) as info:
        call()
    text = str(info.value)
    said = [type(info.value) is exception and re.match(words, text, re.S) for exception, words in faults]
    assert any(said), f"{type(info.value).__name__}: {text[:300]}\nexpected: {faults}"
    assert_right(op, good(op))


def try_out(op, args):
    """Refused for one of the reasons that the table gives; where it gives none, the result is right."""
    faults = op.faults(args)
    assert_raises(op, faults, lambda: op(*args)) if faults else assert_right(op, args)


def try_each(op, bad):
    """`bad` as each argument in turn."""
    for i in range(len(op.arguments)):
        args = [random(example(op), op.dtype) for _ in op.arguments]
        args[i] = bad
        try_out(op, args)


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


# ---- what each operator is for ---------------------------------------------------------------------------------------
def test_every_operator_of_every_chapter_is_in_the_table():
    """... so that none goes without the cases below."""
    offered = set()
    for folder in CHAPTERS:
        main = chapter(folder.name)
        for build in (name for name in dir(main) if name.startswith("build") and callable(getattr(main, name))):
            module = operators(folder.name, build)
            offered |= {f"{folder.name}.{n}" for n in dir(module) if callable(getattr(module, n)) and n[0] != "_"}
    assert offered == {op.path for op in OPERATORS}


@pytest.mark.kernels
@per_operator
def test_right_at_awkward_sizes(op, thread_order):
    out = op.arguments.index(op.writes) if op.writes else None

    def call(*args):  # the argument that it writes is no input: a new one, of which each element must be written
        return op(*args) if out is None else op(*args[:out], torch.empty_like(args[0]), *args[out:])

    def reference(*args):
        args = args if out is None else (*args[:out], args[0], *args[out:])
        return op.reference(*args, **op.values(args))

    inputs = [name for name in op.arguments if name != op.writes]
    check(call, reference, lambda n: tuple(random(op.shape(n), op.dtype) for _ in inputs), op.sizes,
          rtol=op.tolerance, atol=op.tolerance, name=str(op))  # fmt: skip


@pytest.mark.parametrize("op", OPERATORS, ids=str)
def test_arguments_have_names(op):
    args = [random(example(op), op.dtype) for _ in op.arguments]
    assert_right(op, args)
    named = dict(zip(op.arguments, args, strict=True)) | op.values(args)
    op.function(**named)
    too_many, too_few = (*named.values(), *[3] * 4), tuple(named.values())[:-1]
    unknown = [lambda: op.function(**named, size=3)]
    for call in [lambda: op.function(*too_many), *unknown, *[lambda: op.function(*too_few[:-3])] * bool(args)]:
        assert_raises(op, [(TypeError, rf"{op.name}\(\): incompatible function arguments")], call)


@per_float_operator
def test_nan_and_infinity_pass_through(op):
    for dtype in op.dtypes:
        limits = torch.finfo(dtype)
        smallest = limits.smallest_normal * limits.eps  # denormal
        x = [float("nan"), float("inf"), -float("inf"), -0.0, 0.0, smallest, -3 * smallest, limits.max]
        x = torch.tensor(x, dtype=dtype, device=device).expand(2, 8).contiguous()
        assert_right(op, [x.clone() for _ in op.arguments])


SHAPES = [(), (1,) * 8, (2, 1, 2, 1, 2, 1, 2, 1), (7,), (0,), (0, 3), (3, 0), (2, 3), (0, 2, 3), (2, 0, 3), (2, 2, 0),
          (2, 2, 3), (0, 2, 2, 3), (2, 0, 2, 3), (2, 2, 0, 3), (2, 2, 2, 0), (2, 2, 2, 3), (1, 1, 1, 1, 3)]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@per_operator
def test_every_rank_and_nothing_in_each_dimension(op, shape):
    try_out(op, [random(shape, op.dtype) for _ in op.arguments])


# ---- what they refuse ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("dtype", NAMES, ids=NAMES.get)
@per_operator
def test_another_dtype_is_refused(op, dtype):
    values = torch.ones(example(op), device=device)
    quantized = dtype == torch.quint8
    try_each(op, torch.quantize_per_tensor(values, 0.1, 0, dtype) if quantized else values.to(dtype))


OTHER_DEVICES = ["meta"] + {"cpu": ["cuda"] * torch.cuda.is_available(), "cuda": ["cpu"]}[device.type]
OTHER_DEVICES += [f"cuda:{i}" for i in range(1, 2 * (device.type == "cuda")) if i < torch.cuda.device_count()]


@pytest.mark.parametrize("other", OTHER_DEVICES)
@per_operator
def test_another_device_is_refused(op, other):
    try_each(op, torch.ones(example(op), dtype=op.dtype, device=other))


# shape s, its number of dimensions r, dtype t
LAYOUTS = {
    "transposed": lambda s, r, t: random(s[::-1], t).permute(*range(r)[::-1]),
    "last two transposed": lambda s, r, t: random((*s[:-2], s[-1], s[-2]), t).transpose(-1, -2),
    "first two transposed": lambda s, r, t: random((s[1], s[0], *s[2:]), t).transpose(0, 1),
    "every second column": lambda s, r, t: random((*s[:-1], 2 * s[-1]), t)[..., ::2],
    "every second row": lambda s, r, t: random((2 * s[0], *s[1:]), t)[::2],
    "one element expanded": lambda s, r, t: random((1,) * r, t).expand(s),
    "one row expanded": lambda s, r, t: random((1, *s[1:]), t).expand(s),
    "cropped": lambda s, r, t: random((*(n + 2 for n in s[:-1]), s[-1]), t)[(slice(1, -1),) * (r - 1)],
    "last dimension cropped": lambda s, r, t: random((*s[:-1], s[-1] + 2), t)[..., 1:-1],
    "overlaps itself": lambda s, r, t: random((64,), t).as_strided(s, (1,) * r),
    "one element further": lambda s, r, t: random((torch.Size(s).numel() + 1,), t)[1:].view(s),
    "one row further": lambda s, r, t: random((s[0] + 1, *s[1:]), t)[1:],
    "odd strides of nothing": lambda s, r, t: random((64,), t).as_strided((0, *s[1:]), (7,) * r),
    "an odd stride of one": lambda s, r, t: random((64,), t).as_strided((1, *s[1:]), (17, *random(s, t).stride()[1:])),
    "2^40 elements of one": lambda s, r, t: random((1,), t).expand(2**40),
}


@pytest.mark.kernels
@pytest.mark.parametrize("layout", LAYOUTS)
@per_operator
def test_not_contiguous_is_refused(op, layout):
    """... by all that need it; where rows may lie apart, or the memory only begins elsewhere, the result is right."""
    make, s = LAYOUTS[layout], example(op)
    try_each(op, make(s, len(s), op.dtype))
    try_out(op, [make(s, len(s), op.dtype) for _ in op.arguments])


@pytest.mark.parametrize("shape", [(5,), (1,), (), (4, 1), (1, 4), (0,), (4, 5), (16,), (2, 8)], ids=str)
@pytest.mark.parametrize("op", [op for op in OPERATORS if len(op.arguments) > 1], ids=str)
def test_another_shape_is_refused(op, shape):
    """Broadcasting is refused, too, and so is the same number of elements in another shape."""
    try_each(op, random(shape, op.dtype))


NO_TENSORS = [None, 3, 2.5, "x", [1.0, 2.0], (), numpy.ones(4, numpy.float32), torch.float32, torch.Size([4]), object()]


@pytest.mark.parametrize("bad", NO_TENSORS, ids=lambda bad: type(bad).__name__)
@per_operator
def test_not_a_tensor_is_refused(op, bad):
    # pybind11 lists the arguments by name and type, and says what came instead.
    try_each(op, bad)


class Plain(torch.Tensor):
    """A subclass that changes nothing: its elements are what lies in memory, and operators take it as a tensor."""


def resized(x, nbytes):
    x.untyped_storage().resize_(nbytes)
    return x


KINDS = {
    "negated": torch._neg_view,
    "imaginary part of a conjugate": lambda x: torch.ones(x.shape, dtype=torch.complex64, device=x.device).conj().imag,
    "sparse": lambda x: torch.sparse_coo_tensor(size=x.shape, dtype=x.dtype, device=x.device),
    "csr": lambda x: torch.ones(3, 3, device=x.device).to(x.dtype).to_sparse_csr(),
    "nested": lambda x: torch.nested.nested_tensor([x, x]),
    "jagged": lambda x: torch.nested.nested_tensor([x, x], layout=torch.jagged),
    "freed": lambda x: resized(x, 0),
    "a byte too short": lambda x: resized(x, x.nbytes - 1),
    "longer than it was": lambda x: resized(x, x.nbytes + 1),
    "slice of a short one": lambda x: resized(torch.cat([x, x]), x.nbytes)[len(x) :],
    "subclass": lambda x: x.as_subclass(Plain),
    "parameter": torch.nn.Parameter,
    "requires grad": lambda x: x.requires_grad_(),
    "result that requires grad": lambda x: x.clone().requires_grad_() * 1,
    "made in inference mode": torch.inference_mode()(torch.Tensor.clone),
    "copied on write": lambda x: torch._lazy_clone(x),
}


@pytest.mark.parametrize("kind", KINDS)
@per_operator
def test_other_kinds_of_tensors(op, kind):
    if not op.dtype.is_floating_point and ("requires grad" in kind or kind in ("parameter", "csr")):
        pytest.skip("torch has none of that dtype")
    for i in range(len(op.arguments)):
        args = [random(example(op), op.dtype) for _ in op.arguments]
        args[i] = KINDS[kind](args[i])
        try_out(op, args)


@per_float_operator
def test_requires_grad_is_refused_unless_it_is_off(op):
    args = [random(example(op), op.dtype).requires_grad_() for _ in op.arguments]
    try_out(op, args)
    with torch.no_grad():
        assert_right(op, args)
    with torch.inference_mode():
        assert_right(op, args)


class Computes(torch.Tensor):
    """A subclass whose operations are Python's: its memory, if it has one, may mean anything."""

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        raise NotImplementedError


def dual(call, x):
    with torch.autograd.forward_ad.dual_level():
        call(torch.autograd.forward_ad.make_dual(x, x))


WRAPPED = {
    "vmap": lambda call, x: torch.vmap(call)(x.expand(2, *x.shape)),
    "func.grad": lambda call, x: torch.func.grad(lambda x: call(x).sum())(x),
    "func.jvp": lambda call, x: torch.func.jvp(call, (x,), (x,)),
    "forward mode": dual,
    "functionalize": lambda call, x: torch.func.functionalize(call)(x),
    "fake": lambda call, x: call(torch._subclasses.FakeTensorMode().from_tensor(x)),
    "zero": lambda call, x: call(torch._efficientzerotensor(x.shape, dtype=x.dtype, device=x.device)),
    "wraps nothing": lambda call, x: call(
        torch.Tensor._make_wrapper_subclass(Computes, x.shape, dtype=x.dtype, device=x.device)
    ),
    "has memory": lambda call, x: call(torch.Tensor._make_subclass(Computes, x)),
}


@pytest.mark.parametrize("how", WRAPPED)
@per_operator
def test_wrapped_tensors_are_refused(op, how):
    """Those of vmap, torch.func, torch.compile: what the kernel would find at their address, if there is one, is not it."""
    if not op.dtype.is_floating_point and how in ("func.grad", "func.jvp", "forward mode"):
        pytest.skip("torch has no gradients of integers")
    faults = [(ValueError, r"\w+ must be a plain tensor, got one that wraps another.*: DispatchKeySet")]
    faults += [(ValueError, r"\w+ has a forward-mode gradient, but this operator has no jvp")] * (how == "forward mode")
    functorch = op.differentiable and how in ("vmap", "func.grad", "func.jvp")  # torch's own message about a Function
    faults += [(RuntimeError, ".*functorch transforms")] * functorch
    for i in range(len(op.arguments)):
        args = good(op)
        call = lambda x, i=i, args=args: op(*args[:i], x, *args[i + 1 :])  # noqa: E731
        assert_raises(op, faults, lambda i=i, args=args, call=call: WRAPPED[how](call, args[i]))


# ---- scalars ---------------------------------------------------------------------------------------------------------
NO_SCALARS = {
    "float": ["7", None, [7.0], 1j, 10**400, torch.ones(2)],
    "int": [2.5, "8", None, [8], 1j, 2**70, -(2**70), numpy.float32(2.5), torch.tensor(2.5), torch.ones(2)],
    "bool": [1, 0.0, "x", None, [True], torch.tensor(True), torch.ones(2)],
    "mask": [True, None, "ab", [True], [True] * 3, [1, 0], [True, None]],
}
WITH_SCALARS = [(op, name) for op in OPERATORS for name in op.scalars]


@pytest.mark.parametrize("op, name", WITH_SCALARS, ids=str)
def test_scalars(op, name):
    scalar = op.scalars[name]
    args = [random(example(op), op.dtype) for _ in op.arguments]
    for value in scalar.right:
        assert_right(op, args, **{name: value})
    for value in scalar.wrong:
        assert_raises(op, [(ValueError, rf"{name} must .*, got ")], lambda value=value: op(*args, **{name: value}))
    for value in NO_SCALARS[scalar.kind]:
        said = rf"{op.name}\(\): incompatible .*\b{name}: "
        assert_raises(op, [(TypeError, said)], lambda value=value: op(*args, **{name: value}))


# ---- results in an argument ------------------------------------------------------------------------------------------
writers = pytest.mark.parametrize("op", [op for op in OPERATORS if op.writes], ids=str)


@pytest.mark.kernels
@writers
def test_the_output_may_be_an_input_but_not_a_part_of_one(op):
    out = op.arguments.index(op.writes)
    for i in (i for i in range(len(op.arguments)) if i != out):
        for begins in range(4):
            memory = random((4 + begins, 4), op.dtype).view(-1)
            args = [random((4, 4), op.dtype) for _ in op.arguments]
            args[i], args[out] = memory[:16].view(4, 4), memory[begins : begins + 16].view(4, 4)
            try_out(op, args)
            args[i], args[out] = args[out], args[i]
            try_out(op, args)
    same = random((4, 4), op.dtype)
    assert_right(op, [same] * len(op.arguments))


@writers
def test_autograd_learns_that_the_output_was_overwritten(op):
    """exp() keeps its result for the backward. Overwritten unnoticed, it would give a wrong gradient."""
    x = random(op.shape(4), op.dtype).requires_grad_()
    y, args = x.exp(), good(op)
    args[op.arguments.index(op.writes)] = y
    with torch.no_grad():
        op(*args)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


# ---- on a GPU --------------------------------------------------------------------------------------------------------
@pytest.mark.skipif(device.type == "cpu", reason="streams need a GPU")
@per_operator
def test_side_stream(op):
    args = [torch.zeros(op.shape(2**20), dtype=op.dtype, device=device) for _ in op.arguments]
    values = good(op, 2**20)
    expected = op.reference(*values, **op.values(values))
    torch.cuda.synchronize()
    with torch.cuda.stream(torch.cuda.Stream()) as _:
        torch.cuda._sleep(20_000_000)
        for arg, value in zip(args, values, strict=True):
            arg.copy_(value)
        result = op(*args)
        torch.cuda.current_stream().synchronize()
    torch.testing.assert_close(result, expected, rtol=op.tolerance, atol=op.tolerance)


@pytest.mark.skipif(device.type == "cpu", reason="needs a GPU's memory")
@pytest.mark.skipif(
    device.type == "cuda" and torch.cuda.mem_get_info()[0] < 40 * 2**30, reason="needs 40 GiB of GPU memory"
)
@per_operator
def test_more_than_2_to_the_31_elements(op):
    n = 2**31 + 5
    x = random(op.shape(-(-n // torch.Size(op.shape(1)).numel())), op.dtype)
    results = op(*[torch.empty_like(x) if name == op.writes else x for name in op.arguments])
    for part in zip(x.split(len(x) // 8), *(r.split(len(x) // 8) for r in tensors(results)), strict=True):
        args = [part[0]] * len(op.arguments)
        expected = op.reference(*args, **op.values(args))  # of a part, as it needs memory of its own
        torch.testing.assert_close(part[1:], tensors(expected), rtol=op.tolerance, atol=op.tolerance)
