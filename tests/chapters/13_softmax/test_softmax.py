"""Chapter 13: every step of the ladder at all row lengths, exactness, gradients, torch.compile, and planted mistakes. 15 s"""

import itertools
import re

import pytest
import torch

from common import device
from grader.launchers import launchers
from tests.chapters.opinfo import FUNCTIONS
from tests.support import ROOT, in_packs, needs_gpu_memory, operators, ptx_of

softmax, softmax_backward = (op.reference for op in FUNCTIONS if op.chapter == "13_softmax")
DTYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
per_dtype = pytest.mark.parametrize("dtype", DTYPES, ids=lambda t: str(t)[6:])
infinity, nan = float("inf"), float("nan")
# Each step with the lengths of rows at which it does something new: part of a pack, a pack, a lane, a few lanes, a whole
# warp, several warps with a last one that has little to do, one round of the loop and two, one block of a row and several.
LENGTHS = {
    "three_passes": (1, 7, 255, 257, 1000),
    "strip": (1, 2, 3, 7, 8, 31, 63, 100, 127),
    "warp": (1, 2, 3, 4, 7, 8, 15, 16, 17, 24, 32, 40, 100, 249, 250, 256),
    "block": (1, 8, 256, 257, 512, 520, 1023, 1024, 4095, 4096),
    "twice": (1, 3, 8, 511, 520, 4096, 8200, 16393),
    "split": (1, 3, 520, 8192, 16393, 40000),
    "auto": (1, 2, 5, 16, 65, 127, 500, 513, 600, 1024, 1032, 8192, 8200, 9001, 40000),
}  # fmt: skip
ROWS = 5  # no multiple of the rows that a block has


@pytest.fixture(scope="module")
def ops():
    return operators("13_softmax")


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def random(*shape, dtype=torch.float32):
    return torch.randn(shape, dtype=dtype, device=device)


def close(result, expected, atol=1e-6):
    """float64 to 12 places, the others to 5, or to a unit in the last place."""
    eps = torch.finfo(expected.dtype).eps
    wide = expected.dtype == torch.float64
    torch.testing.assert_close(
        result, expected, rtol=1e-12 if wide else max(1e-5, eps), atol=1e-12 if wide and atol < 1e-3 else atol
    )


# ---- right -----------------------------------------------------------------------------------------------------------
@pytest.mark.kernels
@per_dtype
@pytest.mark.parametrize("step", LENGTHS)
def test_softmax(ops, step, dtype, thread_order):
    for n in LENGTHS[step]:
        x = 3 * random(ROWS if n < 5000 else 2, n, dtype=dtype)
        close(ops.softmax(x, step=step), softmax(x))


@pytest.mark.kernels
@per_dtype
@pytest.mark.parametrize("step", [step for step in LENGTHS if step != "three_passes"])
def test_softmax_backward(ops, step, dtype, thread_order):
    for n in LENGTHS[step]:
        grad, y = random(2, ROWS if n < 5000 else 2, n, dtype=dtype)
        close(ops.softmax_backward(grad, softmax(y), step=step), softmax_backward(grad, softmax(y)))


@pytest.mark.kernels
@pytest.mark.parametrize("step, rows, n", [("strip", 9001, 3), ("strip", 700, 32), ("auto", 1200, 64), ("auto", 1030, 4),
                                           ("warp", 300, 12), ("block", 150, 520), ("twice", 300, 520), ("split", 9, 8200),
                                           ("auto", 0, 5), ("auto", 3, 0)])  # fmt: skip
def test_many_rows(ops, step, rows, n, thread_order):
    """More than a block has, and the last block has fewer; and none."""
    grad, x = random(rows, n), random(rows, n)
    close(ops.softmax(x, step=step), softmax(x))
    close(ops.softmax_backward(grad, x, step=step), softmax_backward(grad, x), atol=1e-3)


@pytest.mark.kernels
@per_dtype
def test_rows_that_begin_anywhere(ops, dtype):
    """The first and the last pack of a row lie partly outside of it; packs that are misaligned go element by element."""
    for begins, n, which in itertools.product((1, 2, 8), (16, 61, 1024, 1027), range(2)):
        arguments = [random(3, n, dtype=dtype), random(3, n, dtype=dtype)]
        arguments[which] = random(begins + 3 * n, dtype=dtype)[begins:].view(3, n)
        grad, x = arguments
        close(ops.softmax(x), softmax(x))
        close(ops.softmax_backward(grad, x), softmax_backward(grad, x), atol=1e-3)
    x = random(2 * 8193 + 1, dtype=dtype)[1:].view(2, 8193)
    for step in "twice", "split":
        close(ops.softmax(x, step=step), softmax(x))


@pytest.mark.parametrize("rows, n", [(1, 65536), (1, 262151), (3, 200000), (130, 9001)])
def test_long_rows(ops, rows, n):
    """Few of them are split; from 128 rows on, a block reads a row twice."""
    x = random(rows, n) * torch.linspace(1, 2, rows, device=device)[:, None]
    close(ops.softmax(x), softmax(x), atol=1e-9)
    close(ops.softmax_backward(x, softmax(x)), softmax_backward(x, softmax(x)), atol=1e-8)


def test_a_step_refuses_rows_that_it_cannot_keep(ops):
    for step, most in ("strip", 256), ("warp", 512), ("block", 8192):
        close(ops.softmax(random(1, most), step=step).sum(), torch.tensor(1.0, device=device))
        with pytest.raises(RuntimeError, match=f"no room for rows of {most + 4} elements; auto takes any"):
            ops.softmax(random(1, most + 4), step=step)
        close(ops.softmax(random(2, 4)).sum(), torch.tensor(2.0, device=device))  # the next call works


@needs_gpu_memory(60)
@pytest.mark.parametrize("n", [3, 4096, 4095, 2**17])
def test_more_than_2_to_the_31_elements(ops, n):
    rows = 2**31 // n + 3
    grad, x = random(rows, n), random(rows, n)
    for result, expected, args in (
        (ops.softmax(x), softmax, (x,)),
        (ops.softmax_backward(grad, x), softmax_backward, (grad, x)),
    ):
        for part in range(0, rows, rows // 16):
            close(result[part : part + 8], expected(*(t[part : part + 8] for t in args)), atol=1e-3)


@pytest.mark.thorough
def test_a_pack_is_one_access(tmp_path):
    """Where rows consist of packs: the kernels for Layout::whole. And a pair of halves is one of 32 bits. 20 s"""
    kernels = ptx_of(ROOT / "chapters/13_softmax/softmax.cu", tmp_path)
    packed = [code for name, code in kernels.items() if re.search("registers_kernel.*L6Layout0E", name)]
    assert len(packed) == 20 and all(map(in_packs, packed))
    pairs = [code for name, code in kernels.items() if re.search("registers_kernel.*L6Layout3E", name)]
    accesses = {access for code in pairs for access in re.findall(r"(?:ld|st)\.global[.:\w]*", code)}
    assert len(pairs) == 10 and accesses == {"ld.global.u32", "st.global.u32", "st.global.v2.u16"}


# ---- exactness -------------------------------------------------------------------------------------------------------
STEPS_OF = {8: ("three_passes", "strip", "warp", "block", "twice", "split"), 7: ("three_passes", "strip", "warp", "twice"),
            1200: ("three_passes", "block", "twice", "split"), 20001: ("split",)}  # fmt: skip


@pytest.mark.kernels
@per_dtype
@pytest.mark.parametrize("n", STEPS_OF)
def test_infinities_and_nan(ops, n, dtype, thread_order):
    """Rows of -inf give NaN, as torch's; one finite value among -inf gives 1; +inf and NaN give rows of NaN."""
    limits = torch.finfo(dtype)
    rows = torch.zeros(9, n, dtype=dtype, device=device)
    rows[0] = -infinity
    rows[1] = -infinity
    rows[1, n - 1] = -3.0
    rows[2] = -infinity
    rows[2, 0] = limits.min
    rows[3, n // 2] = infinity
    rows[4, n // 2] = nan
    rows[5] = limits.min
    rows[6] = limits.max
    rows[7] = -infinity
    rows[7, 0] = infinity
    rows[8, 0], rows[8, n - 1] = limits.max, limits.min
    expected = torch.softmax(rows.float() if dtype != torch.float64 else rows, -1).to(dtype)
    assert expected[0].isnan().all() and expected[1, n - 1] == 1 and expected[3].isnan().all()
    for step in STEPS_OF[n]:
        close(ops.softmax(rows, step=step).nan_to_num(7), expected.nan_to_num(7))


@per_dtype
def test_large_logits(ops, dtype):
    """Beyond 1e4, where exp(x) is infinite in any of these types; neighbours differ by 8 in half, by 64 in bfloat16."""
    x = (11000 + 40 * random(4, 2000)).to(dtype)
    for step in ("three_passes", "block", "twice", "split"):
        close(ops.softmax(x, step=step), softmax(x))
        close(ops.softmax(-x, step=step), softmax(-x))


@per_dtype
def test_a_sum_in_float(ops, dtype):
    """65536 equal numbers: a sum in half precision would stop at 2048, or at 256."""
    x = torch.zeros(1, 65536, dtype=dtype, device=device)
    assert (ops.softmax(x) == 2.0**-16).all()


@per_dtype
def test_errors_beside_torchs(ops, dtype):
    """Against float64: at most half as large again as torch's, and a unit in the last place of 1."""
    for n, spread in itertools.product((100, 4096, 20000), (1, 30)):
        x = (spread * torch.randn(4, n)).to(dtype).to(device)
        exact = torch.softmax(x.double(), -1)
        ours, torchs = ((y.double() - exact).abs().max() for y in (ops.softmax(x), torch.softmax(x, -1)))
        assert ours <= 1.5 * torchs + (1e-15 if dtype == torch.float64 else 1e-7) * exact.max(), (
            n,
            spread,
            float(ours),
            float(torchs),
        )


# ---- torch -----------------------------------------------------------------------------------------------------------
def test_refused_with_memory_and_without(ops):
    """The same words from the kernel's checks and from the fake functions."""
    x = random(3, 8)
    for words, call in {
        "x must have dtype Float or Double or Half or BFloat16, got ": lambda x: ops.softmax(x.int()),
        "y must have dtype Float, got ": lambda x: ops.softmax_backward(x, x.double()),
        "x must be contiguous, got strides ": lambda x: ops.softmax(x.t()),
        "x must have 1 dimension or more, got 0": lambda x: ops.softmax(x[0, 0]),
        "grad and y must have the same shape, got ": lambda x: ops.softmax_backward(x, x[:2]),
        "step must be auto, three_passes, .* or split, got x": lambda x: ops.softmax(x, step="x"),
        "step must be auto, strip, .* or split, got three_passes": lambda x: ops.softmax_backward(
            x, x, step="three_passes"
        ),
    }.items():
        for where in x.device, "meta":
            with pytest.raises(RuntimeError, match=words):
                call(x.to(where))


# ---- mistakes, planted ----------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def pitfall():
    """(name, x, n, size) -> what that function of pitfalls.cu makes of x: so many floats."""
    functions = launchers(ROOT / "tests/chapters/13_softmax/pitfalls.cu")

    def call(name, x, n, size):
        out = torch.zeros(size, device=device)
        getattr(functions, name)(out, x, n)
        return out

    return call


def test_pitfall_one_barrier_in_a_loop(pitfall, thread_order):
    """Right in one order of the threads, wrong in the other. On a GPU, `compute-sanitizer --tool racecheck` names it."""
    x = torch.arange(4.0, device=device).repeat_interleave(256) + 1
    right = torch.tensor([256.0, 512, 768, 1024], device=device)
    sums = pitfall("one_barrier", x, 256, 4)
    if device.type == "cpu":
        assert torch.equal(sums, right) == (thread_order == "forward")


def test_pitfall_exp_without_the_maximum(pitfall):
    x = torch.tensor([1.0, 2, 88, 89], device=device)  # exp(89) is infinite in float32
    assert pitfall("without_max", x, 4, 4).isnan().any()
    close(pitfall("from_infinity", x, 4, 4), softmax(x))


def test_pitfall_a_maximum_that_begins_at_minus_infinity(pitfall, ops):
    """A lane that sees -inf alone computes -inf - -inf, which is NaN, and its sum makes those of all others NaN."""
    x = torch.full((64,), -infinity, device=device)
    x[5] = 1.0
    assert pitfall("from_infinity", x, 64, 64).isnan().all()
    assert ops.softmax(x)[5] == 1
