"""Chapter 09: mistakes that people make with registered operators. Each is made here on purpose, seen, and cured."""

import pytest
import torch

from common import device
from common.cpp_extension import load
from tests.chapters.operator_cases import opcheck_error
from tests.support import ROOT, chapter, kept_folder, operators, write

pytestmark = pytest.mark.xdist_group("compiler")  # one process imports torch's compiler, for 4 s

gpu = pytest.mark.skipif(device.type == "cpu", reason="needs a GPU: CUDA on CPU has one stream, and no graphs")
LIBRARY = torch.library.Library("pitfalls09", "DEF")


def define(schema, function, fake):
    """An operator in Python, for all devices, with a fake function."""
    name = schema.partition("(")[0]
    LIBRARY.define(schema)
    LIBRARY.impl(name, function, "CompositeExplicitAutograd")
    torch.library.register_fake(f"pitfalls09::{name}", fake, lib=LIBRARY)


define("by_columns(Tensor x) -> Tensor", lambda x: x.t().contiguous().t(), torch.empty_like)
define("same(Tensor x) -> Tensor", lambda x: x, torch.empty_like)
define("double_(Tensor(a!) x) -> Tensor(a!)", lambda x: x.mul_(2), lambda x: x)
WRONG = torch.ops.pitfalls09


@pytest.fixture(autouse=True)
def fresh():
    torch.manual_seed(0)
    torch.compiler.reset()


@pytest.fixture
def ops():
    return operators("09_library")


def x_and_bias():
    return torch.randn(3, 4, device=device), torch.randn(4, device=device)


def compiled(function, *args, backend="aot_eager"):
    return torch.compile(function, fullgraph=True, backend=backend)(*args)


# ---- a fake function with wrong strides ------------------------------------------------------------------------------
def test_a_fake_function_with_wrong_strides(ops):
    """Compiled code believes the fake function: here it makes a view, where it has to copy."""
    x, bias = x_and_bias()
    assert torch.equal(WRONG.by_columns(x).reshape(-1), x.reshape(-1))
    with pytest.raises(RuntimeError, match="view size is not compatible with input tensor's size and stride"):
        compiled(lambda x: WRONG.by_columns(x).reshape(-1), x)
    if torch.__version__ >= "2.15":  # opcheck of torch 2.11 compares no strides
        with pytest.raises(opcheck_error(), match="(?i)strides"):
            torch.library.opcheck(WRONG.by_columns, (x,))

    expected = ops.bias_gelu(x, bias).reshape(-1)
    assert torch.equal(compiled(lambda x, bias: ops.bias_gelu(x, bias).reshape(-1), x, bias), expected)
    torch.library.opcheck(ops.bias_gelu, (x, bias))


@pytest.mark.thorough
def test_inductor_looks_at_the_strides_of_a_result():
    """20 s on a CPU"""
    with pytest.raises(AssertionError, match="(?i)stride"):
        compiled(lambda x: WRONG.by_columns(x) + 1, x_and_bias()[0], backend="inductor")


# ---- an operator that returns its argument ---------------------------------------------------------------------------
def add_to_result(op):
    def function(x):
        y = 2 * x
        op(y).add_(1)
        return y

    return function


def test_an_operator_that_returns_its_argument(ops):
    """The schema says that the result is new memory. Eager torch changes y with it, compiled code does not."""
    x, bias = x_and_bias()
    assert torch.equal(add_to_result(WRONG.same)(x), 2 * x + 1)
    assert torch.equal(compiled(add_to_result(WRONG.same), x), 2 * x)
    with pytest.raises(opcheck_error(), match="alias"):
        torch.library.opcheck(WRONG.same, (x,))

    def ours(y):
        ops.bias_gelu_(y, bias)
        return y

    assert torch.equal(compiled(add_to_result(ours), x), add_to_result(ours)(x))


def test_an_in_place_operator_that_returns_its_argument(ops):
    """A schema can say so, but torch.compile does not take it. bias_gelu_ returns nothing."""
    x, bias = x_and_bias()
    with pytest.raises(Exception, match="(?i)alias|functionaliz"):
        compiled(lambda x: WRONG.double_(2 * x), x)
    assert ops.bias_gelu_(x, bias) is None and str(ops.bias_gelu_.default._schema).endswith("-> ()")


# ---- the default stream ----------------------------------------------------------------------------------------------
def on_the_default_stream():
    """bias_gelu as default_stream::bias_gelu, launched where a launch without a stream would be."""
    source = (ROOT / "chapters/09_library/bias_gelu.cpp").read_text()
    source = source.replace("TORCH_LIBRARY(chapter09,", "TORCH_LIBRARY(default_stream,")
    source = source.replace("c10::cuda::getCurrentCUDAStream()", "nullptr")
    file = write(kept_folder("default_stream") / "default_stream.cpp", source)
    kernels = ROOT / "chapters/09_library/bias_gelu.cu"
    load(
        name="default_stream",
        sources=[str(file), str(kernels)],
        extra_include_paths=[str(ROOT), str(kernels.parent)],
        extra_cflags=["-O2"],
        extra_cuda_cflags=["-U__CUDA_NO_HALF_CONVERSIONS__", "-U__CUDA_NO_BFLOAT16_CONVERSIONS__"],
        is_python_module=False,
    )
    return torch.ops.default_stream


def largest_errors(op, calls=6):
    """Of a compiled model under mode="reduce-overhead", for new values in each call."""
    block = chapter("09_library", "buys").Block(op).to(device).requires_grad_(False)
    model = torch.compile(block, fullgraph=True, mode="reduce-overhead")
    errors = []
    for _ in range(calls):
        x = torch.randn(8, 64, device=device)
        expected = 2 * torch.nn.functional.gelu(block.linear(x) + block.bias)
        result = model(x).clone()
        torch.cuda.synchronize()
        errors.append((result - expected).abs().max().item())
    return errors


@gpu
@pytest.mark.thorough
def test_a_launch_on_the_default_stream_is_not_in_the_cuda_graph(ops):
    """torch records the current stream. What runs on another one is not replayed, and the result has old values: no error
    says so. 30 s, for a build"""
    assert max(largest_errors(ops.bias_gelu)) < 1e-3
    torch.compiler.reset()
    assert largest_errors(on_the_default_stream().bias_gelu)[-1] > 0.1
    torch.compiler.reset()
    assert max(largest_errors(ops.bias_gelu)) < 1e-3, "the GPU has to be usable afterwards"


def test_the_text_that_is_replaced_is_there():
    """... so that the test above, which needs a GPU, breaks what it says."""
    source = (ROOT / "chapters/09_library/bias_gelu.cpp").read_text()
    assert source.count("TORCH_LIBRARY(chapter09,") == 1
    assert source.count("c10::cuda::getCurrentCUDAStream()") == 2
