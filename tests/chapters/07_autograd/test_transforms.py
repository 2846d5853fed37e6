"""Chapter 07: what else torch does with a function: torch.func, vmap, torch.compile, autocast, checkpoints."""

import pytest
import torch
import torch.utils.checkpoint

from common import device

from .functions import add, both_swiglus, every_function, leaves, reference, swiglu_torch


def forward_mode(op, a, b):
    with torch.autograd.forward_ad.dual_level():
        return op(torch.autograd.forward_ad.make_dual(a, b), b)


def batch_of_gradients(op, a, b):
    a.requires_grad_()
    return torch.autograd.grad(op(a, b), a, torch.eye(3, dtype=a.dtype, device=device), is_grads_batched=True)


REFUSED = {
    "torch.func.grad": ("functorch transforms", lambda op, a, b: torch.func.grad(lambda a: op(a, b).sum())(a)),
    "torch.vmap": ("functorch transforms", lambda op, a, b: torch.vmap(op)(a, b)),
    "forward mode": ("jvp", forward_mode),
    "is_grads_batched": ("grad must be a plain tensor", batch_of_gradients),  # backward with a batch for a gradient
    "fullgraph": ("(?i)trace|skip", lambda op, a, b: torch.compile(op, backend="eager", fullgraph=True)(a, b)),
}


@pytest.mark.filterwarnings("ignore")  # torch's own, and Dynamo's words on what it cannot trace
@pytest.mark.parametrize("what", REFUSED)
@both_swiglus
def test_what_needs_more_than_a_function_is_refused(op, what):
    """Never a wrong result; and the next call is right."""
    message, call = REFUSED[what]
    with pytest.raises((RuntimeError, NotImplementedError, ValueError), match=message):
        call(op, *leaves(3, needs=(False, False)))
    assert torch.autograd.gradcheck(op, leaves(3))


def test_add_takes_a_batch_of_gradients():
    """Its backward has no kernel, and torch's tensors know about batches."""
    a, b = leaves(3, needs=(False, False))
    assert torch.equal(batch_of_gradients(add, a, b)[0], torch.eye(3, dtype=a.dtype, device=device))


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")
@every_function
def test_torch_compile_leaves_it_as_it_is(op):
    """A graph before it and one behind it, and the gradients of all."""
    inputs = leaves(3)

    def layer(op):
        return lambda a, b: op(2 * a, b).square() + 1

    result = torch.compile(layer(op), backend="aot_eager")(*inputs)
    expected = layer(reference(op))(*inputs)
    torch.testing.assert_close(result, expected)
    torch.testing.assert_close(torch.autograd.grad(result.sum(), inputs), torch.autograd.grad(expected.sum(), inputs))


@every_function
def test_autocast(op):
    """A linear layer gives half precision there: right. Beside a tensor of float32 it is refused, and after .float() right."""
    x = torch.randn(2, 4, device=device)
    linear = torch.nn.Linear(4, 4, device=device)
    with torch.autocast(device.type, torch.bfloat16):
        a = linear(x)
        with pytest.raises(TypeError, match="b must have dtype BFloat16, got Float"):
            op(a, x)
        for result, expected in [(f(a, a).sum() for f in (op, reference(op))),
                                 (f(a.float(), x).sum() for f in (op, reference(op)))]:  # fmt: skip
            gradients = (torch.autograd.grad(y, linear.weight, retain_graph=True) for y in (result, expected))
            torch.testing.assert_close(*gradients, rtol=2**-6, atol=2**-6)


@both_swiglus
def test_checkpoint(op):
    """Saves the inputs alone, and computes forward once more for backward."""
    inputs = leaves(3)
    out = torch.utils.checkpoint.checkpoint(lambda a, b: op(2 * a, b), *inputs, use_reentrant=False)
    expected = torch.autograd.grad(swiglu_torch(2 * inputs[0], inputs[1]).sum(), inputs)
    torch.testing.assert_close(torch.autograd.grad(out.sum(), inputs), expected)
