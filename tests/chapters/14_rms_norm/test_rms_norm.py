"""Chapter 14: every kernel at its row lengths, exactness, gradients of any order, torch.compile, and planted mistakes. 20 s"""

import itertools
import math
import re

import pytest
import torch

from common import device
from grader.launchers import launchers
from tests.chapters.opinfo import FUNCTIONS
from tests.support import ROOT, chapter, in_packs, needs_gpu_memory, nvcc, operators, ptx_of

REFERENCES = {op.name: op.reference for op in FUNCTIONS if op.chapter == "14_rms_norm"}
DTYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
per_dtype = pytest.mark.parametrize("dtype", DTYPES, ids=lambda t: str(t)[6:])
per_operator = pytest.mark.parametrize("name", REFERENCES)
# The kernels with shapes at which they do something new. Short odd rows in strips: at least 128 for each multiprocessor (there
# are eight on the CPU), more than all blocks take at once (the last; on a GPU only these are enough), and none. In registers
# of lanes and of a block: part of a pack, one pack, several, a warp and a bit.
# Long rows: read twice by one block where there are many, by several blocks where there are few, or where sums for all
# columns do not fit into shared memory; the last number is the longest.
SHAPES = {
    "strip": [(11_000, 1), (11_000, 3), (4700, 7), (1100, 63), (0, 5), (3, 0), (80_000, 7)],
    "lanes": [(1, 1), (3, 5), (1, 4), (3, 8), (5, 16), (9, 36), (33, 64), (7, 100), (5, 512), (3, 130), (2000, 72),
              (9001, 8)],
    "block": [(5, 516), (3, 640), (2, 2048), (150, 1040), (5, 521), (2, 8191), (2, 8192), (1, 4096), (2, 16384)],
    "twice": [(130, 16392), (129, 16411)],
    "columns": [(2, 16392), (3, 16411), (1, 40_000), (20, 20_003), (1, 300_000), (129, 70_000)],
}  # fmt: skip


@pytest.fixture(scope="module")
def ops():
    return operators("14_rms_norm")


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def random(*shape, dtype=torch.float32):
    return torch.randn(shape, dtype=dtype, device=device)


def arguments(name, shape, dtype=torch.float32):
    return chapter("14_rms_norm").inputs(0, name, dtype, shape)


def close(result, expected, atol=1e-5):
    for r, e in zip(*((x if isinstance(x, tuple) else (x,)) for x in (result, expected)), strict=True):
        rtol = {torch.float64: 1e-12}.get(e.dtype, max(1e-5, torch.finfo(e.dtype).eps))
        torch.testing.assert_close(r, e, rtol=rtol, atol=min(atol, 1e-9) if e.dtype == torch.float64 else atol)


def check(ops, name, args, atol=1e-5):
    """grad_weight is a sum over all rows, so its error grows with them."""
    result, expected = getattr(ops, name)(*args), REFERENCES[name](*args, 1e-6)
    if "backward" not in name:
        return close(result, expected, atol)
    rows = max(1, args[0].numel() // max(1, args[-1].numel()))
    close(result[0], expected[0], 10 * atol)
    close(result[1], expected[1], atol * max(10, rows**0.5))


# ---- right -----------------------------------------------------------------------------------------------------------
@pytest.mark.kernels
@per_dtype
@per_operator
@pytest.mark.parametrize("kernel", SHAPES)
def test_each_kernel(ops, kernel, name, dtype, thread_order):
    for shape in SHAPES[kernel]:
        quick = math.prod(shape) < 200_000 or device.type == "cuda"
        if quick or (dtype == torch.float32 and thread_order == "forward"):
            check(ops, name, arguments(name, shape, dtype))


@pytest.mark.kernels
@per_dtype
@per_operator
def test_an_argument_that_begins_anywhere(ops, name, dtype):
    """Then no thread reads packs of it, and so many short rows are taken in strips."""
    for shape in (5, 1024), (9, 8), (1100, 8), (2, 16384):
        for begins, which in itertools.product((1, 2, 8), range(len(arguments(name, shape)))):
            args = list(arguments(name, shape, dtype))
            there = args[which].shape
            args[which] = random(begins + there.numel(), dtype=dtype)[begins:].view(there)
            check(ops, name, args)


@needs_gpu_memory(70)
@pytest.mark.parametrize("n", [4096, 4095, 2**17, 3])
def test_more_than_2_to_the_31_elements(ops, n):
    rows = 2**31 // n + 3
    for name in REFERENCES:
        args = [random(rows, n, dtype=torch.bfloat16) for _ in arguments(name, (1, 1))[1:]]
        args.append(random(n, dtype=torch.bfloat16))
        result = getattr(ops, name)(*args)
        some = [t[-8:] if t.dim() > 1 else t for t in args]
        expected = REFERENCES[name](*some, 1e-6)
        close((result[0] if isinstance(result, tuple) else result)[-8:],
              expected[0] if isinstance(expected, tuple) else expected, atol=1e-2)  # fmt: skip


@pytest.mark.thorough
def test_a_pack_is_one_access(tmp_path):
    """Of the kernels for whole rows: loads, and in the forward direction also stores. (Partial sums are single numbers.)"""
    kernels = ptx_of(ROOT / "chapters/14_rms_norm/rms_norm.cu", tmp_path)
    forward = [code for name, code in kernels.items() if re.search("registers_kernelI7Forward.*Li.EL6Layout0EE", name)]
    backward = [
        code for name, code in kernels.items() if re.search("registers_kernelI8Backward.*Li.EL6Layout0EE", name)
    ]
    assert forward and all(map(in_packs, forward))
    assert backward and all(in_packs(code, "ld") for code in backward)


@pytest.mark.thorough
def test_shared_memory_is_enough_on_every_gpu(tmp_path):
    """A kernel may have 48 KiB without asking; nvcc allows more for an H100, and refuses it for an A100. 15 s"""
    nvcc(ROOT / "chapters/14_rms_norm/rms_norm.cu", tmp_path / "cubin", "sm_80", "-cubin")


# ---- exactness -------------------------------------------------------------------------------------------------------
@per_dtype
def test_a_sum_in_float(ops, dtype):
    """65536 equal numbers: a sum of squares in half precision would stop at 2048, or be infinite. 300 squared is more than
    float16 can hold."""
    x = torch.full((1, 65536), 300, dtype=dtype, device=device)
    close(ops.rms_norm(x, x[0] / 300), x / 300)
    close(ops.add_rms_norm(x, 0 * x, x[0] / 300)[0], x / 300)


@per_dtype
def test_the_sum_is_rounded_before_its_norm(ops, dtype):
    """One call has the bits of two: of an addition and a norm."""
    for shape in (9, 5), (9, 8), (3, 1024), (130, 16392), (2, 20_001):
        x, residual, weight = arguments("add_rms_norm", shape, dtype)
        y, sum = ops.add_rms_norm(x, residual, weight)
        assert torch.equal(sum, x + residual) and torch.equal(y, ops.rms_norm(sum, weight))


@per_dtype
def test_infinities_and_nan(ops, dtype):
    """As torch's: a row with infinity becomes 0 and NaN there, one with NaN is NaN; other rows are as they were."""
    for n in 7, 8, 1200:
        x = random(4, n, dtype=dtype)
        x[1, n // 2], x[2, 3], weight = math.inf, math.nan, random(n, dtype=dtype)
        y = ops.rms_norm(x, weight)
        assert y[1, n // 2].isnan() and (y[1].nan_to_num(0) == 0).all() and y[2].isnan().all()
        close(y[::3], REFERENCES["rms_norm"](x[::3], weight, 1e-6), atol=1e-5)


def test_rows_of_zeros(ops):
    zeros, weight = torch.zeros(3, 8, device=device), random(8)
    assert torch.equal(ops.rms_norm(zeros, weight), zeros)
    assert ops.rms_norm(zeros, weight, 0).isnan().all()  # 0 * infinity, as in torch


@pytest.mark.parametrize("shape", [(3000, 96), (9001, 7), (5, 20_001), (129, 12_288)])
def test_the_same_bits_each_time(ops, shape):
    args = arguments("rms_norm_backward", shape)
    first = ops.rms_norm_backward(*args)[1]
    assert all(torch.equal(ops.rms_norm_backward(*args)[1], first) for _ in range(5))


def test_few_partial_rows(ops):
    """However many rows there are: the memory for partial sums depends on the GPU and on n alone."""
    if device.type == "cuda":
        args = arguments("rms_norm_backward", (2**21, 8))
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        ops.rms_norm_backward(*args)
        assert torch.cuda.max_memory_allocated() - before < args[0].nbytes + 2**20


# ---- gradients of any order ------------------------------------------------------------------------------------------
def formula(x, weight, eps=1e-6):
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps) * weight


def derivatives(function, *args):
    """The first three of the sum of squares, each by all arguments."""
    found, value = [], function(*args).square().sum()
    for _ in range(3):
        grads = torch.autograd.grad(value, args, create_graph=True)
        found += grads
        value = sum(grad.square().sum() for grad in grads)
    return found


@pytest.mark.parametrize("shape", [(4, 3), (2, 3, 8), (5,)])
def test_three_derivatives(ops, shape):
    x, residual, weight = (t.requires_grad_() for t in arguments("add_rms_norm", shape, torch.float64))
    close(tuple(derivatives(ops.rms_norm, x, weight)), tuple(derivatives(formula, x, weight)))

    def ours(x, residual, weight):
        y, sum = ops.add_rms_norm(x, residual, weight)
        return y * sum

    def exact(x, residual, weight):
        return formula(x + residual, weight) * (x + residual)

    close(tuple(derivatives(ours, x, residual, weight)), tuple(derivatives(exact, x, residual, weight)))


def test_a_weight_that_depends_on_x(ops):
    """Each gradient goes its own way: in the second derivative, none is counted twice."""
    x, other = (random(4, 6).double().requires_grad_() for _ in range(2))
    found = [derivatives(lambda x, o, f=f: f(x, (x * o).mean(0)), x, other) for f in (ops.rms_norm, formula)]
    close(*map(tuple, found))


def test_gradgradcheck(ops):
    x, residual, weight = (t.requires_grad_() for t in arguments("add_rms_norm", (3, 4), torch.float64))
    assert torch.autograd.gradcheck(ops.add_rms_norm, (x, residual, weight))
    assert torch.autograd.gradgradcheck(ops.add_rms_norm, (x, residual, weight))


@pytest.mark.parametrize("used", ["y", "sum", "both"])
def test_whichever_result_is_used(ops, used):
    """A result that nobody uses has no gradient: None reaches the backward function, and costs no tensor of zeros."""
    args = [t.requires_grad_() for t in arguments("add_rms_norm", (3, 8), torch.float64)]

    def loss(y, sum):
        return {"y": y.sin().sum(), "sum": sum.cos().sum(), "both": y.sin().sum() + sum.cos().sum()}[used]

    found = torch.autograd.grad(loss(*ops.add_rms_norm(*args)), args, allow_unused=True)
    sum_of = args[0] + args[1]
    expected = torch.autograd.grad(loss(formula(sum_of, args[2]), sum_of), args, allow_unused=True)
    assert (found[2] is None) == (used == "sum")
    close(tuple(f for f in found if f is not None), tuple(e for e in expected if e is not None))


# ---- torch -----------------------------------------------------------------------------------------------------------
def test_refused_with_memory_and_without(ops):
    """The same words from the kernel's checks and from the fake functions."""
    x, weight = random(3, 8), random(8)
    eps = "eps must be 0 or more, and fit into float32, got "
    for words, call in {
        "x must have dtype Float or Double or Half or BFloat16, got ": lambda x, w: ops.rms_norm(x.int(), w),
        "x must be contiguous, got strides ": lambda x, w: ops.rms_norm(x.t(), w),
        "x must have 1 dimension or more, got 0": lambda x, w: ops.rms_norm(x[0, 0], w),
        "weight must have dtype Float, got ": lambda x, w: ops.rms_norm(x, w.half()),
        "weight must have the shape [8], as x has the shape ": lambda x, w: ops.add_rms_norm(x, x, w[:3]),
        "residual and x must have the same shape, got ": lambda x, w: ops.add_rms_norm(x, x[:2], w),
        "residual must have dtype Float, got ": lambda x, w: ops.add_rms_norm(x, x.double(), w),
        "grad and x must have the same shape, got ": lambda x, w: ops.rms_norm_backward(x[:2], x, w),
        "grad_sum and sum must have the same shape, got ": lambda x, w: ops.add_rms_norm_backward(x, x[:2], x, w),
        "as sum has the shape ": lambda x, w: ops.add_rms_norm_backward(x, x, x, w[:3]),
        eps + "-1": lambda x, w: ops.rms_norm(x, w, -1.0),
        eps + "nan": lambda x, w: ops.rms_norm_backward(x, x, w, math.nan),
        eps + "1e": lambda x, w: ops.add_rms_norm(x, x, w, 1e39),
    }.items():
        for where in x.device, "meta":
            with pytest.raises(RuntimeError, match=words.replace("[", r"\[")):
                call(x.to(where), weight.to(where))


@per_dtype
@per_operator
def test_opcheck(ops, name, dtype):
    args = [t.requires_grad_(dtype == torch.float32) for t in arguments(name, (2, 3, 8), dtype)]
    torch.library.opcheck(getattr(ops, name).default, args)


@pytest.mark.parametrize("dtypes", [
    (torch.bfloat16, torch.float32), (torch.float32, torch.bfloat16), (torch.float16, torch.bfloat16),
], ids=str)  # fmt: skip
def test_autocast_of_several_dtypes_computes_in_the_widest(ops, dtypes):
    """The rule of chapters 09 and 10. Each gradient has the dtype of its tensor."""
    x, residual, weight = (random(*s, dtype=t).requires_grad_() for s, t in zip(((3, 8), (3, 8), (8,)),
                           (dtypes[0], *dtypes), strict=True))  # fmt: skip
    full = [t.detach().float().requires_grad_() for t in (x, residual, weight)]
    with torch.autocast(device.type, torch.bfloat16):
        found, both = ops.rms_norm(x, weight), ops.add_rms_norm(x, residual, weight)
    expected = ops.rms_norm(full[0], full[2]), *ops.add_rms_norm(*full)
    for one, other in zip((found, *both), expected, strict=True):
        assert one.dtype == torch.float32 and torch.equal(one, other)
    of = torch.autograd.grad(both[0].sum(), (x, residual, weight))
    right = torch.autograd.grad(expected[1].sum(), full)
    assert all(torch.equal(a, b.to(t.dtype)) for a, b, t in zip(of, right, (x, residual, weight), strict=True))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16], ids=str)
def test_autocast_of_one_dtype_changes_nothing(ops, dtype):
    x, weight = random(3, 8, dtype=dtype), random(8, dtype=dtype)
    with torch.autocast(device.type, torch.bfloat16):
        found = ops.add_rms_norm(x, x, weight)
    assert found[0].dtype == dtype
    assert all(torch.equal(a, b) for a, b in zip(found, ops.add_rms_norm(x, x, weight), strict=True))


def test_autocast_converts_no_float64(ops):
    with torch.autocast(device.type, torch.bfloat16), pytest.raises(RuntimeError, match="must have dtype"):
        ops.rms_norm(random(3, 8, dtype=torch.float64), random(8))


@pytest.mark.parametrize("dynamic", [False, True])
def test_compiled_with_its_gradients(ops, dynamic):
    def step(x, residual, weight):
        y, sum = ops.add_rms_norm(x, residual, weight)
        return (y * sum).sin()

    torch.compiler.reset()
    compiled = torch.compile(step, fullgraph=True, dynamic=dynamic, backend="aot_eager")
    for shape in (4, 6), (3, 10):
        args = [t.requires_grad_() for t in arguments("add_rms_norm", shape)]
        found, expected = (torch.autograd.grad(f(*args).sum(), args) for f in (compiled, step))
        close(found, expected)


def test_it_trains(ops):
    """A model with the fused operator follows one with torch's, step by step."""
    weights = []
    for fused in False, True:
        torch.manual_seed(0)
        w, weight = random(8, 8).requires_grad_(), torch.ones(8, device=device, requires_grad=True)
        x, residual, target = random(16, 8), random(16, 8), random(16, 8)
        for _ in range(10):
            norm = ops.add_rms_norm if fused else lambda x, r, w: (formula(x + r, w), x + r)
            y, sum = norm(x @ w, residual, weight)
            grads = torch.autograd.grad((y + sum - target).square().mean(), (w, weight))
            with torch.no_grad():
                w -= 0.1 * grads[0]
                weight -= 0.1 * grads[1]
        weights.append((w.detach(), weight.detach()))
    close(*weights, atol=1e-5)


# ---- mistakes, planted -----------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def pitfall():
    """(name, x, n, size) -> what that function of pitfalls.cu makes of x: so many floats."""
    functions = launchers(ROOT / "tests/chapters/14_rms_norm/pitfalls.cu")

    def call(name, x, n, size):
        out = torch.zeros(size, device=device)
        getattr(functions, name)(out, x, n)
        return out

    return call


def test_pitfall_squares_in_half_precision(pitfall, ops):
    """The square of 300 is infinite in float16. And a sum of many ones stops at 2048: then 1 is less than half a unit."""
    x = torch.full((64,), 300.0, device=device)
    assert pitfall("half_squares", x, 64, 1).isinf().all()
    assert (ops.rms_norm(x.half(), torch.ones_like(x).half()) == 1).all()
    ones = torch.ones(8192, device=device)
    assert pitfall("half_squares", ones, 8192, 1).item() == 0.5  # sqrt(2048 / 8192)


def test_pitfall_atomics_for_the_gradient_of_weight(pitfall):
    """On a GPU, blocks come in another order each time. On the CPU one after another: the bits stay."""
    rows = 20_000
    x = random(rows, 32) * torch.logspace(-4, 4, rows, device=device)[:, None]
    atomic = {pitfall("atomic_columns", x, rows, 32).cpu().numpy().tobytes() for _ in range(20)}
    ordered = {pitfall("ordered_columns", x, rows, 32).cpu().numpy().tobytes() for _ in range(5)}
    assert len(ordered) == 1 and (len(atomic) > 1 or device.type == "cpu")


@pytest.fixture
def registered():
    """(forward, fake, backward) -> an operator with these, of a library that is gone after the test."""
    library = torch.library.Library("chapter14_pitfall", "DEF")

    def register(forward, fake, backward=None, setup=None):
        library.define("op(Tensor x, Tensor residual) -> (Tensor, Tensor)")
        library.impl("op", forward, "CompositeExplicitAutograd")
        torch.library.register_fake("chapter14_pitfall::op", fake, lib=library)
        if backward:
            torch.library.register_autograd("chapter14_pitfall::op", backward, setup_context=setup, lib=library)
        return torch.ops.chapter14_pitfall.op.default

    yield register
    library._destroy()


def twice_and_sum(x, residual):
    return 2 * (x + residual), x + residual


def test_pitfall_a_fake_function_with_other_strides(registered):
    """torch.compile plans memory by the fake function's strides. opcheck compares them in torch 2.12 and later. 10 s"""
    op = registered(lambda x, r: tuple(t.contiguous() for t in twice_and_sum(x, r)),
                    lambda x, r: (torch.empty_like(x), torch.empty_like(x)))  # fmt: skip
    x = random(3, 4).t()  # empty_like() keeps the order of its strides
    with pytest.raises(Exception, match="stride"):
        torch.compile(op, fullgraph=True)(x, x)
    if not torch.__version__.startswith("2.11."):
        with pytest.raises(Exception, match="Stride mismatch"):
            torch.library.opcheck(op, (x, x), test_utils="test_faketensor")
    torch.library.opcheck(op, (x.contiguous(), x.contiguous()), test_utils="test_faketensor")


@pytest.mark.parametrize("forgets", [True, False])
def test_pitfall_a_backward_that_forgets_the_gradient_of_sum(registered, forgets):
    """The result is right, and so is the gradient in a test that uses y alone. gradcheck uses both results."""

    def backward(ctx, grad, grad_sum):
        grad_x = 2 * grad if forgets else 2 * grad + grad_sum
        return grad_x, grad_x

    op = registered(twice_and_sum, lambda x, r: (torch.empty_like(x), torch.empty_like(x)), backward,
                    lambda ctx, inputs, output: None)  # fmt: skip
    x, residual = random(3).double().requires_grad_(), random(3).double()
    assert torch.equal(torch.autograd.grad(op(x, residual)[0].sum(), x)[0], torch.full_like(x, 2))
    assert torch.autograd.gradcheck(op, (x, residual), raise_exception=False) != forgets
