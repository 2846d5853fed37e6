"""Chapter 07: the kernels and the raw operators, to the last digit and the last element; what they refuse."""

import functools

import numpy
import pytest
import torch

from common import check, device
from common.checking import Guarded
from common.cpp_extension import load

from .functions import main, module, swiglu_torch


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", ["swiglu_forward", "swiglu_backward"])
def test_within_a_few_roundings(name, dtype):
    """Errors relative to the result; but 1 + a * (1 - s) may be close to 0, so its error is relative to 1 + abs(a)."""
    torch.manual_seed(0)
    a = torch.linspace(-80, 80, 100_003, dtype=dtype, device=device)
    b, grad = torch.randn_like(a), torch.randn_like(a)
    # float64 is no reference for float64; x86's long double has 11 more bits.
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
    # Both gradients are 0 on the left, however large grad and b are: grad * a and grad * b would overflow.
    grad = b = torch.full_like(a, largest)
    for gradients in module().swiglu_backward(grad, a, b), main.torch_backward(grad, a, b):
        for gradient in gradients:
            torch.testing.assert_close(gradient[:3], zero)
    a, b = a.requires_grad_(), b.requires_grad_()
    for gradient in torch.autograd.grad(module().swiglu(a, b), (a, b), grad, create_graph=True):
        torch.testing.assert_close(gradient[:3].detach(), zero)


@pytest.mark.kernels
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_every_alignment(dtype, thread_order):
    """Packs of 16 bytes, or single elements where one of the tensors does not begin at a multiple of 16 bytes."""
    tolerance = 16 * torch.finfo(dtype).eps

    def shifted(n, *offsets):
        return [torch.randn(n + k, dtype=dtype, device=device)[k:] for k in offsets]

    for n in (0, 1, 2, 3, 4, 5, 8, 9, 31, 1023):
        for k in (0, 1, 2, 3, 4, 7):
            for offsets in {(k, 0, 0), (0, k, 0), (0, 0, k), (k, k, k)}:
                grad, a, b = shifted(n, *offsets)
                with Guarded():
                    out, grads = module().swiglu_forward(a, b), module().swiglu_backward(grad, a, b)
                torch.testing.assert_close(out, swiglu_torch(a, b), rtol=tolerance, atol=tolerance)
                expected = main.torch_backward(grad, a, b)
                torch.testing.assert_close(grads, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.kernels
def test_float64_at_awkward_sizes(thread_order):
    two = functools.partial(main.inputs, dtype=torch.float64)
    three = functools.partial(two, backward=True)
    sizes = 0, 1, 3, 255, 256, 257, 2**16 + 3
    check(module().swiglu_backward, main.torch_backward, three, sizes, rtol=1e-14, atol=1e-14)
    check(module().swiglu, swiglu_torch, two, sizes, rtol=1e-14, atol=1e-14)
    check(module().add, torch.add, two, sizes, rtol=0, atol=0)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_rounded_once(dtype):
    """The nearest number of that dtype to what float64 gives, but for the few where float32 is not exact enough to tell."""
    grad, a, b = (x.to(dtype) for x in main.inputs(100_003, backward=True))
    double = [x.double() for x in (grad, a, b)]
    results = module().swiglu_forward(a, b), *module().swiglu_backward(grad, a, b)
    for result, exact in zip(results, (swiglu_torch(*double[1:]), *main.torch_backward(*double)), strict=True):
        assert (result != exact.to(dtype)).sum() < 100
    rounds_twice = swiglu_torch(a, b)  # torch's: silu(a) in memory, then the product
    differ = (rounds_twice != swiglu_torch(*double[1:]).to(dtype)).double().mean()
    assert 0.2 < differ < 0.3


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_create_graph_in_half_precision(dtype):
    """Within a rounding of the gradients without create_graph=True."""
    grad, a, b = (x.to(dtype).requires_grad_() for x in main.inputs(1000, backward=True))
    out = module().swiglu(a, b)
    kept = torch.autograd.grad(out, (a, b), grad, create_graph=True)
    for one, other in zip(kept, torch.autograd.grad(out, (a, b), grad), strict=True):
        assert one.dtype == dtype and one.requires_grad
        torch.testing.assert_close(one.detach(), other, rtol=torch.finfo(dtype).eps, atol=1e-6)


@pytest.mark.thorough
def test_torch_switches_off_conversions_of_half_precision(tmp_path):
    """Without main.py's flags. 3 s"""
    with pytest.raises(RuntimeError) as raised:
        load(
            name="no_conversions",
            sources=[str(main.here / "swiglu.cu")],
            extra_include_paths=[str(main.root)],
            build_directory=str(tmp_path),
        )
    words = ("no suitable conversion function", "invalid cast", "invalid static_cast", "cannot convert")
    assert "swiglu.cu" in str(raised.value) and any(word in str(raised.value) for word in words), raised.value


def test_output_mask():
    grad, a, b = main.inputs(9, backward=True)
    full = module().swiglu_backward(grad, a, b)
    for mask in (True, True), (True, False), (False, True), (False, False):
        result = module().swiglu_backward(grad, a, b if mask[0] else None, output_mask=mask)
        for one, expected, wanted in zip(result, full, mask, strict=True):
            assert torch.equal(one, expected) if wanted else one is None
