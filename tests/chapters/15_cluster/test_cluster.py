"""Chapter 15: every step at all row lengths, the fallback, exactness, and planted mistakes. 30 s"""

import pytest
import torch

from common import device
from grader.launchers import launchers
from tests.chapters.opinfo import FUNCTIONS
from tests.support import ROOT, needs_gpu_memory, operators

softmax, softmax_backward = (op.reference for op in FUNCTIONS if op.chapter == "15_cluster")
per_dtype = pytest.mark.parametrize("dtype", (torch.float32, torch.float16, torch.bfloat16), ids=lambda t: str(t)[6:])
infinity, nan = float("inf"), float("nan")
STEPS = "barrier", "mbarrier", "pipeline"
# Part of a pack, a few packs, packs for some of a block's threads, for some packs of each thread, and for 2 and 4 blocks, of
# which the last ones may have few packs, or none. Odd rows begin and end within packs.
LENGTHS = 3, 520, 1023, 4096, 16391, 33000
LONG = 1, 8, 17, 16384, 16388, 40001, 65544, 100003  # the same again, and 8 blocks


@pytest.fixture(scope="module")
def ops():
    return operators("15_cluster")


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def random(*shape, dtype=torch.float32):
    return torch.randn(shape, dtype=dtype, device=device)


def close(result, expected, atol=1e-6):
    torch.testing.assert_close(result, expected, rtol=max(1e-5, torch.finfo(expected.dtype).eps), atol=atol)


# ---- right -----------------------------------------------------------------------------------------------------------
@pytest.mark.kernels
@per_dtype
@pytest.mark.parametrize("step", STEPS)
def test_softmax(ops, step, dtype, thread_order):
    for n in LENGTHS:
        x = 3 * random(2, n, dtype=dtype)
        close(ops.softmax(x, step=step), softmax(x))


@pytest.mark.kernels
@per_dtype
@pytest.mark.parametrize("step", STEPS)
def test_softmax_backward(ops, step, dtype, thread_order):
    for n in LENGTHS:
        grad, y = random(2, n, dtype=dtype), softmax(random(2, n, dtype=dtype))
        close(ops.softmax_backward(grad, y, step=step), softmax_backward(grad, y))


@per_dtype
@pytest.mark.parametrize("step", STEPS)
def test_longer_rows(ops, step, dtype):
    for n in LONG:
        grad, x = random(2, n, dtype=dtype), random(2, n, dtype=dtype)
        y = softmax(x)
        close(ops.softmax(x, step=step), y)
        close(ops.softmax_backward(grad, y, step=step), softmax_backward(grad, y))


@pytest.mark.kernels
@pytest.mark.parametrize("rows, n", [(45, 520), (45, 523), (20, 16389)])
@pytest.mark.parametrize("step", STEPS)
def test_many_rows(ops, step, rows, n, thread_order):
    """More than the clusters that are at work at a time, with CUDA on CPU: of one block and of two, in whole packs and not."""
    grad, x = random(rows, n), random(rows, n)
    close(ops.softmax(x, step=step), softmax(x))
    close(ops.softmax_backward(grad, x, step=step), softmax_backward(grad, x), atol=1e-3)


@pytest.mark.parametrize(
    "dtype", (torch.float32, torch.float64, torch.float16, torch.bfloat16), ids=lambda t: str(t)[6:]
)
def test_the_fallback(ops, dtype):
    """As on a GPU without clusters; and it is what auto takes for rows that no cluster keeps."""
    for rows, n in (5, 3), (5, 1000), (2, 50257), (1, 2**20):
        grad, x = random(rows, n, dtype=dtype), random(rows, n, dtype=dtype)
        y = softmax(x)
        for step in ("fallback", "auto") if n != 50257 else ("fallback",):
            close(ops.softmax(x, step=step), y)
            close(ops.softmax_backward(grad, y, step=step), softmax_backward(grad, y))


@pytest.mark.parametrize("n", [32767, 32768, 32769, 50257, 131072, 131077, 262144, 262151])
def test_auto_takes_clusters_where_they_are_faster(ops, n):
    """... and where 16 blocks keep a row. CUDA on CPU has 8, as any GPU must. An order of additions has bits of its own."""
    x = random(4, n)
    y = ops.softmax(x)
    close(y, softmax(x))
    close(ops.softmax_backward(x, y), softmax_backward(x, y))
    if device.type == "cpu":
        assert torch.equal(y, ops.softmax(x, step="pipeline" if 32768 < n <= 131072 else "fallback"))
        assert n > 131072 or not torch.equal(ops.softmax(x, step="pipeline"), ops.softmax(x, step="fallback"))


@pytest.mark.skipif(device.type == "cuda", reason="of the clusters of CUDA on CPU")
@pytest.mark.parametrize("n", [65536, 65537])
def test_auto_counts_bytes(ops, n):
    """16 rows: the two orders of additions may give the same sum of a row, and most other sums the same bfloat16."""
    x = random(16, n, dtype=torch.bfloat16)
    assert torch.equal(ops.softmax(x), ops.softmax(x, step="pipeline" if n > 65536 else "fallback"))
    assert not torch.equal(ops.softmax(x, step="pipeline"), ops.softmax(x, step="fallback"))


@pytest.mark.kernels
@per_dtype
def test_arguments_that_begin_anywhere(ops, dtype):
    """Packs begin where the result has its multiples of 16 bytes, which may be anywhere in the argument."""
    for begins in 1, 2, 8:
        for n in 1024, 1021:
            grad, x = (random(begins + 3 * n, dtype=dtype)[begins:].view(3, n) for _ in range(2))
            for step in "auto", "barrier", "mbarrier":
                close(ops.softmax(x, step=step), softmax(x))
                close(ops.softmax_backward(grad, softmax(x), step=step), softmax_backward(grad, softmax(x)))


def test_a_step_refuses_rows_that_it_cannot_keep(ops):
    x = random(1, 2**20)
    for step in STEPS:
        with pytest.raises(
            RuntimeError, match=f"step {step} does not take rows of {2**20} elements: .*blocks.*auto takes"
        ):
            ops.softmax(x, step=step)
        with pytest.raises(
            RuntimeError, match="does not take rows of 8 elements: no cluster takes float64; auto takes"
        ):
            ops.softmax(x[:, :8].double(), step=step)
    with pytest.raises(
        RuntimeError, match="rows of 8 elements: tensors do not begin at multiples of 16 bytes; auto takes"
    ):
        ops.softmax(x[0, 1:9], step="pipeline")
    close(ops.softmax(x[:, :8], step="pipeline").sum(), torch.tensor(1.0, device=device))  # the next call works


def test_no_elements(ops):
    for step in "auto", "fallback", *STEPS:
        for shape in (0, 5), (3, 0):
            assert ops.softmax(random(*shape), step=step).shape == shape
            assert ops.softmax_backward(random(*shape), random(*shape), step=step).shape == shape


@pytest.mark.thorough
@needs_gpu_memory(40)
def test_more_than_2_31_elements(ops):
    x = torch.zeros(2**15 + 1, 2**16, dtype=torch.float16, device=device)
    x[-1, 0] = 10
    for step in STEPS:
        close(ops.softmax(x, step=step)[-2:], softmax(x[-2:]))


# ---- exactness -------------------------------------------------------------------------------------------------------
@per_dtype
@pytest.mark.parametrize("n", [7, 1200, 33000])
def test_infinities_and_nan(ops, n, dtype):
    """Rows of -inf give NaN, as torch's; one finite value among -inf gives 1; +inf and NaN give rows of NaN."""
    limits = torch.finfo(dtype)
    rows = torch.zeros(9, n, dtype=dtype, device=device)
    rows[0:3] = -infinity
    rows[1, n - 1] = -3.0
    rows[2, 0] = limits.min
    rows[3, n // 2] = infinity
    rows[4, n // 2] = nan
    rows[5] = limits.min
    rows[6] = limits.max
    rows[7] = -infinity
    rows[7, 0] = infinity
    rows[8, 0], rows[8, n - 1] = limits.max, limits.min
    expected = torch.softmax(rows.float(), -1).to(dtype)
    assert expected[0].isnan().all() and expected[1, n - 1] == 1 and expected[3].isnan().all()
    for step in ("fallback", *STEPS):
        close(ops.softmax(rows, step=step).nan_to_num(7), expected.nan_to_num(7))


@per_dtype
def test_a_sum_in_float(ops, dtype):
    """65536 equal numbers: a sum in half precision would stop at 2048, or at 256."""
    x = torch.zeros(1, 65536, dtype=dtype, device=device)
    for step in STEPS:
        assert (ops.softmax(x, step=step) == 2.0**-16).all()


@per_dtype
def test_errors_beside_torchs(ops, dtype):
    """Against float64: at most half as large again as torch's, and a unit in the last place of 1."""
    for spread in 1, 30:
        x = (spread * torch.randn(4, 33000)).to(dtype).to(device)
        exact = torch.softmax(x.double(), -1)
        ours, torchs = ((y.double() - exact).abs().max() for y in (ops.softmax(x), torch.softmax(x, -1)))
        assert ours <= 1.5 * torchs + 1e-7 * exact.max(), (spread, float(ours), float(torchs))


# ---- torch -----------------------------------------------------------------------------------------------------------
def test_refused_with_memory_and_without(ops):
    """The same words from the kernel's checks and from the fake functions."""
    x = random(3, 8)
    for words, call in {
        "x must have dtype Float or Double or Half or BFloat16, got ": lambda x: ops.softmax(x.int()),
        "x must be contiguous, got strides ": lambda x: ops.softmax(x.t()),
        "x must have 1 dimension or more, got 0": lambda x: ops.softmax(x[0, 0]),
        "y must have dtype Float, got ": lambda x: ops.softmax_backward(x, x.half()),
        "grad and y must have the same shape, got ": lambda x: ops.softmax_backward(x, x[:2]),
        "step must be auto, barrier, mbarrier, pipeline or fallback, got x": lambda x: ops.softmax(x, step="x"),
    }.items():
        for where in x.device, "meta":
            with pytest.raises(RuntimeError, match=words):
                call(x.to(where))


# ---- mistakes, planted -----------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def pitfall():
    """(name, x) -> what that function of pitfalls.cu makes of x: a sum for each of four blocks."""
    functions = launchers(ROOT / "tests/chapters/15_cluster/pitfalls.cu")

    def call(name, x):
        sums = torch.zeros(4, device=device)
        getattr(functions, name)(sums, x, len(x))
        return sums

    return call


@pytest.mark.skipif(device.type == "cuda", reason="undefined on a GPU, where it mostly goes well")
def test_pitfall_a_block_returns_while_a_peer_reads_its_memory(pitfall, thread_order):
    """CUDA on CPU ends the launch, and names the block."""
    with pytest.raises(RuntimeError, match="the block of rank .* has returned"):
        pitfall("early_exit", random(256))


@pytest.mark.skipif(device.type == "cuda", reason="undefined on a GPU")
def test_pitfall_a_peer_has_no_mbarrier_yet(pitfall, thread_order):
    with pytest.raises(RuntimeError, match="the barrier has no expected count"):
        pitfall("no_start", random(256))


@pytest.mark.skipif(device.type == "cuda", reason="undefined on a GPU")
def test_pitfall_a_parity_that_stays(pitfall, thread_order, monkeypatch):
    """Phase 1 is over before a thread waits for it. The thread waits for parity 0, which phase 2 has: for ever."""
    monkeypatch.setenv("CUDA_ON_CPU_TIMEOUT", "1")
    with pytest.raises(RuntimeError, match=r"spins? in mbarrier_try_wait_parity\(\)"):
        pitfall("one_parity", torch.ones(256, device=device))
