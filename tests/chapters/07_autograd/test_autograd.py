"""Chapter 07: gradients checked against differences, what autograd is told, second derivatives."""

import pytest
import torch
from torch.autograd.function import once_differentiable
from torch.utils._python_dispatch import TorchDispatchMode

from common import device

from .functions import (
    add,
    both_swiglus,
    every_function,
    function,
    leaves,
    module,
    reference,
    swiglu,
    swiglu_python,
    swiglu_torch,
)


@pytest.mark.parametrize("shape", [(), (0,), (1,), (7,), (2, 3)], ids=str)
@every_function
def test_gradcheck(op, shape, thread_order):
    """Each derivative against a difference quotient, in float64."""
    assert torch.autograd.gradcheck(op, leaves(*shape))


@pytest.mark.parametrize("needs", [(True, False), (False, True)], ids=["only a", "only b"])
@every_function
def test_gradcheck_where_one_gradient_is_wanted(op, needs):
    assert torch.autograd.gradcheck(op, leaves(7, needs=needs))


@pytest.mark.parametrize("op", [add, swiglu])
def test_gradgradcheck(op, thread_order):
    assert torch.autograd.gradgradcheck(op, leaves(2, 3))
    assert torch.autograd.gradgradcheck(op, leaves(3, needs=(True, False)))
    assert torch.autograd.gradgradcheck(op, leaves(3, needs=(False, True)))


# ---- save_for_backward, needs_input_grad, mark_non_differentiable; memory.py is in test_training.py ------------------


@both_swiglus
def test_a_change_in_place_is_noticed(op):
    """save_for_backward remembers the tensor's version. A tensor kept in a variable would give a wrong gradient."""
    for i in range(2):
        inputs = [2 * x for x in leaves(3)]
        out = op(*inputs)
        inputs[i].mul_(2)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            out.sum().backward()


def test_what_is_not_saved_may_be_changed():
    a, b = leaves(3)
    doubled = 2 * a
    out = add(doubled, b)
    doubled.zero_()
    out.sum().backward()
    assert torch.equal(a.grad, torch.full_like(a, 2)) and torch.equal(b.grad, torch.ones_like(b))


@both_swiglus
def test_backward_twice(op):
    """With retain_graph=True, also under no_grad(); without it, backward frees what was saved."""
    inputs = leaves(3)
    out = op(*inputs).sum()
    expected = torch.autograd.grad(swiglu_torch(*inputs).sum(), inputs)
    with torch.no_grad():  # for the forward pass: backward records if create_graph says so
        torch.testing.assert_close(torch.autograd.grad(out, inputs, retain_graph=True), expected)
    torch.testing.assert_close(torch.autograd.grad(out, inputs), expected)
    with pytest.raises(RuntimeError, match="(?i)backward through the graph a second time"):
        out.backward()


class Count(TorchDispatchMode):
    """How many tensors are made inside `with`, by an empty function or full of zeros."""

    made = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.made += "empty" in func.name() or "zeros" in func.name()
        return func(*args, **(kwargs or {}))


@both_swiglus
@pytest.mark.parametrize("i", [0, 1], ids=["a", "b"])
def test_a_gradient_that_nobody_needs_is_not_computed(op, i):
    for frozen in False, True:  # only one is asked for; or only one requires grad
        inputs = leaves(5, needs=(i == 0 or not frozen, i == 1 or not frozen))
        expected = torch.autograd.grad(swiglu_torch(*inputs).sum(), inputs[i])
        out, one = op(*inputs), torch.ones(5, dtype=torch.float64, device=device)
        with Count() as count:
            result = torch.autograd.grad(out, inputs[i], one)
        torch.testing.assert_close(result, expected)
        # Python's needs_input_grad is true for all that requires grad, C++'s only for what this call asks for.
        assert count.made == (2 if op is swiglu_python and not frozen else 1)


def test_mark_non_differentiable():
    a, b = leaves(5)
    out, gate = function.SwiGLUWithGate.apply(module(), a, b)
    assert out.requires_grad and not gate.requires_grad
    torch.testing.assert_close(gate, torch.sigmoid(a.detach()))
    with pytest.raises(RuntimeError, match="does not require grad"):
        gate.sum().backward()
    with Count() as count:
        result = torch.autograd.grad((out * gate).sum(), (a, b))  # gate counts as a constant
    torch.testing.assert_close(result, torch.autograd.grad((swiglu_torch(a, b) * gate).sum(), (a, b)))
    assert count.made == 2, "the two gradients, and no tensor of zeros for the gate"


# ---- the gradient that comes -----------------------------------------------------------------------------------------


@every_function
def test_gradients_that_are_not_contiguous(op):
    a, b = leaves(4, 6)
    weight = torch.randn(6, 4, dtype=torch.float64, device=device)
    zero = torch.zeros_like(a).detach()
    for loss in (
        lambda out: out.sum(),  # one element, expanded: strides (0, 0)
        lambda out: out.sum(0)[1:3].prod(),  # one row, expanded
        lambda out: (out.T * weight).sum(),  # transposed
        lambda out: out[:, ::2].square().sum(),  # every other element
        lambda out: torch.complex(zero, out).conj().abs().sum(),  # lazily negated, and every other element
    ):
        result = torch.autograd.grad(loss(op(a, b)), (a, b))
        expected = torch.autograd.grad(loss(reference(op)(a, b)), (a, b))
        torch.testing.assert_close(result, expected)
    negated = torch._neg_view(torch.ones_like(zero))  # lazily negated and contiguous
    expected = [-x for x in torch.autograd.grad(op(a, b).sum(), (a, b))]
    torch.testing.assert_close(torch.autograd.grad(op(a, b), (a, b), negated), tuple(expected))


@every_function
def test_a_gradient_of_another_kind(op):
    """Autograd brings it into the output's dtype, and refuses another shape or device, before backward is called."""
    a, b = leaves(4)
    ones = torch.ones(4, device=device)
    expected = torch.autograd.grad(reference(op)(a, b).sum(), (a, b))
    torch.testing.assert_close(torch.autograd.grad(op(a, b), (a, b), ones.float()), expected)
    for bad, message in (ones.double()[:3], "shape"), (ones.double().to("meta"), "device"):
        with pytest.raises(RuntimeError, match=message):
            torch.autograd.grad(op(a, b), (a, b), bad)


@every_function
def test_one_tensor_twice_and_a_result_changed_in_place(op):
    a, _ = leaves(4)

    def doubled(function):
        return function(a, a).mul_(2).sum()

    torch.testing.assert_close(torch.autograd.grad(doubled(op), a), torch.autograd.grad(doubled(reference(op)), a))


@pytest.mark.skipif(device.type == "cpu", reason="streams need a GPU")
@every_function
def test_backward_on_a_side_stream(op):
    """Autograd runs backward on the stream of forward."""
    values = leaves(2**20, dtype=torch.float32)
    expected = torch.autograd.grad(reference(op)(*values).square().sum(), values)
    for _ in range(5):
        late = [torch.zeros_like(v).requires_grad_() for v in values]
        torch.cuda.synchronize()
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            torch.cuda._sleep(20_000_000)
            with torch.no_grad():
                for x, value in zip(late, values, strict=True):
                    x.copy_(value)
            result = torch.autograd.grad(op(*late).square().sum(), late)
        side.synchronize()
        torch.testing.assert_close(result, expected, rtol=1e-5, atol=1e-5)


# ---- double backward -------------------------------------------------------------------------------------------------


def test_create_graph_gives_the_same_gradients():
    """gradgradcheck differentiates what create_graph gives, right or wrong: so compare that with the kernel's."""
    a, b = leaves(9)
    for op in add, swiglu:
        out = op(a, b).sum()
        with_graph = torch.autograd.grad(out, (a, b), create_graph=True)
        torch.testing.assert_close(with_graph, torch.autograd.grad(out, (a, b)))
        assert op is add or all(grad.requires_grad for grad in with_graph)


def test_the_third_derivative():
    """The second is made of torch's operations, so there is a third."""

    def third(op):
        a, b = leaves(5)
        (first,) = torch.autograd.grad(op(a, b).sum(), a, create_graph=True)
        (second,) = torch.autograd.grad(first.sum(), a, create_graph=True)
        return torch.autograd.grad(second.sum(), (a, b))

    torch.testing.assert_close(third(swiglu), third(swiglu_torch))


def penalty(op, a, b):
    """A loss that contains a gradient, as for a gradient penalty; and its gradient for a."""
    out = op(a, b)
    (first,) = torch.autograd.grad(out.sum(), a, create_graph=True)
    return torch.autograd.grad(out.sum() + first.square().sum(), a)[0]


def test_double_backward_is_right_in_cpp_and_refused_in_python():
    expected = penalty(swiglu_torch, *leaves(5))
    torch.testing.assert_close(penalty(swiglu, *leaves(5)), expected)
    with pytest.raises(RuntimeError, match="SwiGLU.backward runs a kernel and cannot be differentiated"):
        penalty(swiglu_python, *leaves(5))


def test_once_differentiable_does_not_refuse_enough():
    """torch's decorator raises in backward(), where the output's gradient requires grad. It lets pass torch.autograd.grad(),
    which does not visit the node that raises, and a gradient that is a constant, as that of sum()."""

    class Once(function.SwiGLU):
        @staticmethod
        @once_differentiable
        def backward(ctx, grad):
            return None, *ctx.module.swiglu_backward(grad.contiguous(), *ctx.saved_tensors)

    def once(a, b):
        return Once.apply(module(), a, b)

    def squared(op):
        return lambda a, b: op(a, b).square()

    a, b = leaves(5)
    (first,) = torch.autograd.grad(squared(once)(a, b).sum(), a, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        first.sum().backward()
    for ours, right in (squared(once), squared(swiglu_torch)), (once, swiglu_torch):
        assert not torch.allclose(penalty(ours, *leaves(5)), penalty(right, *leaves(5)))


def test_without_a_check_a_term_is_silently_lost():
    """What a Function gives whose backward calls a kernel under no_grad(), in Python and C++ alike."""

    class Careless(function.SwiGLU):
        @staticmethod
        def backward(ctx, grad):
            with torch.no_grad():
                return None, *ctx.module.swiglu_backward(grad.contiguous(), *ctx.saved_tensors)

    wrong = penalty(lambda a, b: Careless.apply(module(), a, b), *leaves(5))
    a, b = leaves(5)
    torch.testing.assert_close(wrong, torch.autograd.grad(swiglu_torch(a, b).sum(), a)[0])
    assert not torch.allclose(wrong, penalty(swiglu_torch, a, b))
