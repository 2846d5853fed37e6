"""Chapter 19: every step at many lengths and in many layouts, gradients, exactness, what torch needs, planted mistakes. 60 s

Errors are those against float64, and have a yardstick: the same product in torch, where the weights are rounded to half
precision and nothing else is. A fixed tolerance that rounding needs would pass results of which a mask is missing.
"""

import json
import os
import re
import subprocess
import sys

import pytest
import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode

from common import device, has_wgmma
from grader.launchers import launchers
from tests.chapters.opinfo import FUNCTIONS
from tests.support import NO_SPILLS, ROOT, machine_code, nvcc, operators, spills

exact, _, _ = (op.reference for op in FUNCTIONS if op.chapter == "19_attention")
scores = __import__("tests.chapters.19_attention.operators", fromlist=["scores"]).scores
DTYPES = torch.float16, torch.bfloat16
HAS_WGMMA = has_wgmma()
STEPS = "simple", "portable", *["hopper", "hopper 2"] * HAS_WGMMA  # hopper takes one warpgroup for most tests' shapes
LADDER = ("first", "two", "overlap") if HAS_WGMMA else ()  # steps towards hopper: `make test` asks less of them
# Which kernels make gradients. hopper_backward.cu's run on the CPU and on a Hopper.
KERNELS = {"portable": {"step": "portable"}}
if HAS_WGMMA:
    KERNELS |= {"fused": {"step": "hopper"}, "deterministic": {"step": "hopper", "deterministic": True}}
per_kernels = pytest.mark.parametrize("kernels", KERNELS)
per_dtype = pytest.mark.parametrize("dtype", DTYPES, ids=lambda t: str(t)[6:])
per_step = pytest.mark.parametrize(
    "step", [*STEPS, *(pytest.param(step, marks=pytest.mark.thorough) for step in LADDER)]
)
# The memory check takes its time: of each kernel it looks at one with D = 64; in the lesson, at both.
per_size = pytest.mark.parametrize("d", [pytest.param(64, marks=pytest.mark.kernels), 128])
infinity, nan = float("inf"), float("nan")


@pytest.fixture(scope="module")
def ops():
    return operators("19_attention")


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def random(*shape, dtype=torch.bfloat16):
    return torch.randn(shape, device=device).to(dtype)


def qkv(rows, keys, d=64, heads=2, of_k=None, batch=1, dtype=torch.bfloat16):
    of_k = of_k or heads
    return (random(batch, heads, rows, d, dtype=dtype), random(batch, of_k, keys, d, dtype=dtype),
            random(batch, of_k, keys, d, dtype=dtype))  # fmt: skip


# ---- the yardstick ---------------------------------------------------------------------------------------------------
def rounded(q, k, v, causal=False, scale=None):
    """The result, if the weights of the keys are rounded to half precision, as tensor cores take them, and the result."""
    s = scores(q, k, causal, scale)
    p = (s - s.amax(-1, keepdim=True)).exp()
    out = p.to(q.dtype).double() @ v.double().repeat_interleave(q.shape[1] // v.shape[1], 1) / p.sum(-1, keepdim=True)
    return out.to(q.dtype)


def rounded_gradients(grad, q, k, v, out, causal=False, scale=None):
    """The same for the gradients, where ds is rounded as well."""
    group, scale, g = q.shape[1] // k.shape[1], scale or q.shape[-1] ** -0.5, grad.double()
    wide_k, wide_v = (x.double().repeat_interleave(group, 1) for x in (k, v))
    p = scores(q, k, causal, scale).softmax(-1)
    ds = (p * (g @ wide_v.mT - (g * out.double()).sum(-1, keepdim=True))).to(q.dtype).double()
    of_k, of_v = scale * ds.mT @ q.double(), p.to(q.dtype).double().mT @ g
    of_k, of_v = (x.unflatten(1, (k.shape[1], group)).sum(2) for x in (of_k, of_v))
    return [x.to(q.dtype) for x in (scale * ds @ wide_k, of_k, of_v)]


def no_further(result, expected, yardstick):
    """The error is at most that of the yardstick, and a bit, as a whole and in the worst row."""
    floor = 3e-5 * (expected.norm(dim=-1).amax() + 1)
    ours, theirs = ((x.double() - expected).norm(dim=-1) for x in (result, yardstick))
    assert ours.isfinite().all()
    assert ours.norm() <= 1.2 * theirs.norm() + floor * ours.numel() ** 0.5, (ours.norm(), theirs.norm())
    assert ours.max() <= 2 * theirs.max() + floor, (ours.argmax(), ours.max(), theirs.max())


def right(ops, q, k, v, step="auto", **options):
    result = ops.attention(q, k, v, step=step, **options)
    assert result.dtype == q.dtype and result.shape == q.shape
    no_further(result, exact(q, k, v, **options), rounded(q, k, v, **options))
    return result


def right_gradients(ops, q, k, v, grad=None, kernels=("autograd", *KERNELS), **options):
    leaves = [x.detach().requires_grad_() for x in (q, k, v)]
    out, lse = ops.attention_forward(*leaves, **options)
    grad = torch.randn_like(out) if grad is None else grad
    doubles = [x.double().detach().requires_grad_() for x in (q, k, v)]
    expected = torch.autograd.grad(exact(*doubles, **options), doubles, grad.double())
    yardsticks = rounded_gradients(grad, q, k, v, out.detach(), **options)
    for name in kernels:
        if name == "autograd":
            ours = torch.autograd.grad(out, leaves, grad)
        else:
            ours = ops.attention_backward(grad, q, k, v, out.detach(), lse, **options, **KERNELS[name])
        for result, e, yardstick in zip(ours, expected, yardsticks, strict=True):
            no_further(result, e, yardstick)


# ---- right -----------------------------------------------------------------------------------------------------------
@per_dtype
@per_size
@per_step
def test_lengths(ops, step, d, dtype, thread_order):
    for rows, keys, causal in (7, 7, True), (65, 129, False), (130, 65, True):
        right(ops, *qkv(rows, keys, d, dtype=dtype), step=step, causal=causal)


@pytest.mark.parametrize("step", LADDER)
@per_size
def test_the_ladder(ops, step, d, thread_order):
    """More tiles of keys than there is room for; blocks that see different numbers of keys; heads that share keys."""
    dtype = DTYPES[d // 128]
    for rows, keys, causal in (70, 300, False), (200, 140, True):
        right(ops, *qkv(rows, keys, d, of_k=1, dtype=dtype), step=step, causal=causal)


@pytest.mark.skipif(not HAS_WGMMA, reason="wgmma needs compute capability 9.0")
@pytest.mark.parametrize("groups, d", [(1, 64), (1, 128), (2, 128), (3, 64)])
def test_hopper_with_that_many_warpgroups(ops, groups, d, thread_order):
    """More tiles than CUDA on CPU has multiprocessors, so that a block takes several."""
    for rows, keys, causal in (1700 if groups == 3 else 530, 130, True), (200, 257, False):
        right(ops, *qkv(rows, keys, d, heads=1), step=f"hopper {groups}", causal=causal)


@pytest.mark.skipif(not HAS_WGMMA, reason="wgmma needs compute capability 9.0")
def test_hopper_with_more_work_than_blocks(ops, thread_order):
    """CUDA on CPU has 8 multiprocessors. With 40000 keys, a head alone fills what heads may take of the L2 cache."""
    right(ops, *qkv(130, 140, heads=18, of_k=9, batch=2), step="hopper 2", causal=True)
    right(ops, *qkv(130, 140, d=128, heads=9), step="hopper 2", causal=True)
    right(ops, *qkv(70, 40000, heads=3), step="hopper 1", causal=True)


@pytest.mark.skipif(device.type == "cpu", reason="torch's FlashAttention 2 needs a GPU")
@per_dtype
@pytest.mark.parametrize("d", (64, 128))
def test_errors_are_those_of_flash_attention(ops, d, dtype):
    """Against float64, case by case; roundings differ by 5 % at most."""
    for rows, causal in (130, False), (700, True), (2049, True), (4096, False):
        arguments = qkv(rows, rows, d, dtype=dtype)
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
            theirs = F.scaled_dot_product_attention(*arguments, is_causal=causal)
        expected = exact(*arguments, causal=causal)
        limit = 1.05 * (theirs.double() - expected).norm()
        for step in "auto", *STEPS[1:]:
            assert (ops.attention(*arguments, causal=causal, step=step).double() - expected).norm() <= limit


@pytest.mark.skipif(device.type == "cpu", reason="torch's FlashAttention 2 needs a GPU")
@per_dtype
@pytest.mark.parametrize("d", (64, 128))
def test_errors_of_gradients_are_those_of_flash_attention(ops, d, dtype):
    """As above; the three gradients one by one."""
    for rows, causal in (130, False), (700, True), (2049, True), (4096, False):
        q, k, v = (x.requires_grad_() for x in qkv(rows, rows, d, dtype=dtype))
        grad = torch.randn_like(q)
        doubles = [x.detach().double().requires_grad_() for x in (q, k, v)]
        expected = torch.autograd.grad(exact(*doubles, causal=causal), doubles, grad.double())
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
            out = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
        theirs = torch.autograd.grad(out, (q, k, v), grad)
        with torch.no_grad():
            out, lse = ops.attention_forward(q, k, v, causal=causal)
            for options in KERNELS.values():
                ours = ops.attention_backward(grad, q, k, v, out, lse, causal=causal, **options)
                for mine, other, e in zip(ours, theirs, expected, strict=True):
                    assert (mine.double() - e).norm() <= 1.05 * (other.double() - e).norm()


@pytest.mark.skipif(HAS_WGMMA, reason="this GPU has wgmma")
@pytest.mark.parametrize("step", ("first", "two", "overlap", "hopper"))
def test_hopper_is_refused_by_name_where_it_cannot_run(ops, step):
    with pytest.raises(RuntimeError, match=f"step {step} is not possible: this GPU has no wgmma: it needs compute cap"):
        ops.attention(*qkv(5, 5), step=step)


@pytest.mark.skipif(device.type == "cpu", reason="CUDA on CPU is done with a call when it returns")
def test_calls_in_two_streams_at_once(ops):
    """Blocks of one call must not take the work of another."""
    arguments = [qkv(1000, 1000, heads=16, batch=4) for _ in range(2)]
    alone = [ops.attention(*a, causal=True) for a in arguments]
    streams = [torch.cuda.Stream() for _ in range(2)]
    torch.cuda.synchronize()
    for _ in range(20):
        results = []
        for stream, a in zip(streams, arguments, strict=True):
            with torch.cuda.stream(stream):
                results.append(ops.attention(*a, causal=True))
        torch.cuda.synchronize()
        assert all(torch.equal(a, b) for a, b in zip(results, alone, strict=True))


@per_dtype
@per_size
@per_kernels
def test_gradients(ops, kernels, d, dtype, thread_order):
    for rows, keys, causal in (7, 7, True), (65, 129, False), (200, 65, True):
        right_gradients(ops, *qkv(rows, keys, d, dtype=dtype), causal=causal, kernels=[kernels])


@per_kernels
def test_keys_past_the_end_with_infinite_weights(ops, kernels):
    """A score of 0 has the weight exp(-lse), which is no float here, and 0 * infinity is NaN."""
    q, k, v = qkv(40, 130)
    right_gradients(ops, 8 * q.abs(), -4 * k.abs(), v, kernels=[kernels])


@per_kernels
def test_a_query_that_sees_no_key_adds_nothing(ops, kernels):
    q, k, v = qkv(128, 30)
    out, lse = ops.attention_forward(q.abs(), k.abs() * -infinity, v)
    _, _, grad_v = ops.attention_backward(
        random(*q.shape), q.abs(), k.abs() * -infinity, v, out, lse, **KERNELS[kernels]
    )
    assert (lse == -infinity).all() and (grad_v == 0).all()


LENGTHS = 1, 7, 63, 64, 127, 129, 333


@pytest.mark.thorough
@pytest.mark.parametrize("causal", (False, True), ids=("all", "causal"))
@per_size
@pytest.mark.parametrize("rows", LENGTHS)
def test_every_length(ops, rows, d, causal):
    for keys in LENGTHS:
        arguments = qkv(rows, keys, d, heads=2, of_k=1)
        for step in *STEPS, *LADDER:
            right(ops, *arguments, step=step, causal=causal)
        right_gradients(ops, *arguments, causal=causal)


@per_step
def test_the_log_sum_exp(ops, step):
    for rows, keys, causal in (70, 70, True), (3, 200, False):
        q, k, v = qkv(rows, keys)
        _, lse = ops.attention_forward(q, k, v, causal=causal, step=step)
        torch.testing.assert_close(lse.double(), scores(q, k, causal).logsumexp(-1), rtol=0, atol=3e-6)


@per_step
def test_any_positive_scale(ops, step):
    q, k, v = qkv(20, 90)
    for scale in 1e-3, 0.5, 1.0:
        right(ops, q, k, v, scale=scale, step=step)
    right_gradients(ops, q, k, v, scale=0.3)


@pytest.mark.parametrize("heads, of_k", [(4, 4), (4, 2), (6, 2), (5, 1)])
def test_heads_that_share_keys(ops, heads, of_k):
    arguments = qkv(40, 70, heads=heads, of_k=of_k, batch=2)
    for step in STEPS:
        right(ops, *arguments, step=step)
    right_gradients(ops, *arguments, causal=True)


# ---- as they lie in memory -------------------------------------------------------------------------------------------
def copies(call):
    """How many tensors torch copies meanwhile."""
    with torch.autograd.profiler.profile() as profile:
        call()
    return sum(event.name == "aten::copy_" for event in profile.function_events)


def layouts():
    batch, heads, rows, d = 2, 3, 50, 64
    packed = random(batch, rows, 3, heads, d)  # a projection of queries, keys and values
    yield "packed", [x.transpose(1, 2) for x in packed.unbind(2)]
    yield "rows before heads", [random(batch, rows, heads, d).transpose(1, 2) for _ in range(3)]
    yield (
        "expanded heads",
        [random(batch, heads, rows, d), *(random(batch, 1, rows, d).expand(-1, heads, -1, -1) for _ in "kv")],
    )
    yield (
        "expanded batch",
        [random(batch, heads, rows, d), *(random(1, heads, rows, d).expand(batch, -1, -1, -1) for _ in "kv")],
    )
    yield "one row for all", [random(batch, heads, 1, d).expand(-1, -1, rows, -1) for _ in range(3)]
    yield "every second row", [random(batch, heads, 2 * rows, d)[:, :, ::2] for _ in range(3)]
    yield "half of wider rows", [random(batch, heads, rows, 2 * d)[..., d:] for _ in range(3)]
    yield (
        "an odd stride of one",
        [random(heads * rows * d).as_strided((1, heads, rows, d), (7, rows * d, d, 1)) for _ in "qkv"],
    )


@pytest.mark.parametrize("name, arguments", list(layouts()), ids=lambda x: x if isinstance(x, str) else "")
def test_rows_that_lie_anywhere(ops, name, arguments):
    for step in STEPS:
        right(ops, *arguments, step=step)
    right_gradients(ops, *arguments, causal=True)
    assert copies(lambda: ops.attention(*arguments)) == 0


def test_rows_that_begin_anywhere(ops):
    """Each is copied once."""
    heads, rows, d = 2, 30, 64
    size = heads * rows * d
    for strides, begins in (
        ((size, rows * d, d, 1), 1),
        ((size, rows * (d + 1), d + 1, 1), 0),
        ((size, 1, heads, rows * heads), 0),
    ):
        arguments = [random(2 * size)[begins:].as_strided((1, heads, rows, d), strides) for _ in range(3)]
        for step in STEPS:
            right(ops, *arguments, step=step)
        right_gradients(ops, *arguments)
        assert copies(lambda a=arguments: ops.attention(*a)) == 3


def test_the_result_lies_as_q_does(ops):
    """... so that what a projection takes, [batch, rows, heads * D], is a view of it. Gradients lie as their tensors do."""
    q, k, v = (random(2, 50, 3, 64).transpose(1, 2).requires_grad_() for _ in range(3))
    out = ops.attention(q, k, v)
    assert out.transpose(1, 2).is_contiguous()
    assert all(g.stride() == q.stride() for g in torch.autograd.grad(out.transpose(1, 2).flatten(2).sum(), (q, k, v)))
    assert ops.attention(*(x.contiguous() for x in (q, k, v))).is_contiguous()


def test_gradients_that_lie_anywhere(ops):
    """That of a sum is one element, expanded."""
    q, k, v = qkv(30, 40)
    for grad in (
        random(1, 1, 1, 1).expand(q.shape),
        random(1, 30, 2, 64).transpose(1, 2),
        random(1, 2, 30, 128)[..., 1:65],
    ):
        right_gradients(ops, q, k, v, grad)


# ---- exactness -------------------------------------------------------------------------------------------------------
@per_step
def test_nothing(ops, step):
    """No keys: zeros. No queries, heads or batches: nothing, and gradients of zeros."""
    for batch, heads, rows, keys in (2, 3, 5, 0), (2, 3, 0, 5), (0, 3, 5, 5), (2, 0, 5, 5), (2, 3, 0, 0):
        leaves = [random(batch, heads, n, 64).requires_grad_() for n in (rows, keys, keys)]
        out, lse = ops.attention_forward(*leaves, step=step)
        assert out.shape == leaves[0].shape and (out == 0).all() and (lse == -infinity).all()
        for x, grad in zip(leaves, torch.autograd.grad(out, leaves, torch.ones_like(out)), strict=True):
            assert grad.shape == x.shape and (grad == 0).all()


@per_dtype
@per_step
def test_large_scores(ops, step, dtype):
    """exp(500) is no float: only differences to the maximum are taken to that power."""
    q, k, v = qkv(70, 140, dtype=dtype)
    right(ops, 40 * q, k, v, step=step, causal=True)
    right_gradients(ops, 8 * q, k, v)


@per_step
def test_maxima_that_grow_and_shrink(ops, step):
    """In each block of keys, the first and the last one are the largest so far, or the smallest."""
    q, k, v = qkv(10, 300)
    for factor in torch.linspace(0.1, 8, 300), torch.linspace(8, 0.1, 300):
        right(ops, q.abs(), k.abs() * factor[:, None].to(k), v, step=step)


@per_step
def test_equal_keys_give_the_mean(ops, step):
    v = torch.randint(-8, 9, (1, 1, 256, 64), device=device).half()
    out = ops.attention(random(1, 1, 9, 64, dtype=torch.float16), torch.zeros_like(v), v, step=step)
    assert torch.equal(out, v.double().mean(2, keepdim=True).to(v.dtype).expand_as(out))


@per_step
def test_infinities_and_nan(ops, step):
    """As the formula. A key of -infinity has no weight, and a query that sees no other key gets zeros."""

    def same(q, k, v, causal):
        result, expected = ops.attention(q, k, v, causal=causal, step=step), exact(q, k, v, causal)
        assert torch.equal(result.isnan(), expected.isnan())
        no_further(result.nan_to_num(0), expected.nan_to_num(0), rounded(q, k, v, causal).nan_to_num(0))

    for causal in False, True:
        q, k, v = qkv(100, 100)
        for place, value in ((0, 0, 17), nan), ((0, 1, 99), nan):
            broken = q.clone()
            broken[place] = value
            same(broken, k, v, causal)
        for value in nan, infinity, -infinity:
            for rows in slice(70, 71), slice(None, None, 3), slice(0, 90):
                broken = k.clone()
                broken[0, 1, rows] = value
                same(q.abs(), broken, v, causal)


@per_step
def test_an_infinite_value_reaches_the_queries_that_see_it(ops, step):
    """Others of its block get 0 * infinity, as by the formula; those that skip its block do not."""
    q, k, v = qkv(200, 200)
    v[0, 1, 150, 3] = infinity
    out = ops.attention(q, k, v, causal=True, step=step)
    assert (out[0, 1, 150:, 3] == infinity).all() and out[0, 1, :96].isfinite().all()
    out[0, 1, 96:, 3] = 0
    assert out.isfinite().all()


def test_the_same_bits_each_time(ops):
    """Fused kernels add to the gradient of q in any order."""
    q, k, v = qkv(150, 200, heads=4, of_k=2)
    grad, (out, lse) = random(1, 4, 150, 64), ops.attention_forward(q, k, v)
    assert torch.equal(out, ops.attention(q, k, v))
    for name, options in KERNELS.items():
        first, again = (ops.attention_backward(grad, q, k, v, out, lse, **options) for _ in "12")
        same = [torch.equal(a, b) for a, b in zip(first, again, strict=True)]
        assert all(same[1:] if name == "fused" else same)


def test_autograd_asks_for_deterministic_kernels_where_torch_does(ops):
    asked = []

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            if function is ops.attention_backward.default:
                asked.append(kwargs.get("deterministic", False))
            return function(*args, **(kwargs or {}))

    q, k, v = (x.requires_grad_() for x in qkv(5, 5))
    for mode in True, False:
        torch.use_deterministic_algorithms(mode)
        try:
            out = ops.attention(q, k, v)
            with Watch():
                torch.autograd.grad(out.sum(), q)
        finally:
            torch.use_deterministic_algorithms(False)
    assert asked == [True, False]


# ---- torch -----------------------------------------------------------------------------------------------------------
@pytest.mark.thorough
@pytest.mark.parametrize("layout", (lambda x: x, lambda x: x.transpose(1, 2).contiguous().transpose(1, 2)))
def test_opcheck(ops, layout):
    for options in {}, {"causal": True, "scale": 0.3, "step": "simple"}:
        for of_k in 1, 2:
            for needs in False, True:
                arguments = [layout(x).requires_grad_(needs) for x in qkv(9, 11, of_k=of_k)]
                torch.library.opcheck(ops.attention_forward.default, arguments, options)
                torch.library.opcheck(ops.attention.default, arguments, options)
    q, k, v = map(layout, qkv(9, 11))
    out, lse = ops.attention_forward(q, k, v)
    torch.library.opcheck(ops.attention_backward.default, (random(*q.shape), q, k, v, out, lse), {"causal": True})
    for options in KERNELS.values():
        torch.library.opcheck(ops.attention_backward.default, (random(*q.shape), q, k, v, out, lse), options)


@pytest.mark.thorough
def test_compiled_in_one_graph(ops):
    torch.compiler.reset()

    def step(x, causal):
        q, k, v = (y.transpose(1, 2) for y in x.unflatten(-1, (3, 2, 64)).unbind(2))
        return ops.attention(q, k, v, causal=causal, scale=0.2).transpose(1, 2).flatten(2) + 1

    compiled = torch.compile(step, fullgraph=True, dynamic=True, backend="aot_eager")
    for rows in 5, 70:
        for causal in False, True:
            leaves = [x.requires_grad_() for x in [random(2, rows, 3 * 2 * 64)] * 2]
            ours, expected = compiled(leaves[0], causal), step(leaves[1], causal)
            torch.testing.assert_close(ours, expected, rtol=0, atol=0)
            grads = [
                torch.autograd.grad(y.float().sin().sum(), x) for y, x in zip((ours, expected), leaves, strict=True)
            ]
            torch.testing.assert_close(*grads, rtol=0, atol=0)


def test_gradients_of_some(ops):
    leaves = [x.requires_grad_() for x in qkv(30, 40)]
    every = torch.autograd.grad(ops.attention(*leaves).sum(), leaves)
    for i in range(3):
        some = [x if j == i else x.detach() for j, x in enumerate(leaves)]
        assert torch.equal(torch.autograd.grad(ops.attention(*some).sum(), leaves[i])[0], every[i])


def test_a_second_derivative_is_refused(ops):
    q, k, v = (x.requires_grad_() for x in qkv(5, 5))
    (of_q,) = torch.autograd.grad(ops.attention(q, k, v).sum(), q, create_graph=True)
    with pytest.raises(NotImplementedError, match="attention has no second derivative"):
        torch.autograd.grad(of_q.sum(), q)


def test_vmap_is_refused(ops):
    q, k, v = (random(3, 1, 2, 5, 64) for _ in range(3))
    with pytest.raises(NotImplementedError, match=r"no rule for torch\.vmap: .* fold yours into it"):
        torch.vmap(ops.attention)(q, k, v)


def test_autocast(ops):
    """All tensors become the region's dtype; a dtype that the operator does not take is left to its words."""
    q, k, v = (x.float() for x in qkv(9, 9))
    for dtype in DTYPES:
        with torch.autocast(device.type, dtype=dtype):
            result = ops.attention(q, k.half(), v)
        assert torch.equal(result, ops.attention(q.to(dtype), k.half().to(dtype), v.to(dtype)))
    with (
        torch.autocast(device.type, dtype=torch.bfloat16),
        pytest.raises(RuntimeError, match="got Double|got torch.float64"),
    ):
        ops.attention(q.double(), k, v)


def test_refused_with_memory_and_without(ops):
    """The same words from the kernel's checks and from the fake functions."""
    q, k, v = qkv(3, 4, heads=4, of_k=2)
    out, lse = ops.attention_forward(q, k, v)

    def backward(grad=q, out=out, lse=lse, **options):
        return lambda q, k, v: ops.attention_backward(*(x.to(q.device) for x in (grad, q, k, v, out, lse)), **options)

    for words, call in {
        "q must have dtype Half or BFloat16, got ": lambda q, k, v: ops.attention(q.float(), k, v),
        "k must have dtype BFloat16, got ": lambda q, k, v: ops.attention(q, k.half(), v),
        "v must have dtype BFloat16, got ": lambda q, k, v: ops.attention(q, k, v.half()),
        "q must have 4 dimensions, got 3": lambda q, k, v: ops.attention(q[0], k, v),
        "k must have 4 dimensions, got 3": lambda q, k, v: ops.attention(q, k[0], v),
        "q must have rows of 64 or 128 elements, got 32": lambda q, k, v: ops.attention(q[..., :32], k, v),
        r"k must have the shape \[1, heads, keys, 64\], as q has the ": lambda q, k, v: ops.attention(q, k[..., :32], v),
        "v and k must have the same shape, got ": lambda q, k, v: ops.attention(q, k, v[:, :, :2]),
        "q must have a multiple of k's heads, got 3 and 2": lambda q, k, v: ops.attention(q[:, :3], k, v),
        "q must have at most 2.30 rows, ": lambda q, k, v: ops.attention(q[:, :, :1].expand(-1, -1, 2**30 + 1, -1), k, v),
        "scale must be positive, and fit into float32, got 0": lambda q, k, v: ops.attention(q, k, v, scale=0.0),
        "scale must be positive, and fit into float32, got -1": lambda q, k, v: ops.attention(q, k, v, scale=-1),
        "scale must be positive, and fit into float32, got nan": lambda q, k, v: ops.attention(q, k, v, scale=nan),
        "step must be auto, simple, portable, first, two, overlap, hopper, hopper 1, hopper 2 or hopper 3, got x": (
            lambda *x: ops.attention(*x, step="x")
        ),
        "step hopper 3 takes rows of 64 elements, got 128": lambda *x: ops.attention(
            *(torch.cat([y, y], -1) for y in x), step="hopper 3"
        ),
        "grad must have dtype BFloat16, got ": backward(grad=q.half()),
        "grad and q must have the same shape, got ": backward(grad=q[:, :, :2]),
        "out and q must have the same shape, got ": backward(out=out[:, :, :2]),
        "lse must have dtype Float, got ": backward(lse=lse.double()),
        "lse must have the shape of q without its last dimension, got ": backward(lse=lse[:, :2].contiguous()),
        "step must be auto, portable or hopper, got simple": backward(step="simple"),
    }.items():  # fmt: skip
        for where in q.device, "meta":
            with pytest.raises(RuntimeError, match=words):
                call(*(x.to(where) for x in (q, k, v)))
    with pytest.raises(RuntimeError, match="must be on|same device|no tensor|Could not run"):
        ops.attention(q, k.to("meta"), v)
    right(ops, q, k, v)  # the next call works


# ---- what the compiler makes of it -----------------------------------------------------------------------------------
@pytest.mark.thorough
@pytest.mark.parametrize(
    "file, kernels, architecture",
    [("attention", 8, "sm_80"), ("attention", 8, "sm_90"), ("backward", 12, "sm_80"), ("backward", 12, "sm_90"),
     ("hopper_forward", 10, "sm_90a"), ("hopper_backward", 16, "sm_90a"), ("hopper_grad_q", 4, "sm_90a"),
     ("ladder", 12, "sm_90a")],
)  # fmt: skip
def test_nvcc_keeps_all_sums_in_registers(tmp_path, file, kernels, architecture):
    """C7508 and others: wgmma waits where it need not."""
    source = ROOT / f"chapters/19_attention/{file}.cu"
    said = nvcc(source, tmp_path / "cubin", architecture, "-cubin", "-Xptxas", "-v")
    assert spills(said) == [NO_SPILLS] * kernels
    assert not re.search(r"C7\d\d\d|warning", said)


@pytest.mark.thorough
def test_the_machine_code_has_wgmma_and_no_fence_in_its_loop(tmp_path):
    kernels, _ = machine_code(ROOT / "chapters/19_attention/hopper_forward.cu", tmp_path, "sm_90a")
    assert len(kernels) == 10
    for name, code in kernels.items():
        products = 128 // 16 + (8 if "Li128E" in name else 4)  # of weights, and of scores
        assert code.count("HGMMA") == 2 * products  # in the loop, and before and after it
        assert "MEMBAR" not in code[code.index("HGMMA") : code.rindex("HGMMA")]


COUNTED = """
import json, re
from cuda_on_cpu.microscope import microscope
from tests.support import chapter, operators
ops, main = operators("19_attention"), chapter("19_attention")
rows = microscope(lambda: main.launch_each_kernel(ops))
rows = [r for r in rows if r.space == "shared" and r.bytes_used > r.requests * r.width]  # not one address for all lanes
groups = []
for causal, heads, rows_of_q, d in (
    (False, 1, 300, 64), (False, 4, 300, 64), (False, 8, 100, 64), (True, 2, 400, 64), (False, 1, 300, 128),
    (False, 8, 100, 128),
):
    inputs = main.inputs(rows_of_q, (1, heads, heads, rows_of_q, d))
    kernel, = {r.kernel for r in microscope(lambda: ops.attention(*inputs, causal=causal))}
    groups.append(int(re.search(r"(\\d+)>$", kernel)[1]))
print(json.dumps([groups, [[r.kernel, r.space, r.kind, r.wavefronts, r.least_wavefronts] for r in rows]]))
"""


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform != "linux", reason="the microscope needs Linux")
def test_what_the_microscope_sees():
    """No bank conflicts in tiles: when they arrive, when ldmatrix reads them, and when a result goes to TMA. A block has
    the number of warpgroups that is fastest on the 8 multiprocessors that CUDA on CPU has."""
    environment = os.environ | {"CHAPTERS_SANITIZE": "memory", "CHAPTERS_DEVICE": "cpu"}
    command = [sys.executable, "-c", COUNTED]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    groups, rows = json.loads(done.stdout.splitlines()[-1])
    rows = [row for row in rows if not row[0].startswith("simple")]
    assert groups == [1, 3, 2, 1, 1, 2]
    assert len({kernel for kernel, *_ in rows}) == 23
    assert [row for row in rows if row[3] != row[4]] == []


# ---- mistakes, planted -----------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def pitfall():
    """(name, q, k, v) -> what that function of pitfalls.cu returns."""
    functions = launchers(ROOT / "tests/chapters/19_attention/pitfalls.cu")

    def call(name, q, k, v):
        out = torch.zeros_like(q)
        getattr(functions, name)(out, q, k, v, len(q), len(k))
        return out

    return call


def error(result, q, k, v):
    expected = (q.double() @ k.double().T).softmax(-1) @ v.double()
    return float((result.double() - expected).norm() / expected.norm())


def floats(*shape):
    return torch.randn(shape, device=device)


def test_pitfall_keys_past_the_end_have_weight(pitfall):
    """A row of zeros has the score 0, and so the weight of an average key: the more keys, the smaller the error."""
    q, k, v = 0.2 * floats(8, 32), floats(1000, 32), floats(1000, 32)
    assert 5e-3 < error(pitfall("no_mask", q, k, v), q, k, v) < 2e-2
    assert error(pitfall("no_mask", q, k[:960], v[:960]), q, k[:960], v[:960]) < 1e-5  # no key is missing


def test_pitfall_sums_that_keep_their_old_maximum(pitfall):
    q, k, v = floats(8, 32), floats(200, 32), floats(200, 32)
    assert error(pitfall("no_shrink", q, k, v), q, k, v) > 0.1
    assert error(pitfall("no_shrink", q, k[:32], v[:32]), q, k[:32], v[:32]) < 1e-5  # one block of keys is right


def test_pitfall_infinity_minus_infinity(pitfall):
    """NaN, but only for a query whose first block of keys has no weight."""
    q, k, v = floats(8, 32).abs(), floats(70, 32), floats(70, 32)
    assert error(pitfall("no_guard", q, k, v), q, k, v) < 1e-5
    k[:32] = -infinity
    assert pitfall("no_guard", q, k, v).isnan().all() and pitfall("no_shrink", q, k, v).isfinite().all()


@pytest.mark.skipif(device.type == "cuda", reason="a race: on a GPU it mostly goes well")
def test_pitfall_rows_that_are_overwritten_while_a_warp_reads_them(pitfall):
    """In one of the two orders of threads the result is wrong; `make memcheck` names both lines."""
    q, k, v = floats(8, 32), floats(200, 32), floats(200, 32)
    errors = []
    for reverse in "0", "1":
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("CUDA_REVERSE", reverse)
            errors.append(error(pitfall("no_barrier", q, k, v), q, k, v))
    assert max(errors) > 1e-3
