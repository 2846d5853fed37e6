"""Chapter 09: what torch does with a registered operator: fake tensors, opcheck, torch.compile, export, autocast, vmap."""

import contextlib
import re

import pytest
import torch
from torch._subclasses import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode

from common import device
from tests.chapters.operator_cases import opcheck_error
from tests.support import chapter, operators

pytestmark = pytest.mark.xdist_group("compiler")

APPROXIMATE = ("none", "tanh")
gpu = pytest.mark.skipif(device.type == "cpu", reason="needs a GPU")


@pytest.fixture
def ops():
    return operators("09_library")


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def random(*shapes, dtype=torch.float32, **options):
    return [torch.randn(shape, dtype=dtype, device=device, **options) for shape in shapes]


# ---- tensors with a shape and no memory ------------------------------------------------------------------------------
REFUSED = {
    "x transposed": lambda x, b: (x.t(), b),
    "every second column": lambda x, b: (x[:, ::2], b[:2]),
    "every second of the bias": lambda x, b: (x, torch.cat([b, b])[::2]),
    "one row expanded": lambda x, b: (x[:1].expand(4, 4), b),
    "one bias expanded": lambda x, b: (x, b[:1].expand(4)),
    "integers": lambda x, b: (x.long(), b.long()),
    "bias of float64": lambda x, b: (x, b.double()),
    "a longer bias": lambda x, b: (x, torch.cat([b, b])),
    "a bias to be broadcast": lambda x, b: (x, b[:1]),
    "a bias of two dimensions": lambda x, b: (x, b[None]),
    "no dimension": lambda x, b: (x[0, 0], b),
    "another word": lambda x, b: (x, b, "erf"),
}
TAKEN = {
    "contiguous": lambda x, b: (x, b),
    "tanh": lambda x, b: (x, b, "tanh"),
    "float64": lambda x, b: (x.double(), b.double()),
    "bfloat16": lambda x, b: (x.bfloat16(), b.bfloat16()),
    "begins later": lambda x, b: (x.flatten()[1:], x.flatten()[1:].clone()),
    "one row": lambda x, b: (x[1], b),
    "four dimensions": lambda x, b: (x[None, :, None], b),
    "no rows": lambda x, b: (x[:0], b),
    "no columns": lambda x, b: (x[:, :0].contiguous(), b[:0]),
    "no rows, transposed": lambda x, b: (x[:0].t(), b[:0]),
    "odd stride of one row": lambda x, b: (x.as_strided((1, 4), (17, 1)), b),
    "expanded and copied": lambda x, b: (x[:1].expand(3, 4).contiguous(), b),
}


def call(op, x, bias, approximate="none"):
    return op(x, bias, approximate=approximate)


def call_backward(ops, x, bias, approximate="none"):
    return ops.bias_gelu_backward(torch.ones_like(x).contiguous(), x, bias, approximate=approximate)


def without_memory(kind):
    """(a context, x and bias with a shape and no memory)."""
    if kind == "meta":
        return contextlib.nullcontext(), (torch.rand(4, 4, device="meta"), torch.rand(4, device="meta"))
    mode = FakeTensorMode()
    return mode, [mode.from_tensor(x) for x in random((4, 4), (4,))]


def layout(x):
    return x.dtype, x.shape, x.stride()


each_kind = pytest.mark.parametrize("kind", ["meta", "fake"])


@each_kind
@pytest.mark.parametrize("change", REFUSED.values(), ids=REFUSED)
def test_what_the_kernel_refuses_is_refused_without_memory_too(ops, change, kind):
    """... by the same exception, with the same words."""
    for op in ops.bias_gelu, ops.bias_gelu_:
        with pytest.raises((TypeError, ValueError)) as expected:
            call(op, *change(*random((4, 4), (4,))))
        context, tensors = without_memory(kind)
        with context, pytest.raises(expected.type) as info:
            call(op, *change(*tensors))
        assert str(info.value).splitlines()[0] == str(expected.value).splitlines()[0]


@each_kind
@pytest.mark.parametrize("change", TAKEN.values(), ids=TAKEN)
def test_the_results_have_the_same_layout_without_memory(ops, change, kind):
    x, *more = change(*random((4, 4), (4,)))
    expected = layout(call(ops.bias_gelu, x, *more)), [*map(layout, call_backward(ops, x, *more))]
    context, tensors = without_memory(kind)
    with context:
        x, *more = change(*tensors)
        assert (layout(call(ops.bias_gelu, x, *more)), [*map(layout, call_backward(ops, x, *more))]) == expected
        assert call(ops.bias_gelu_, x, *more) is None


@each_kind
@pytest.mark.parametrize("change", [lambda g: g[:3], lambda g: g.t(), lambda g: g.double()], ids=["rows", "t", "dtype"])
def test_backward_without_memory(ops, change, kind):
    grad, x, bias = random((4, 4), (4, 4), (4,))
    with pytest.raises((TypeError, ValueError)) as expected:
        ops.bias_gelu_backward(change(grad), x, bias)
    context, (x, bias) = without_memory(kind)
    with context, pytest.raises(expected.type, match=re.escape(str(expected.value).splitlines()[0])):
        ops.bias_gelu_backward(change(x.clone()), x, bias)


def test_a_model_of_any_size_costs_no_memory(ops):
    x = torch.empty(2**20, 2**20, device="meta")
    assert ops.bias_gelu(x, x[0]).shape == x.shape


def test_opcheck_tells_that_in_place_has_no_gradient(ops):
    x, bias = random((3, 5), (5,))
    with pytest.raises(opcheck_error(), match="bias requires grad"):
        torch.library.opcheck(ops.bias_gelu_, (x, bias.requires_grad_()))


# ---- torch.compile ---------------------------------------------------------------------------------------------------
def layer(op):
    return lambda x, bias: op(2 * x, bias, approximate="tanh").square() + 1


def in_place_layer(ops):
    def function(x, bias):
        y = 2 * x
        ops.bias_gelu_(y, bias)
        return y + 1

    return function


BACKENDS = [
    "aot_eager",
    pytest.param("inductor", marks=pytest.mark.thorough, id="inductor"),  # compiles code: half a minute on a CPU
]


@pytest.fixture(autouse=True)
def forget():
    torch.compiler.reset()


@pytest.mark.thorough
@pytest.mark.parametrize("build", ["build", "build_cpp"])
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_compiled_by_inductor_in_one_graph(build, dynamic):
    """The operator's own bits are the same; around it, Inductor may round otherwise, once an operation."""
    op = operators("09_library", build).bias_gelu
    compiled = torch.compile(layer(op), fullgraph=True, backend="inductor", dynamic=dynamic)
    for rows in 3, 3, 7:
        x, bias = random((rows, 5), (5,), requires_grad=True)
        result, expected = compiled(x, bias), layer(op)(x, bias)
        results = [result, *torch.autograd.grad(result.sum(), (x, bias))]
        right = [expected, *torch.autograd.grad(expected.sum(), (x, bias))]
        torch.testing.assert_close(results, right, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_operator_alone_gives_the_same_bits_compiled(ops, backend):
    x, bias = random((16, 40), (40,))
    assert torch.equal(torch.compile(ops.bias_gelu, fullgraph=True, backend=backend)(x, bias), ops.bias_gelu(x, bias))


@pytest.mark.parametrize("backend", BACKENDS)
def test_in_place_is_compiled(ops, backend):
    x, bias = random((3, 5), (5,))
    before = x.clone()
    result = torch.compile(in_place_layer(ops), fullgraph=True, backend=backend)(x, bias)
    torch.testing.assert_close(result, in_place_layer(ops)(x, bias))
    assert torch.equal(x, before)

    compiled = torch.compile(lambda x, bias: ops.bias_gelu_(x, bias), fullgraph=True, backend=backend)
    expected = ops.bias_gelu(x, bias)
    compiled(x, bias)
    assert torch.equal(x, expected), "the argument itself has to change"


def test_what_the_operator_refuses_does_not_compile(ops):
    with pytest.raises(Exception, match="x must be contiguous"):
        torch.compile(lambda x, b: ops.bias_gelu(x.t(), b), fullgraph=True, backend="aot_eager")(*random((5, 3), (5,)))


@pytest.mark.thorough
def test_the_pybind11_function_breaks_the_graph(ops):
    buys = chapter("09_library", "buys")
    count, said = buys.graphs_of(operators("09_library", "build_pybind").bias_gelu)
    assert count == 2 and "skipped" in said
    assert buys.graphs_of(ops.bias_gelu) == (1, "ok")


@pytest.mark.thorough
def test_each_entry_buys_one_thing(ops, capsys):
    """The table of `make chapter09 ARGS=--steps`."""
    table = chapter("09_library", "steps").main(ops, operators("09_library", "build_pybind"))
    assert table == {
        "pybind11": ["graph break", "ValueError", "TypeError"],
        "schema, kernel": ["graph break", "no gradient", "TypeError"],
        "+ Meta": ["1 graph", "no gradient", "TypeError"],
        "+ Autograd": ["1 graph", "ok", "TypeError"],
        "+ Autocast": ["1 graph", "ok", "float32"],
    }
    assert "+ Meta            1 graph         no gradient     TypeError" in capsys.readouterr().out


@gpu
def test_a_cuda_graph_under_reduce_overhead(ops):
    """New values in each call: a graph without the operator would give old ones. test_pitfalls.py has that."""
    block = chapter("09_library", "buys").Block(ops.bias_gelu).to(device)
    compiled = torch.compile(block, fullgraph=True, mode="reduce-overhead")
    with torch.no_grad():
        for _ in range(5):
            (x,) = random((8, 64))
            torch.testing.assert_close(compiled(x).clone(), block(x))
    for _ in range(5):  # and with gradients
        (x,) = random((8, 64))
        torch.compiler.cudagraph_mark_step_begin()
        of = [torch.autograd.grad(model(x).square().sum(), block.bias)[0].clone() for model in (compiled, block)]
        torch.testing.assert_close(*of, rtol=1e-4, atol=1e-4)


# ---- export ----------------------------------------------------------------------------------------------------------
class Model(torch.nn.Module):
    def __init__(self, op, change=lambda x, b: (x, b)):
        super().__init__()
        self.forward = lambda x, bias: call(op, *change(x, bias))


@pytest.mark.parametrize("rows", [None, torch.export.Dim("rows", min=2)], ids=["4 rows", "any rows"])
@pytest.mark.parametrize("name", ["x transposed", "bias of float64", "a longer bias", "another word"])
def test_a_model_that_would_be_refused_is_not_exported(ops, name, rows):
    """4 seconds for all: a size that is a symbol has rules of its own for strides."""
    change, shapes = REFUSED[name], rows and ({0: rows}, None)
    with pytest.raises((TypeError, ValueError)) as expected:
        call(ops.bias_gelu, *change(*random((4, 4), (4,))))
    with pytest.raises(Exception) as info:
        torch.export.export(Model(ops.bias_gelu, change), tuple(random((4, 4), (4,))), dynamic_shapes=shapes)
    assert re.split(r" \[|, got", str(expected.value))[0] in str(info.value)


EXPORTED = {
    "any rows": lambda x, b: (x, b),
    "as many as the data have": lambda x, b: (x[x[:, 0] > 0], b),
}


@pytest.mark.parametrize("change", EXPORTED.values(), ids=EXPORTED)
def test_an_exported_model_takes_another_size(ops, change):
    rows = torch.export.Dim("rows", min=2)
    model = Model(ops.bias_gelu, change)
    exported = torch.export.export(model, tuple(random((4, 4), (4,))), dynamic_shapes=({0: rows}, None))
    assert "chapter09.bias_gelu.default" in str(exported.graph)
    x, bias = random((9, 4), (4,))
    assert torch.equal(exported.module()(x, bias), model.forward(x, bias))


@pytest.mark.thorough
def test_a_model_with_the_pybind11_function_is_not_exported():
    op = operators("09_library", "build_pybind").bias_gelu
    with pytest.raises(
        ValueError, match="x must be a plain tensor, got one that wraps another, as in .* torch.compile"
    ):
        torch.export.export(Model(op), tuple(random((4, 4), (4,))))


# ---- autocast, vmap, subclasses, modes -------------------------------------------------------------------------------
EACH_GRADIENT = pytest.mark.parametrize("build", ["build", pytest.param("build_cpp", marks=pytest.mark.thorough)])


@EACH_GRADIENT
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_autocast_of_two_dtypes_computes_in_float32(build, dtype):
    """... and gives the dtype of torch's own gelu(x + bias)."""
    ops = operators("09_library", build)
    for dtypes in (dtype, torch.float32), (torch.float32, dtype), (torch.float16, torch.bfloat16):
        x, bias = (random(s, dtype=t, requires_grad=True)[0] for s, t in zip(((3, 5), (5,)), dtypes, strict=True))
        full = [t.detach().float().requires_grad_() for t in (x, bias)]
        with torch.autocast(device.type, dtype):
            result = ops.bias_gelu(x, bias, approximate="tanh")
            assert result.dtype == torch.nn.functional.gelu(x + bias).dtype == torch.float32
        expected = ops.bias_gelu(*full, approximate="tanh")
        assert torch.equal(result, expected)
        of, right = torch.autograd.grad(result.sum(), (x, bias)), torch.autograd.grad(expected.sum(), full)
        assert all(torch.equal(a, b.to(a.dtype)) for a, b in zip(of, right, strict=True))


@EACH_GRADIENT
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16], ids=str)
def test_autocast_of_one_dtype_changes_nothing(build, dtype):
    """Here, too, as with torch's own."""
    ops = operators("09_library", build)
    x, bias = random((3, 5), (5,), dtype=dtype)
    with torch.autocast(device.type, torch.bfloat16):
        result = ops.bias_gelu(x, bias)
        assert result.dtype == torch.nn.functional.gelu(x + bias).dtype == dtype
    assert torch.equal(result, ops.bias_gelu(x, bias))


@EACH_GRADIENT
def test_autocast_converts_no_float64(build):
    ops = operators("09_library", build)
    x, bias = random((3, 5), (5,), dtype=torch.float64)
    with (
        torch.autocast(device.type, torch.bfloat16),
        pytest.raises(TypeError, match="x must have dtype|bias must have"),
    ):
        ops.bias_gelu(x, bias.bfloat16())


def test_autocast_of_another_device_changes_nothing(ops):
    x, bias = random((3, 5), (5,))
    other = "cuda" if device.type == "cpu" else "cpu"
    context = torch.autocast(other, torch.bfloat16) if other == "cpu" else contextlib.nullcontext()
    with context, pytest.raises(TypeError, match="bias must have dtype BFloat16, got Float"):
        ops.bias_gelu(x.bfloat16(), bias)


VMAPPED = {  # in_dims, shapes of x and bias
    "x": ((0, None), (3, 4, 5), (5,)),
    "x, in its last dimension": ((-1, None), (4, 5, 3), (5,)),
    "x of one dimension": ((1, None), (5, 3), (5,)),
    "both": ((0, 0), (3, 4, 5), (3, 5)),
    "both, elsewhere": ((1, 1), (4, 3, 5), (5, 3)),
    "bias": ((None, 0), (4, 5), (3, 5)),
    "no x": ((0, None), (0, 4, 5), (5,)),
    "none of both": ((0, 0), (0, 4, 5), (0, 5)),
    "no bias": ((None, 0), (4, 5), (0, 5)),
}


@pytest.mark.parametrize("name", VMAPPED)
def test_vmap(ops, name):
    in_dims, *shapes = VMAPPED[name]
    x, bias = random(*shapes, dtype=torch.float64, requires_grad=True)

    def torchs(x, bias):
        return torch.nn.functional.gelu(x + bias, approximate="tanh")

    def ours(x, bias):
        return ops.bias_gelu(x, bias, approximate="tanh")

    result, expected = (torch.vmap(function, in_dims)(x, bias) for function in (ours, torchs))
    torch.testing.assert_close(result, expected)
    of, right = (torch.autograd.grad(y.square().sum(), (x, bias)) for y in (result, expected))
    torch.testing.assert_close(of, right)


def test_vmap_of_vmap(ops):
    x, bias = random((2, 3, 4, 5), (5,))
    result = torch.vmap(torch.vmap(ops.bias_gelu, (0, None)), (0, None))(x, bias)
    assert torch.equal(result, ops.bias_gelu(x, bias))


@pytest.mark.filterwarnings("ignore")
def test_vmap_in_place_is_refused(ops):
    xs, bias = random((3, 4, 5), (5,))
    with pytest.raises(RuntimeError, match="Batching rule not implemented for chapter09::bias_gelu_"):
        torch.vmap(lambda x: ops.bias_gelu_(x, bias))(xs)


class Doubled(torch.Tensor):
    """Computes with twice what lies in its memory: a subclass that has to see every operator."""

    @staticmethod
    def __new__(cls, x):
        return torch.Tensor._make_wrapper_subclass(cls, x.shape, dtype=x.dtype, device=x.device)

    def __init__(self, x):
        self.half = x

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        return function(*(2 * x.half if isinstance(x, cls) else x for x in args), **kwargs or {})


def test_a_subclass_sees_it(ops):
    x, bias = random((3, 5), (5,))
    assert torch.equal(ops.bias_gelu(Doubled(x), bias), ops.bias_gelu(2 * x, bias))
    assert torch.equal(
        ops.bias_gelu(x, Doubled(bias), approximate="tanh"), ops.bias_gelu(x, 2 * bias, approximate="tanh")
    )


def test_a_mode_sees_it(ops):
    seen = []

    class Log(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            seen.append(str(function))
            return function(*args, **kwargs or {})

    x, bias = random((3, 5), (5,), requires_grad=True)
    with Log():
        ops.bias_gelu(x, bias).sum().backward()
    assert "chapter09.bias_gelu.default" in seen and "chapter09.bias_gelu_backward.default" in seen
