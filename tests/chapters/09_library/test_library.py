"""Chapter 09: the kernels at all layouts, gradients of both kinds, the in-place operator, and what the dispatcher refuses."""

import re
import subprocess
import sys

import pytest
import torch

from common import device
from common.cpp_extension import extension_folder
from tests.chapters.opinfo import bias_gelu as gelu
from tests.chapters.opinfo import bias_gelu_backward as backward
from tests.support import ROOT, in_packs, needs_gpu_memory, operators, ptx_of

HALF = (torch.float16, torch.bfloat16)
DTYPES = (torch.float32, torch.float64, *HALF)
APPROXIMATE = ("none", "tanh")
# One row, narrow ones, one tile and several, rows of packs and rows that begin anywhere,
# packs that reach into the next row and that go around a short one, elements behind the last pack, nothing.
SHAPES = [(1,), (7,), (1024,), (5, 1), (3000, 1), (1000, 3), (300, 4), (64, 32), (9, 255), (5, 3), (5, 1023), (5, 1028),
          (70, 2052), (70, 2056), (3, 8208), (3, 4095), (2, 3, 5, 8), (2, 0, 3), (0, 4), (3, 0), (0,)]  # fmt: skip


@pytest.fixture
def ops():
    return operators("09_library")


IN_CPP = pytest.param("build_cpp", id="C++", marks=pytest.mark.thorough)  # `make test` builds no other than build()


@pytest.fixture(params=[pytest.param("build", id="Python"), IN_CPP])
def bias_gelu(request):
    """The operator with either gradient."""
    return operators("09_library", request.param).bias_gelu


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def random(*shapes, dtype=torch.float64, **options):
    return [torch.randn(shape, dtype=dtype, device=device, **options) for shape in shapes]


def close(result, expected, of=64):
    """`of` roundings of float32 or float64; in half precision, which is rounded once more, neighbours are close as well."""
    eps = torch.finfo(torch.promote_types(expected.dtype, torch.float32)).eps
    torch.testing.assert_close(result, expected, rtol=max(of * eps, torch.finfo(expected.dtype).eps), atol=of * eps)


# ---- the kernels -----------------------------------------------------------------------------------------------------
@pytest.mark.kernels
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_forward_and_backward(ops, shape, dtype, thread_order):
    for approximate in APPROXIMATE:
        x, bias, grad = random(shape, shape[-1:], shape, dtype=dtype)
        close(ops.bias_gelu(x, bias, approximate=approximate), gelu(x, bias, approximate))
        of_x, of_bias = ops.bias_gelu_backward(grad, x, bias, approximate=approximate)
        expected_x, expected_bias = backward(grad, x, bias, approximate)
        close(of_x, expected_x)
        close(of_bias, expected_bias, of=256)


@pytest.mark.kernels
@pytest.mark.parametrize("begins", [1, 2, 3, 4, 8])
@pytest.mark.parametrize("which", range(3))
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_an_argument_that_begins_anywhere(ops, begins, which, dtype):
    """16 bytes are loaded at once where all begin at a multiple of 16, and not where one does not."""
    arguments = random((6, 8), (6, 8), (8,), dtype=dtype)
    shape = arguments[which].shape
    arguments[which] = random((begins + shape.numel(),), dtype=dtype)[0][begins:].view(shape)
    grad, x, bias = arguments
    close(ops.bias_gelu(x, bias), gelu(x, bias))
    for result, expected in zip(ops.bias_gelu_backward(grad, x, bias), backward(grad, x, bias), strict=True):
        close(result, expected)


@pytest.mark.parametrize("approximate", APPROXIMATE)
@pytest.mark.parametrize("dtype", HALF, ids=str)
def test_half_precision_is_rounded_once(ops, dtype, approximate):
    """The nearest number of that dtype to what float64 gives, but for the few where float32 is not exact enough to tell."""
    grad, x, bias = random((1000, 104), (1000, 104), (104,), dtype=dtype)
    exact = gelu(x, bias, approximate), *backward(grad, x, bias, approximate)
    results = (
        ops.bias_gelu(x, bias, approximate=approximate),
        *ops.bias_gelu_backward(grad, x, bias, approximate=approximate),
    )
    for result, expected in zip(results, exact, strict=True):
        assert (result != expected).sum() <= 0.01 * expected.numel()
    rounds_twice = torch.nn.functional.gelu(x + bias, approximate=approximate)
    assert (rounds_twice != exact[0]).sum() > 0.1 * x.numel()


@needs_gpu_memory(60)
@pytest.mark.parametrize("columns", [4096, 4095, 3])
def test_more_than_2_to_the_31_elements(ops, columns):
    rows = 2**31 // columns + 3
    x, grad, bias = random((rows, columns), (rows, columns), (columns,), dtype=torch.float32)
    result = ops.bias_gelu(x, bias)
    of_x, of_bias = ops.bias_gelu_backward(grad, x, bias)
    total = torch.zeros(columns, dtype=torch.float64, device=device)
    for part in zip(*(t.split(rows // 32) for t in (x, grad, result, of_x)), strict=True):
        close(part[2], gelu(part[0], bias))
        expected = torch.ops.aten.gelu_backward(part[1].double(), (part[0] + bias).double())
        close(part[3], expected.float())
        total += expected.sum(0)
    torch.testing.assert_close(of_bias, total.float(), rtol=1e-4, atol=3e-5 * rows**0.5)


def test_a_bias_gradient_has_the_same_bits_each_time(ops):
    grad, x, bias = random((5000, 12), (5000, 12), (12,), dtype=torch.float32)
    first = ops.bias_gelu_backward(grad, x, bias)[1]
    assert all(torch.equal(ops.bias_gelu_backward(grad, x, bias)[1], first) for _ in range(20))


@pytest.mark.thorough
def test_a_pack_is_one_store(tmp_path):
    """In the kernel for arrays that begin anywhere (Lb1), only where it begins at a multiple of 16 bytes."""
    kernels = ptx_of(ROOT / "chapters/09_library/bias_gelu.cu", tmp_path)
    packed = [code for name, code in kernels.items() if re.search(r"_kernelI\w+Li[248]E(?!Lb1)", name)]
    assert len(packed) == 16 and all(in_packs(code, "st") for code in packed)  # forward, backward; 4 types; 2 functions
    anywhere = [code for name, code in kernels.items() if re.search(r"_kernelI\w+Li[248]ELb1", name)]
    assert anywhere and all(re.search(r"st\.global\.(v4\.\w32|v2\.\w64)", code) for code in anywhere)


# ---- gradients -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("wanted", ["x", "bias"])
def test_one_gradient_alone(bias_gelu, wanted):
    x, bias = random((3, 5), (5,))
    leaf = {"x": x, "bias": bias}[wanted].requires_grad_()
    (result,) = torch.autograd.grad(bias_gelu(x, bias).square().sum(), leaf)
    (expected,) = torch.autograd.grad(gelu(x, bias).square().sum(), leaf)
    close(result, expected)


def test_a_saved_tensor_that_was_changed(bias_gelu):
    x, bias = random((3, 5), (5,), requires_grad=True)
    y = x * 1
    result = bias_gelu(y, bias)
    with torch.no_grad():
        y.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.sum().backward()


@pytest.mark.parametrize("dtype", HALF, ids=str)
def test_second_derivatives_in_half_precision(ops, dtype):
    """Those of float64, rounded once."""

    def second(leaves, vectors):
        return torch.autograd.grad(ops.bias_gelu_backward(*leaves), leaves, vectors)

    leaves = random((20, 8), (20, 8), (8,), dtype=dtype, requires_grad=True)
    vectors = random((20, 8), (8,), dtype=dtype)
    results, exact = second(leaves, vectors), second([t.double() for t in leaves], [t.double() for t in vectors])
    for result, expected in zip(results, exact, strict=True):
        close(result, expected.to(dtype))


def test_checkpoint(bias_gelu):
    x, bias = random((3, 5), (5,), requires_grad=True)
    torch.utils.checkpoint.checkpoint(bias_gelu, x, bias, use_reentrant=False).sum().backward()
    close(x.grad, torch.autograd.grad(gelu(x, bias).sum(), x)[0])


@pytest.mark.parametrize("how", ["func.jvp", "jacfwd", "dual"])
@pytest.mark.parametrize("of", ["x", "bias"])
def test_forward_mode_is_refused(bias_gelu, ops, how, of):
    """register_autograd alone would go on without the tangent: torch.func.jvp would say that the derivative is 0."""

    def call(op, x, bias):
        if how == "dual":
            with torch.autograd.forward_ad.dual_level():
                dual = {"x": x, "bias": bias}
                dual[of] = torch.autograd.forward_ad.make_dual(dual[of], dual[of])
                return op(dual["x"], dual["bias"])
        function, argument = (lambda x: op(x, bias), x) if of == "x" else (lambda bias: op(x, bias), bias)
        if how == "jacfwd":
            return torch.func.jacfwd(function)(argument)
        return torch.func.jvp(function, (argument,), (argument,))

    x, bias = random((3, 5), (5,))
    said = f"{of} has a forward-mode gradient, but this operator has no jvp and would silently drop it"
    with pytest.raises((ValueError, RuntimeError), match=f"{said}|cannot use C.. torch::autograd::Function"):
        call(bias_gelu, x, bias)
    with pytest.raises(ValueError, match=said):
        call(lambda x, bias: ops.bias_gelu_(x * 1, bias * 1), x, bias)


def test_reverse_mode_of_torch_func_is_refused(bias_gelu):
    """By torch: an autograd.Function of your own (chapter 07) can take part, a registered gradient cannot."""
    x, bias = random((3, 5), (5,))
    with pytest.raises(
        RuntimeError, match=r"must override the setup_context|cannot use C\+\+ torch::autograd::Function"
    ):
        torch.func.grad(lambda x: bias_gelu(x, bias).sum())(x)


WITHOUT_PYTHON = """
import torch
from common import device
for path in {paths}: torch.ops.load_library(path)
ops, cpp = torch.ops.chapter09, torch.ops.chapter09_cpp
x, bias = (torch.randn(s, dtype=torch.float64, device=device, requires_grad=True) for s in ((3, 5), (5,)))
assert torch.autograd.gradcheck(cpp.bias_gelu, (x, bias))
for call in (lambda: ops.bias_gelu(x, bias),
             lambda: torch.autograd.grad(cpp.bias_gelu(x, bias).sum(), x, create_graph=True)):
    try: call()
    except ValueError as error: print(error)
"""


@pytest.mark.thorough
def test_without_library_py():
    """As in a program with no Python: C++ has the gradient, and no second derivative. What has none says so. 3 s"""
    operators("09_library", "build_cpp")
    names = "bias_gelu", "bias_gelu_autograd"
    code = WITHOUT_PYTHON.format(paths=[str(extension_folder(name) / f"{name}.so") for name in names])
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 2 and all("requires grad, but this operator has no backward" in line for line in lines), lines


# ---- the in-place operator -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("way", ["leaf", "result", "bias", "func.grad of x", "func.grad of bias"])
def test_in_place_refuses_gradients(ops, way):
    x, bias = random((3, 5), (5,))
    calls = {
        "leaf": lambda: ops.bias_gelu_(x.requires_grad_(), bias),
        "result": lambda: ops.bias_gelu_(x.requires_grad_() * 1, bias),
        "bias": lambda: ops.bias_gelu_(x, bias.requires_grad_()),
        "func.grad of x": lambda: torch.func.grad(lambda x: (ops.bias_gelu_(y := x * 1, bias), y.sum())[1])(x),
        "func.grad of bias": lambda: torch.func.grad(lambda b: (ops.bias_gelu_(x, b), x.sum())[1])(bias),
    }
    name = "bias" if "bias" in way else "x"
    with pytest.raises(ValueError, match=f"{name} requires grad, but this operator has no backward"):
        calls[way]()
    with torch.no_grad():
        ops.bias_gelu_(x, bias)


def test_in_place_and_shared_memory(ops):
    (memory,) = random((4, 4))
    with pytest.raises(ValueError, match="x must not share a part of its memory with bias"):
        ops.bias_gelu_(memory, memory[1])
    expected = gelu(memory[0], memory[0])
    ops.bias_gelu_(memory[0], memory[0])  # all of it: each thread reads the bias before it writes
    close(memory[0], expected)


def test_in_place_and_inference_tensors(ops):
    with torch.inference_mode():
        x, bias = random((3, 5), (5,))
        ops.bias_gelu_(x, bias)
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode"):
        ops.bias_gelu_(x, bias)


def test_in_place_of_a_negated_view(ops):
    """torch resolves it, and writes the result back with the sign that the view has."""
    x, bias = random((3, 5), (5,))
    view, expected = torch._neg_view(x), gelu(-x, bias)
    ops.bias_gelu_(view, bias)
    close(view.resolve_neg(), expected)


def test_in_place_on_copied_on_write_memory(ops):
    x, bias = random((3, 5), (5,))
    before, lazy = x.clone(), torch._lazy_clone(x)
    ops.bias_gelu_(lazy, bias)
    assert torch.equal(x, before)
    close(lazy, gelu(before, bias))


# ---- what the dispatcher refuses by itself ----------------------------------------------------------------------------
SCHEMA = r"chapter09::bias_gelu\(\) "
HOSTILE = {
    "no tensor": (lambda x, b: ([1.0], b), RuntimeError, SCHEMA + "Expected a value of type 'Tensor' for argument 'x'"),
    "numpy": (lambda x, b: (x.cpu().numpy(), b), RuntimeError, SCHEMA + "Expected a value of type 'Tensor'"),
    "an argument less": (lambda x, b: (x,), RuntimeError, SCHEMA + "is missing value for argument 'bias'"),
    "an argument more": (lambda x, b: (x, b, "tanh"), RuntimeError, SCHEMA + "takes 2 positional argument"),
    "no string": (lambda x, b: (x, b, {"approximate": 3}), RuntimeError, SCHEMA + "Expected a value of type 'str'"),
    "unknown name": (lambda x, b: (x, b, {"size": 3}), RuntimeError, "Unknown keyword argument 'size'"),
    "sparse": (lambda x, b: (x.to_sparse(), b), NotImplementedError, "Could not run 'chapter09::bias_gelu'.*Sparse"),
    "csr": (lambda x, b: (x.to_sparse_csr(), b), NotImplementedError, "Could not run 'chapter09::bias_gelu'.*SparseCsr"),
    "nested": (lambda x, b: (torch.nested.nested_tensor([x, x]), b), NotImplementedError, "Could not run.*NestedTensor"),
    "quantized": (lambda x, b: (torch.quantize_per_tensor(x.float(), 0.1, 0, torch.quint8), b), NotImplementedError,
                  "Could not run 'chapter09::bias_gelu'.*Quantized"),
}  # fmt: skip
CHECKED = {
    "None": (lambda x, b: (x, None), TypeError, "bias must be a tensor, got an undefined one"),
    "float8": (lambda x, b: (x.to(torch.float8_e5m2), b.to(torch.float8_e5m2)), TypeError,
               "x must have dtype Float or Double or Half or BFloat16, got Float8_e5m2"),
    "bias of float16": (lambda x, b: (x, b.half()), TypeError, "bias must have dtype Double, got Half"),
    "transposed": (lambda x, b: (x.t(), b), ValueError, r"x must be contiguous, got strides \[1, 5\] for shape \[5, 4\]"),
    "every second": (lambda x, b: (x, torch.cat([b, b])[::2]), ValueError, r"bias must be contiguous, got strides \[2\]"),
    "channels last": (lambda x, b: (x.view(1, 4, 5, 1).expand(2, 4, 5, 5).to(memory_format=torch.channels_last), b),
                      ValueError, "x must be contiguous, got strides"),
    "no dimension": (lambda x, b: (x[0, 0], b), ValueError, "x must have 1 dimension or more, got 0"),
    "bias of two dimensions": (lambda x, b: (x, torch.stack([b] * 5)), ValueError,
                               r"bias must have the shape \[5\], as x has the shape"),
    "longer": (lambda x, b: (x, torch.cat([b, b])), ValueError, r"bias must have the shape \[5\], .*, got \[10\]"),
    "to be broadcast": (lambda x, b: (x, b[:1]), ValueError, r"bias must have the shape \[5\], .*, got \[1\]"),
    "another word": (lambda x, b: (x, b, {"approximate": "erf"}), ValueError, "approximate must be none or tanh, got erf"),
    "one on meta": (lambda x, b: (x, b.to("meta")), ValueError, "x and bias must be on the same device, got .* and meta"),
    "the other on meta": (lambda x, b: (x.to("meta"), b), ValueError, "must be on the same device, got meta and"),
    "freed": (lambda x, b: (freed(x), b), ValueError, "x must have 160 bytes of memory, got a storage of 0"),
    "bias freed": (lambda x, b: (x, freed(b)), ValueError, "bias must have 40 bytes of memory, got a storage of 0"),
}  # fmt: skip


def freed(x):
    x.untyped_storage().resize_(0)
    return x


def called(op, change):
    *arguments, last = change(*random((4, 5), (5,)))
    return op(*arguments, **last) if isinstance(last, dict) else op(*arguments, last)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", HOSTILE)
def test_the_dispatcher_refuses(ops, name):
    """... without a line in bias_gelu.cpp."""
    change, error, said = HOSTILE[name]
    for op, was, becomes in (ops.bias_gelu, "", ""), (ops.bias_gelu_, r"bias_gelu\b(?!_)", "bias_gelu_"):
        with pytest.raises(error, match="(?s)" + (re.sub(was, becomes, said) if was else said)) as info:
            called(op, change)
        assert type(info.value) is error


@pytest.mark.parametrize("name", CHECKED)
def test_the_operator_refuses(bias_gelu, ops, name):
    change, error, said = CHECKED[name]
    for op in bias_gelu, ops.bias_gelu_:
        with pytest.raises(error, match=said) as info:
            called(op, change)
        assert type(info.value) is error


BACKWARD = {
    "None": (lambda g, x, b: (None, x, b), TypeError, "grad must be a tensor, got an undefined one"),
    "dtype": (lambda g, x, b: (g.float(), x, b), TypeError, "grad must have dtype Double, got Float"),
    "expanded": (lambda g, x, b: (g[:1].expand(4, 5), x, b), ValueError, r"grad must be contiguous, got strides \[0, 1\]"),
    "shape": (lambda g, x, b: (g[:3], x, b), ValueError, r"grad and x must have the same shape, got \[3, 5\] and \[4, 5\]"),
    "meta": (lambda g, x, b: (g.to("meta"), x, b), ValueError, "grad and x must be on the same device, got meta"),
    "freed": (lambda g, x, b: (freed(g), x, b), ValueError, "grad must have 160 bytes of memory, got a storage of 0"),
    "x freed": (lambda g, x, b: (g, freed(x), b), ValueError, "x must have 160 bytes of memory, got a storage of 0"),
    "bias freed": (lambda g, x, b: (g, x, freed(b)), ValueError, "bias must have 40 bytes of memory, got a storage of 0"),
}  # fmt: skip


@pytest.mark.parametrize("name", BACKWARD)
def test_backward_refuses(ops, name):
    change, error, said = BACKWARD[name]
    with pytest.raises(error, match=said):
        ops.bias_gelu_backward(*change(*random((4, 5), (4, 5), (5,))))


@pytest.mark.skipif(device.type == "cpu", reason="needs a GPU")
def test_the_cpu_is_refused_on_a_gpu(ops):
    x, bias = torch.randn(4, 5), torch.randn(5)
    with pytest.raises(NotImplementedError, match="Could not run 'chapter09::bias_gelu' with arguments from the 'CPU'"):
        ops.bias_gelu(x, bias)
    with pytest.raises(ValueError, match="x and bias must be on the same device, got cuda:0 and cpu"):
        ops.bias_gelu(x.cuda(), bias)
    with pytest.raises(ValueError, match="x and bias must be on the same device, got cpu and cuda:0"):
        ops.bias_gelu(x, bias.cuda())
