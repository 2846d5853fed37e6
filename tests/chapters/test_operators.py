"""Every operator: right at awkward sizes, and for every input that it does not take an exception that names the reason.

What each case must lead to follows from the operator's row in its chapter's operators.py: see Operator.faults in opinfo.py.
"""

from functools import partial

import numpy
import pytest
import torch

from common import check, device
from tests.chapters.operator_cases import (
    FLOATING_KINDS,
    FLOATING_WRAPPED,
    KINDS,
    LAYOUTS,
    OTHER_DEVICES,
    WRAPPED,
    assert_raises,
    assert_right,
    example,
    examples,
    good,
    of_shape,
    random,
    try_all,
    try_each,
    try_out,
)
from tests.chapters.opinfo import FUNCTIONS, NAMES, OPERATORS
from tests.support import CHAPTERS, chapter, operators

per_operator = pytest.mark.parametrize("op", OPERATORS, ids=str)
per_dtype = pytest.mark.parametrize(
    "op, dtype",
    [pytest.param(op, t, id=f"{op} {str(t)[6:]}" if t != op.dtype else str(op)) for op in OPERATORS for t in op.dtypes],
)
per_float_operator = pytest.mark.parametrize("op", [op for op in OPERATORS if op.dtype.is_floating_point], ids=str)
pytestmark = pytest.mark.filterwarnings("ignore")  # torch's own: about nested and quantized tensors, about non-leaves


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


# ---- what each operator is for ---------------------------------------------------------------------------------------
def names_in(module):
    """A namespace of torch.ops has as attributes only what somebody has asked for: the dispatcher knows all."""
    if isinstance(module, torch._ops._OpNamespace):
        names = (name.partition("::") for name in torch._C._dispatch_get_all_op_names())
        return {name.partition(".")[0] for namespace, _, name in names if namespace == module.name}
    return {name for name in dir(module) if callable(getattr(module, name)) and name[0] != "_"}


@pytest.mark.thorough
@pytest.mark.parametrize("folder", CHAPTERS, ids=lambda folder: folder.name)
def test_every_operator_is_in_the_table(folder):
    """... so that none goes without the cases below, not the one that computes a gradient either."""
    main = chapter(folder.name)
    builds = [name for name in dir(main) if name.startswith("build") and callable(getattr(main, name))]
    notes = [file for file in folder.glob("notes/*.py") if "\ndef build(" in file.read_text()]
    offered = set()
    for build in builds + [f"notes/{file.stem}:build" for file in notes]:
        module = operators(folder.name, build)
        offered |= {f"{folder.name}.{name}" for name in names_in(module)}
    rows = {op.path for op in FUNCTIONS if not op.of and op.path.startswith(f"{folder.name}.")}
    assert offered == rows, f"tests/chapters/{folder.name}/operators.py needs a row for each operator"


@pytest.mark.kernels
@per_dtype
def test_right_at_awkward_sizes(op, dtype, thread_order):
    out = op.arguments.index(op.writes) if op.writes else None

    def call(*args):  # the argument that it writes is no input: a new one, of which each element must be written
        return op(*args) if out is None else op(*args[:out], torch.empty_like(args[0]), *args[out:])

    def reference(*args):
        args = args if out is None else (*args[:out], args[0], *args[out:])
        return op.reference(*args, **op.values(args))

    inputs = [name for name in op.arguments if name != op.writes]
    sizes = op.sizes
    if device.type == "cpu":  # many blocks, in a small part of the time, and once
        sizes = (*sizes[:-1], *[2**14 + 3] * (dtype == op.dtype))
    check(call, reference, lambda n: tuple(random(op.shape_of(a, op.shape(n)), dtype) for a in inputs), sizes,
          **op.close(dtype), name=str(op))  # fmt: skip


@pytest.mark.parametrize("op", [op for op in FUNCTIONS if not op.of and not op.dispatched], ids=str)
def test_arguments_have_names(op):
    args = examples(op)
    assert_right(op, args)
    named = dict(zip(op.arguments, args, strict=True)) | op.values(args)
    op.function(**named)
    too_many, too_few = (*named.values(), *[3] * 4), tuple(named.values())[:-4]
    unknown = [lambda: op.function(**named, size=3)]
    for call in [lambda: op.function(*too_many), *unknown, *[lambda: op.function(*too_few)] * bool(args)]:
        assert_raises(op, [(TypeError, rf"{op.name}\(\): incompatible function arguments")], call)


@per_float_operator
def test_nan_and_infinity_pass_through(op):
    for dtype in op.dtypes:
        limits = torch.finfo(dtype)
        smallest = limits.smallest_normal * limits.eps  # denormal
        x = [float("nan"), float("inf"), -float("inf"), -0.0, 0.0, smallest, -3 * smallest, limits.max]
        x = torch.tensor(x, dtype=dtype, device=device)
        shapes = [torch.Size(op.shape_of(name, (2, 8))) for name in op.arguments]
        assert_right(op, [x.repeat(shape.numel() // 8).view(shape) for shape in shapes])


SHAPES = [(), (1,) * 8, (2, 1, 2, 1, 2, 1, 2, 1), (7,), (0,), (0, 3), (3, 0), (2, 3), (0, 2, 3), (2, 0, 3), (2, 2, 0),
          (2, 2, 3), (0, 2, 2, 3), (2, 0, 2, 3), (2, 2, 0, 3), (2, 2, 2, 0), (2, 2, 2, 3), (1, 1, 1, 1, 3)]  # fmt: skip


@per_operator
def test_every_rank_and_nothing_in_each_dimension(op):
    shapes = {shape: of_shape(op, shape) for shape in SHAPES}
    try_all({shape: partial(try_out, op, args) for shape, args in shapes.items()})
    nothing = of_shape(op, op.shape(0))
    scalars = [{name: value} for name, scalar in op.scalars.items() for value in scalar.right]
    taken = [scalar for scalar in scalars if not op.scalar_faults(nothing, scalar)]
    try_all({str(scalar): partial(assert_right, op, nothing, **scalar) for scalar in taken})


# ---- what they refuse ------------------------------------------------------------------------------------------------
@per_operator
def test_another_dtype_is_refused(op):
    ones = torch.ones(example(op), device=device)

    def converted(dtype):
        return torch.quantize_per_tensor(ones, 0.1, 0, dtype) if dtype == torch.quint8 else ones.to(dtype)

    try_all({dtype: partial(try_each, op, partial(converted, dtype)) for dtype in NAMES})


@per_operator
def test_another_device_is_refused(op):
    make = {other: partial(torch.ones, example(op), dtype=op.dtype, device=other) for other in OTHER_DEVICES}
    try_all({other: partial(try_each, op, m) for other, m in make.items() if not (op.dispatched and other == "meta")})


@pytest.mark.kernels
@per_operator
def test_not_contiguous_is_refused(op):
    """... by all that need it; where rows may lie apart, or the memory only begins elsewhere, the result is right."""
    shape = example(op)
    try_all({name: partial(try_each, op, partial(make, shape, len(shape), op.dtype)) for name, make in LAYOUTS.items()})


OTHER_SHAPES = [(5,), (1,), (), (4, 1), (1, 4), (0,), (4, 5), (16,), (2, 8)]


@pytest.mark.parametrize("op", [op for op in OPERATORS if len(op.arguments) > 1], ids=str)
def test_another_shape_is_refused(op):
    """Broadcasting is refused, too, and so is the same number of elements in another shape."""
    try_all({shape: partial(try_each, op, partial(random, shape, op.dtype)) for shape in OTHER_SHAPES})


NO_TENSORS = [None, 3, 2.5, "x", [1.0, 2.0], (), numpy.ones(4, numpy.float32), torch.float32, torch.Size([4]), object()]


@per_operator
def test_not_a_tensor_is_refused(op):
    # pybind11 lists the arguments by name and type, and the types that it got instead.
    try_all({type(bad): partial(try_each, op, lambda bad=bad: bad) for bad in NO_TENSORS})


@per_operator
def test_other_kinds_of_tensors(op):
    kinds = KINDS | (FLOATING_KINDS if op.dtype.is_floating_point else {})
    try_all({
        kind: partial(try_each, op, lambda make=make: make(random(example(op), op.dtype))) for kind, make in kinds.items()
    })  # fmt: skip


@per_float_operator
def test_requires_grad_is_refused_unless_it_is_off(op):
    args = [x.requires_grad_() for x in examples(op)]
    try_out(op, args)
    with torch.no_grad():
        assert_right(op, args)
    with torch.inference_mode():
        assert_right(op, args)


@pytest.mark.parametrize("op", [op for op in OPERATORS if op.differentiable and len(op.arguments) > 1], ids=str)
def test_inference_tensors_beside_one_that_requires_grad(op):
    """Torch saves none of them for backward, and says so."""
    for i in range(len(op.arguments)):
        with torch.inference_mode():
            args = examples(op)
        args[i] = args[i].clone().requires_grad_()
        try_out(op, args)


@pytest.mark.parametrize("op", [op for op in OPERATORS if not op.dispatched], ids=str)
def test_wrapped_tensors_are_refused(op):
    """Those of vmap, torch.func, torch.compile. Where torch's dispatcher comes first, torch itself raises."""
    no_memory = (ValueError, r"\w+ must be a plain tensor, got one that wraps another.*: DispatchKeySet")
    no_jvp = (ValueError, r"\w+ has a forward-mode gradient, but this operator has no jvp")
    torchs_own = [(RuntimeError, ".*functorch transforms"), (RuntimeError, ".*jvp"), (NotImplementedError, ".*jvp")]
    faults = [no_memory, no_jvp] + torchs_own * op.differentiable

    def wrapped(how, i):
        args = good(op)
        assert_raises(op, faults, lambda: how(lambda x: op(*args[:i], x, *args[i + 1 :]), args[i]))

    ways = WRAPPED | (FLOATING_WRAPPED if op.dtype.is_floating_point else {})
    places = enumerate(op.arguments)
    try_all({f"{way}, {name}": partial(wrapped, ways[way], i) for i, name in places for way in ways})


# ---- scalars ---------------------------------------------------------------------------------------------------------
NO_SCALARS = {
    "float": ["7", None, [7.0], 1j, 10**400, torch.ones(2)],
    "int": [2.5, "8", None, [8], 1j, 2**70, -(2**70), torch.ones(2)],
    "bool": ["x", [True], torch.ones(2)],
    "str": [3, 2.5, ["none"], torch.ones(2)],
    "mask": [True, None, "ab", [True], [True] * 3, [1, 0], [True, None]],
}
# Refused as well, but where torch's dispatcher comes first: it converts them.
CONVERTED = {"int": [numpy.float32(2.5), torch.tensor(2.5)], "bool": [1, 0.0, None, torch.tensor(True)]}
WITH_SCALARS = [(op, name) for op in FUNCTIONS if not op.in_place and not op.apart for name in op.scalars]


@pytest.mark.parametrize("op, name", WITH_SCALARS, ids=str)
def test_scalars(op, name):
    scalar = op.scalars[name]
    args = examples(op)
    faults = [(TypeError, rf"{op.name}\(\): incompatible .*\b{name}: ")]
    faults += [(RuntimeError, rf"\w+::{op.name}\(\) .*'{name}'"), (OverflowError, "int too large")] * op.dispatched
    for value in scalar.right:
        assert_right(op, args, **{name: value})
    for value in scalar.wrong:
        faults_of = op.scalar_faults(args, {name: value})
        assert_raises(op, faults_of, lambda value=value: op(*args, **{name: value}))
    for value in NO_SCALARS[scalar.kind] + CONVERTED.get(scalar.kind, []) * (not op.dispatched):
        assert_raises(op, faults, lambda value=value: op(*args, **{name: value}))


# ---- results in an argument ------------------------------------------------------------------------------------------
writers = pytest.mark.parametrize("op", [op for op in OPERATORS if op.writes], ids=str)


@pytest.mark.kernels
@writers
def test_the_output_may_be_an_input_but_not_a_part_of_one(op):
    out = op.arguments.index(op.writes)
    for i in (i for i in range(len(op.arguments)) if i != out):
        for begins in range(4):
            memory = random((4 + begins, 4), op.dtype).view(-1)
            args = examples(op)
            args[i], args[out] = memory[:16].view(4, 4), memory[begins : begins + 16].view(4, 4)
            try_out(op, args)
            args[i], args[out] = args[out], args[i]
            try_out(op, args)
    same = random((4, 4), op.dtype)
    assert_right(op, [same] * len(op.arguments))


@pytest.mark.parametrize("op", [op for op in FUNCTIONS if op.writes], ids=str)
def test_autograd_learns_that_the_output_was_overwritten(op):
    """exp() keeps its result for the backward. Overwritten unnoticed, it would give a wrong gradient."""
    x = random(op.shape(4), op.dtype).requires_grad_()
    y, args = x.exp(), good(op)
    args[op.arguments.index(op.writes)] = y
    with torch.no_grad():
        op(*args)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()
