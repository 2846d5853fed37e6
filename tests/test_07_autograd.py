"""Chapter 07: gradients checked against differences, what autograd is told and what it keeps, and a model that learns."""

import re
import sys

import numpy
import pytest
import torch
from conftest import chapter, operators
from torch.autograd.function import once_differentiable
from torch.utils._python_dispatch import TorchDispatchMode

from common import check, device
from common.checking import Guarded

sys.path.append(str(chapter("07_autograd").here))  # memory.py and training.py import function.py
function = chapter("07_autograd", "function")


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


both_swiglus = pytest.mark.parametrize("op", [swiglu, swiglu_python])
every_function = pytest.mark.parametrize("op", [add, swiglu, swiglu_python])


def leaves(*shape, dtype=torch.float64, needs=(True, True)):
    torch.manual_seed(0)
    return [torch.randn(shape, dtype=dtype, device=device).requires_grad_(need) for need in needs]


# ---- right -----------------------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", ["swiglu_forward", "swiglu_backward"])
def test_within_a_few_roundings(name, dtype):
    """Of what? 1 + a * (1 - s) may be close to 0, and then its error is not small beside it; it is beside 1 + abs(a)."""
    torch.manual_seed(0)
    a = torch.linspace(-80, 80, 100_003, dtype=dtype, device=device)
    b, grad = torch.randn_like(a), torch.randn_like(a)
    # float64 cannot judge float64: x86's long double has 11 more bits.
    x, y, g = (t.cpu().numpy().astype("longdouble") for t in (a, b, grad))
    e = numpy.exp(-x)
    s = 1 / (1 + e)
    if name == "swiglu_forward":
        cases = [(module().swiglu_forward(a, b), x * s * y, abs(x * s * y))]
    else:
        grad_a, grad_b = module().swiglu_backward(grad, a, b)
        cases = [
            (grad_a, g * y * s * (1 + x * e * s), abs(g * y * s) * (1 + abs(x))),
            (grad_b, g * x * s, abs(g * x * s)),
        ]
    for result, exact, scale in cases:
        error = abs(result.cpu().numpy() - exact) / (scale * torch.finfo(dtype).eps)
        assert error.max() < 6, f"{error.max()} times the machine's epsilon, at a = {x[error.argmax()]}"


@pytest.mark.parametrize("dtype, largest", [(torch.float32, 3e38), (torch.float64, 1e308)])
def test_large_numbers_give_no_nan(dtype, largest):
    """exp(-a) overflows below -89 (float32) and -710 (float64); silu is 0 there, and a on the other side."""
    edge = 88.8 if dtype == torch.float32 else 709.9
    a = torch.tensor([-largest, -1000, -edge, edge, 1000, largest], dtype=dtype, device=device)
    one = torch.ones_like(a)
    zero = torch.zeros(3, dtype=dtype, device=device)
    torch.testing.assert_close(module().swiglu_forward(a, one), torch.cat([zero, a[3:]]))
    grad_a, grad_b = module().swiglu_backward(one, a, one)
    torch.testing.assert_close(grad_a, torch.cat([zero, one[3:]]))
    torch.testing.assert_close(grad_b, torch.cat([zero, a[3:]]))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_every_alignment(dtype, thread_order):
    """Packs of 16 bytes, or single elements where one of the tensors does not begin at a multiple of 16 bytes."""
    tolerance = 16 * torch.finfo(dtype).eps

    def shifted(n, *offsets):
        return [torch.randn(n + k, dtype=dtype, device=device)[k:] for k in offsets]

    for n in (0, 1, 2, 3, 4, 5, 31, 1023):
        for k in range(4):
            for offsets in {(k, 0, 0), (0, k, 0), (0, 0, k), (k, k, k)}:
                grad, a, b = shifted(n, *offsets)
                with Guarded():
                    out, grads = module().swiglu_forward(a, b), module().swiglu_backward(grad, a, b)
                torch.testing.assert_close(out, swiglu_torch(a, b), rtol=tolerance, atol=tolerance)
                expected = chapter("07_autograd").torch_backward(grad, a, b)
                torch.testing.assert_close(grads, expected, rtol=tolerance, atol=tolerance)


def test_float64_at_awkward_sizes(thread_order):
    inputs = chapter("07_autograd").tensors(3, torch.float64)
    backward = chapter("07_autograd").torch_backward
    check(module().swiglu_backward, backward, inputs, rtol=1e-14, atol=1e-14)
    check(module().swiglu, swiglu_torch, lambda n: inputs(n)[:2], rtol=1e-14, atol=1e-14)
    check(module().add, torch.add, lambda n: inputs(n)[:2], rtol=0, atol=0)


# ---- what autograd keeps: save_for_backward ----------------------------------------------------------------------------


def saved(op, n=1000, needs=(True, True), dtype=torch.float32):
    """How many tensors of n elements op saves."""
    memory = chapter("07_autograd", "memory")
    return memory.saved_bytes(op, *leaves(n, dtype=dtype, needs=needs)) / (n * dtype.itemsize)


def test_only_what_backward_needs_is_saved():
    notes = chapter("07_autograd", "memory").AddOfTheNotes
    assert saved(add) == 0 and saved(lambda a, b: notes.apply(module(), a, b)) == 2
    assert saved(swiglu_torch) == 3  # a, b, and silu(a), which nobody else needs
    for op in swiglu, swiglu_python:
        assert saved(op) == saved(op, dtype=torch.float64) == saved(op, needs=(True, False)) == 2
        assert saved(op, needs=(False, True)) == 1, "b's gradient needs a alone"
        assert saved(op, needs=(False, False)) == 0
        with torch.no_grad():
            assert saved(op) == 0


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
def test_saved_tensors_are_freed_by_backward(op):
    out = op(*leaves(3)).sum()
    out.backward()
    with pytest.raises(RuntimeError, match="(?i)backward through the graph a second time"):
        out.backward()


def test_the_table_of_memory(capsys):
    table = chapter("07_autograd", "memory").main(module(), n=2**20)
    assert [row[0] // 2**22 for row in table.values()] == [2, 0, 3, 2, 2, 1]
    assert len(re.findall(r"^        .* MiB$", capsys.readouterr().out, re.M)) == 6


@pytest.mark.skipif(device.type == "cpu", reason="torch counts the bytes of a GPU's memory only")
def test_memory_of_the_gpu():
    n = 2**20
    allocated_bytes = chapter("07_autograd", "memory").allocated_bytes

    def arrays(op, needs=(True, True)):
        return [nbytes / (4 * n) for nbytes in allocated_bytes(op, *leaves(n, dtype=torch.float32, needs=needs))]

    assert arrays(add)[0] == 1, "the output"
    assert arrays(swiglu)[0] == arrays(swiglu_python)[0] == 3, "a, b, the output"
    assert arrays(swiglu_torch)[0] == 4, "silu(a), too"
    assert arrays(swiglu, needs=(False, True))[0] == 2
    assert arrays(swiglu)[1] < arrays(swiglu_torch)[1], "the peak"


# ---- needs_input_grad, mark_non_differentiable, gradients that lie differently in memory --------------------------------


class Count(TorchDispatchMode):
    """How many tensors are made by an empty function inside `with`."""

    made = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.made += "empty" in func.name()
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
        # Python's needs_input_grad only knows what requires grad, C++'s also what this call asks for.
        assert count.made == (2 if op is swiglu_python and not frozen else 1)


def test_output_mask():
    grad, a, b = chapter("07_autograd").tensors(3)(9)
    full = module().swiglu_backward(grad, a, b)
    for mask in (True, True), (True, False), (False, True), (False, False):
        result = module().swiglu_backward(grad, a, b if mask[0] else None, output_mask=mask)
        for one, expected, wanted in zip(result, full, mask, strict=True):
            assert torch.equal(one, expected) if wanted else one is None


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
    assert count.made <= 2 + 1, "no tensor of zeros for the gate"  # the two gradients, and ones for the sum


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
        expected = torch.autograd.grad(loss(torch.add(a, b) if op is add else swiglu_torch(a, b)), (a, b))
        torch.testing.assert_close(result, expected)
    negated = torch._neg_view(torch.ones_like(zero))  # lazily negated and contiguous
    expected = [-x for x in torch.autograd.grad(op(a, b).sum(), (a, b))]
    torch.testing.assert_close(torch.autograd.grad(op(a, b), (a, b), negated), tuple(expected))


def test_the_raw_operator_refuses_an_expanded_gradient():
    """It gets a pointer: a stride of 0 would have it read beyond the one element that there is."""
    _, a, b = chapter("07_autograd").tensors(3)(9)
    with pytest.raises(ValueError, match=r"grad must be contiguous, got strides \[0\]"):
        module().swiglu_backward(torch.ones((), device=device).expand(9), a, b)


# ---- double backward ---------------------------------------------------------------------------------------------------


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


def test_without_a_check_a_term_is_lost_in_silence():
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


def test_torch_func_is_refused():
    with pytest.raises(RuntimeError, match="C\\+\\+"):
        torch.func.grad(lambda a, b: swiglu(a, b).sum())(*leaves(3, needs=(False, False)))


# ---- bad input, and after it -------------------------------------------------------------------------------------------


@every_function
def test_two_dtypes_are_refused(op):
    a, b = leaves(4)
    for args in (a, b.float()), (a.float(), b):
        with pytest.raises(TypeError, match="b must have dtype (Double, got Float|Float, got Double)"):
            op(*args)
    with pytest.raises(TypeError, match="a must have dtype Float or Double, got Half"):
        op(a.half(), b.half())
    op(a, b).sum().backward()


@pytest.mark.parametrize("i, name", [(0, "grad"), (2, "b")])
def test_swiglu_backward_takes_one_dtype(i, name):
    args = list(chapter("07_autograd").tensors(3)(4))
    args[i] = args[i].double()
    with pytest.raises(TypeError, match=f"{name} must have dtype Float, got Double"):
        module().swiglu_backward(*args)


@every_function
def test_broadcasting_is_refused(op):
    """A broadcast input's gradient would have to be summed: expand it outside, where torch sums it."""
    a, b = leaves(4, 3)
    with pytest.raises(ValueError, match="a and b must have the same shape"):
        op(a, b[0])
    op(a, b[0].expand(4, 3).contiguous()).sum().backward()
    assert b.grad is not None and not b.grad[1:].any()


@pytest.mark.skipif(device.type == "cpu", reason="streams need a GPU")
@every_function
def test_backward_on_a_side_stream(op):
    """Autograd runs backward on the stream of forward."""
    reference = torch.add if op is add else swiglu_torch
    values = leaves(2**20, dtype=torch.float32)
    expected = torch.autograd.grad(reference(*values).square().sum(), values)
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


# ---- training ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def one_thread():
    """Small tensors: torch's threads wait for one another longer than they work."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def test_training(capsys, one_thread):
    """float64, so that rounding does not grow to be seen: the three models stay together, and leave the line behind."""
    curves, seconds = chapter("07_autograd", "training").train(module(), torch.float64, steps=160)
    assert seconds.keys() == curves.keys() and all(0 < s < 1 for s in seconds.values())
    fused, python, plain, linear = (curves[name] for name in ("C++", "Python", "torch", "linear"))
    assert len(fused) == len(linear) == 160
    for curve in fused, python:
        torch.testing.assert_close(curve, plain, rtol=0, atol=1e-8)
    assert fused[0] > 0.6 and fused[-1] < 0.2, "it has learned"
    assert min(linear) > 0.6, "a guess is ln 2 = 0.69"
    printed = capsys.readouterr().out
    assert len(re.findall(r"^ +\d+ steps( +\d\.\d{4}){4}$", printed, re.M)) == 10
    assert "C++ and torch differ by at most" in printed


def test_training_in_float32_stays_within_rounding(one_thread):
    curves, _ = chapter("07_autograd", "training").train(module(), steps=20, rows=2)
    torch.testing.assert_close(curves["C++"], curves["torch"], rtol=1e-4, atol=1e-4)
    assert curves["C++"] == curves["Python"], "the same kernels"


def test_the_same_seed_gives_the_same_curve(one_thread):
    training = chapter("07_autograd", "training")
    assert training.train(module(), steps=6, rows=2)[0] == training.train(module(), steps=6, rows=2)[0]
    assert torch.equal(training.two_spirals()[0], training.two_spirals()[0])
