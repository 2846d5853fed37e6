"""What torch does with every registered operator: opcheck, derivatives, one compiled graph, results in place."""

import pytest
import torch

from tests.chapters.operator_cases import assert_close, good, of_shape, random, tensors
from tests.chapters.opinfo import FUNCTIONS

REGISTERED = [
    pytest.param(op, id=str(op), marks=pytest.mark.thorough if op.build != "build" else ())
    for op in FUNCTIONS
    if op.dispatched and not op.apart
]
registered = pytest.mark.parametrize("op", REGISTERED)
differentiable = pytest.mark.parametrize("op", [case for case in REGISTERED if case.values[0].differentiable])
in_place = pytest.mark.parametrize("op", [case for case in REGISTERED if case.values[0].in_place])


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def words(op, args):
    """Its scalars as they are by default, and each of its other words: "auto", "warp", ... or True."""
    yield op.values(args)
    for name, scalar in op.scalars.items():
        if scalar.kind in ("str", "bool"):
            yield from (op.values(args) | {name: value} for value in scalar.right)


@pytest.mark.thorough
@registered
def test_opcheck(op):
    """Whether schema, fake function, gradient and torch.compile agree with the kernel."""
    for shape in dict.fromkeys([op.shape(4), op.shape(0), op.shape(4)[-1:]]):
        args = of_shape(op, shape)
        for scalars in words(op, args) if op.takes(shape) else ():
            for requires_grad in (False, True)[: 1 + op.differentiable]:
                leaves = [x.clone().requires_grad_(requires_grad) for x in args]
                torch.library.opcheck(op.function.default, leaves, scalars)


@differentiable
def test_first_and_second_derivatives(op):
    """... are the reference's; of a backward operator, whose second derivative is a third one, only the first. The gradient of
    a sum is one element, expanded: a kernel cannot take it as it comes."""

    def derivatives(function, leaves, scalars):
        results = [y for y in tensors(function(*leaves, **scalars)) if y.requires_grad]
        expanded = torch.autograd.grad(sum(y.sum() for y in results), leaves, retain_graph=True, allow_unused=True)
        first = torch.autograd.grad(sum(y.sin().sum() for y in results), leaves, create_graph=True)
        found = {"gradient of a sum": expanded, "first derivative": [g.detach() for g in first]}
        if not op.name.endswith("_backward"):
            found["second derivative"] = torch.autograd.grad(sum(g.cos().sum() for g in first), leaves)
        return found

    dtype = next(dtype for dtype in (torch.float64, torch.float32, torch.float16) if dtype in op.dtypes)
    leaves = [random(op.shape_of(name, op.shape(3)), dtype).requires_grad_() for name in op.arguments]
    rtol, atol = {torch.float64: (1e-7, 1e-9), torch.float32: (1e-4, 1e-5), torch.float16: (0.01, 0.02)}[dtype]
    for scalars in words(op, leaves):
        ours, expected = (derivatives(function, leaves, scalars) for function in (op, op.reference))
        torch.testing.assert_close(ours, expected, rtol=rtol, atol=atol)


@pytest.mark.thorough
@registered
def test_compiled_in_one_graph(op):
    """aot_eager asks an operator for the same as inductor, its fake function and its gradient, and needs no compiler."""
    torch.compiler.reset()
    function, scalars = op.function, op.values(good(op))

    def step(*args):
        args = [2 * x for x in args]
        results = tensors(function(*args, **scalars))
        return [y + 1 for y in (args[:1] if op.in_place else results)]

    compiled = torch.compile(step, fullgraph=True, dynamic=True, backend="aot_eager")
    for n in 4, 7:
        leaves = [x.requires_grad_(op.differentiable) for x in good(op, n)]
        results, expected = compiled(*leaves), step(*leaves)
        torch.testing.assert_close(results, expected)
        if op.differentiable:
            grads = (torch.autograd.grad(sum(y.float().sum() for y in of), leaves) for of in (results, expected))
            torch.testing.assert_close(*grads)


@pytest.mark.kernels
@in_place
def test_in_place(op):
    """The result lies in the first argument, and the others are as they were."""
    for shape in (*map(op.shape, (0, 1, 3, 257)), op.shape(3)[:1] + (8,)):
        args = of_shape(op, shape)
        for scalars in words(op, args):
            x, *others = [x.clone() for x in args]
            assert op.function(x, *others, **scalars) is None
            assert_close(op, x, op.reference(*args, **scalars))
            torch.testing.assert_close(others, args[1:], rtol=0, atol=0)
