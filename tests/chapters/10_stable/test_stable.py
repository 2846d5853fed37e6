"""Chapter 10: the operators by the stable ABI are chapter 09's, refuse the same with the same words, and compile. 20 s"""

import re

import pytest
import torch
from torch._subclasses import FakeTensorMode

from common import device
from tests.chapters.operator_cases import Computes, Plain, resized
from tests.support import ROOT, chapter, operators

CHAPTER = "10_stable"


@pytest.fixture(scope="module")
def ops():
    return operators(CHAPTER)


def tensors(*shape, dtype=torch.float64, on=device):
    torch.manual_seed(0)
    return tuple(torch.randn(s, dtype=dtype, device=on) for s in (shape, shape[-1:]))


def reference(x, bias, approximate="none"):
    return torch.nn.functional.gelu(x + bias, approximate=approximate)


# ---- refused, with the words of the other chapters -------------------------------------------------------------------

REFUSED = {  # change: words
    "ints": (lambda x, b: (x.long(), b), "x must have dtype Float or Double or Half or BFloat16, got "),
    "other bias": (lambda x, b: (x, b.float()), "bias must have dtype Double, got "),
    "transposed": (lambda x, b: (x.t(), b), "x must be contiguous, got strides "),
    "bias with gaps": (lambda x, b: (x, b.repeat(2)[::2]), "bias must be contiguous, got strides "),
    "expanded": (lambda x, b: (x[:1].expand(3, 4), b), "x must be contiguous, got strides "),
    "no dimension": (lambda x, b: (x[0, 0], b), "x must have 1 dimension or more, got 0"),
    "short bias": (lambda x, b: (x, b[:3]), "bias must have the shape [4], as x has the shape "),
    "bias of rows": (lambda x, b: (x, x), "bias must have the shape [4], as x has the shape "),
}


def words_of(error):
    """Without function, file and line, with which STD_TORCH_CHECK begins."""
    return re.sub(r"^\w+, \S+:\d+, ", "", str(error).splitlines()[0])


@pytest.mark.parametrize("where", ["real", "meta", "fake"])
@pytest.mark.parametrize("change, words", REFUSED.values(), ids=REFUSED)
def test_refused_with_memory_and_without(ops, change, words, where):
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    x, bias = change(*tensors(3, 4, on="meta" if where == "meta" else device))
    x, bias = (mode.from_tensor(t) for t in (x, bias)) if where == "fake" else (x, bias)
    calls = [lambda: ops.bias_gelu(x, bias), lambda: ops.bias_gelu_(x, bias),
             lambda: ops.bias_gelu_backward(x, x, bias)]  # fmt: skip
    for call in calls:
        with pytest.raises(RuntimeError) as info:
            call()
        assert type(info.value) is RuntimeError and words_of(info.value).startswith(words)


def test_in_place_refuses_gradients(ops):
    for name, (x, bias) in {"x": tensors(3, 4), "bias": tensors(3, 4)}.items():
        {"x": x, "bias": bias}[name].requires_grad_()
        with pytest.raises(RuntimeError, match=f"{name} requires grad, but this operator has no backward"):
            ops.bias_gelu_(x, bias)


def test_refused_by_the_kernel_alone(ops):
    x, bias = tensors(3, 4)
    for words, call in {
        "bias must be a tensor, got an undefined one": lambda: ops.bias_gelu(x, None),
        "x must have 96 bytes of memory, got a storage of 0: it was resized": lambda: ops.bias_gelu(
            resized(x.clone(), 0), bias
        ),
        "bias must have 32 bytes of memory, got a storage of 31: it was resized": lambda: ops.bias_gelu(
            x, resized(bias.clone(), 31)
        ),
        "x must have 192 bytes of memory, got a storage of 96": lambda: ops.bias_gelu(
            resized(torch.cat([x, x])[3:], 96), bias
        ),
        "approximate must be none or tanh, got erf": lambda: ops.bias_gelu(x, bias, approximate="erf"),
        "x must not share memory with bias": lambda: ops.bias_gelu_(x, x[2]),
        "grad must have dtype Double, got Float": lambda: ops.bias_gelu_backward(x.float(), x, bias),
        "grad must be contiguous, got strides [0, 0] for shape [3, 4]; pass grad.contiguous()": lambda: (
            ops.bias_gelu_backward(x[0, 0].expand(3, 4), x, bias)
        ),
        "grad and x must have the same shape, got [2, 4] and [3, 4]": lambda: ops.bias_gelu_backward(x[:2], x, bias),
    }.items():
        with pytest.raises(RuntimeError) as info:
            call()
        assert words_of(info.value).startswith(words)
        torch.testing.assert_close(ops.bias_gelu(x, bias), reference(x, bias))  # an ordinary call works


def test_another_device(ops):
    x, bias = tensors(3, 4)
    with pytest.raises(RuntimeError, match="x and bias must be on the same device, got .* and meta"):
        ops.bias_gelu(x, bias.to("meta"))
    if device.type == "cuda":
        with pytest.raises(RuntimeError, match="bias must be on cuda, got cpu"):
            ops.bias_gelu(x, bias.cpu())
        with pytest.raises(NotImplementedError, match="Could not run 'chapter10::bias_gelu'.*'CPU' backend"):
            ops.bias_gelu(x.cpu(), bias.cpu())
    if torch.cuda.device_count() > 1:
        with pytest.raises(RuntimeError, match="x and bias must be on the same device, got cuda:0 and cuda:1"):
            ops.bias_gelu(x, bias.to("cuda:1"))


# ---- what check_tensor.h looks for, and the stable ABI does not show --------------------------------------------------


def test_what_the_dispatcher_takes_care_of(ops):
    x, bias = tensors(3, 4)
    expected = reference(x, bias)
    for name, call in {
        "lazily negated": lambda: ops.bias_gelu(torch._neg_view(-x), bias),
        "vmap": lambda: torch.vmap(ops.bias_gelu, (0, None))(x.view(3, 1, 4), bias).view(3, 4),
        "functionalize": lambda: torch.func.functionalize(ops.bias_gelu)(x, bias),
        "subclass": lambda: ops.bias_gelu(x.as_subclass(Plain), bias).as_subclass(torch.Tensor),
        "copied on write": lambda: ops.bias_gelu(torch._lazy_clone(x), bias),
        "in place, negated": lambda: (y := torch._neg_view(-x), ops.bias_gelu_(y, bias))[0],
    }.items():
        torch.testing.assert_close(call(), expected, msg=name)
    for bad, error in {
        torch._efficientzerotensor((3, 4), dtype=x.dtype, device=device): RuntimeError,
        x.to_sparse(): NotImplementedError,
        torch.nested.nested_tensor([x, x]): NotImplementedError,
        torch.Tensor._make_subclass(Computes, x): NotImplementedError,
    }.items():
        with pytest.raises(error):
            ops.bias_gelu(bad, bias)


@pytest.mark.parametrize("in_dims, of_x, of_bias", [((0, 0), (0, 3, 4), (0, 4)), ((None, 0), (3, 4), (0, 4))])
def test_vmap_of_an_empty_batch(ops, in_dims, of_x, of_bias):
    x, bias = (torch.empty(shape, device=device, requires_grad=True) for shape in (of_x, of_bias))
    result = torch.vmap(ops.bias_gelu, in_dims)(x, bias)
    assert result.shape == (0, 3, 4)
    of = torch.autograd.grad(result.sum(), (x, bias))
    assert of[0].shape == x.shape and not of[0].any() and of[1].shape == bias.shape


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_autocast(ops, dtype):
    """An x of half precision stays so beside a bias of its dtype. Beside one of float32, both become float32."""
    x, bias = (t.requires_grad_() for t in tensors(3, 4, dtype=dtype))
    full = [t.detach().float().requires_grad_() for t in (x, bias)]
    with torch.autocast(device.type, dtype):
        alike, result = ops.bias_gelu(x, bias), ops.bias_gelu(x, bias.float())
    assert alike.dtype == dtype and torch.equal(alike, ops.bias_gelu(x, bias))
    expected = ops.bias_gelu(*full)
    assert result.dtype == torch.float32 and torch.equal(result, expected)
    of, right = torch.autograd.grad(result.sum(), (x, bias)), torch.autograd.grad(expected.sum(), full)
    assert all(torch.equal(a, b.to(dtype)) for a, b in zip(of, right, strict=True))


def test_func_grad_is_refused(ops):
    """torch's own words: the Function that register_autograd makes is not one for transforms."""
    x, bias = tensors(3, 4)
    with pytest.raises(RuntimeError, match="functorch transforms"):
        torch.func.grad(lambda x: ops.bias_gelu(x, bias).sum())(x)


def test_a_tangent_is_silently_lost(ops):
    """torch's own: an operator of torch.library has no forward-mode derivative, and torch does not say so. Chapter 07's
    check_plain() sees the tangent in at::Tensor; the stable ABI does not show it. If this fails, torch has learnt it."""
    x, bias = tensors(3, 4)
    _, tangent = torch.func.jvp(lambda x: ops.bias_gelu(x, bias), (x,), (x,))
    assert not tangent.any()


# ---- a GPU's streams and devices -------------------------------------------------------------------------------------
on_a_gpu = pytest.mark.skipif(device.type == "cpu", reason="streams need a GPU")


@on_a_gpu
def test_torchs_current_stream(ops):
    x, bias = tensors(1024, 1024)
    expected = reference(x, bias)
    for _ in range(5):
        late = torch.zeros_like(x)
        torch.cuda.synchronize()
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            torch.cuda._sleep(20_000_000)
            late.copy_(x)
            result = ops.bias_gelu(late, bias)
            grads = ops.bias_gelu_backward(late, late, bias)
        side.synchronize()
        torch.testing.assert_close(result, expected)
        torch.testing.assert_close(grads, ops.bias_gelu_backward(x, x, bias))


@on_a_gpu
def test_in_a_cuda_graph(ops):
    """A kernel on another stream than torch's would not be in the graph: its result would be that of the capture."""
    compiled = torch.compile(lambda x, bias: ops.bias_gelu(x, bias) + 1, mode="reduce-overhead", fullgraph=True)
    for i in range(5):
        x, bias = (t + i for t in tensors(64, 64))
        torch.testing.assert_close(compiled(x, bias), reference(x, bias) + 1)


@pytest.mark.skipif(torch.cuda.device_count() < 2 or device.type == "cpu", reason="needs two GPUs")
def test_on_the_tensors_gpu_whichever_is_current(ops):
    x, bias = tensors(300, 64, on="cuda:1")
    assert torch.cuda.current_device() == 0
    torch.testing.assert_close(ops.bias_gelu(x, bias), reference(x, bias))
    assert torch.cuda.current_device() == 0


def test_main_and_setup_target_the_same_torch():
    main, setup = ((ROOT / "chapters" / CHAPTER / name).read_text() for name in ("main.py", "setup.py"))
    assert re.findall("TARGET_VERSION=(0x[0-9a-f]{16})", setup) == ["0x020b000000000000"]
    assert chapter(CHAPTER).TARGET in setup and chapter(CHAPTER).TARGET in main
