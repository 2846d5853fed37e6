"""Chapter 13: every step of the ladder at all row lengths, exactness, gradients, torch.compile, and planted mistakes. 15 s"""

import itertools
import math
import re
import shutil
import subprocess

import pytest
import torch

from common import device
from cuda_on_cpu import programs
from grader.launchers import launchers
from tests.chapters.opinfo import FUNCTIONS
from tests.support import ROOT, in_packs, needs_gpu_memory, operators, ptx_of

softmax, softmax_backward, rms_norm, rms_norm_backward = (
    op.reference for op in FUNCTIONS if op.chapter == "13_softmax"
)
DTYPES = (torch.float32, torch.float16, torch.bfloat16)
per_dtype = pytest.mark.parametrize("dtype", DTYPES, ids=lambda t: str(t)[6:])
infinity, nan = float("inf"), float("nan")
# Each step with the lengths of rows at which it does something new: part of a pack, a lane, a few lanes, a whole warp, a
# warp and a bit, several warps with a last one that has little to do, one round of the loop and two, threads of a cluster
# with nothing to do, and 1, 2, 4 and 8 of its blocks. A block and a cluster take whole packs.
LENGTHS = {
    "three_passes": (1, 7, 255, 257, 1000),
    "shared": (1, 7, 257, 13000),  # 13000 floats are more than 48 KiB
    "online": (1, 3, 8, 511, 520, 8192, 8200, 16393, 40000),
    "warp": (1, 2, 3, 4, 7, 8, 15, 16, 17, 24, 32, 40, 100, 250, 256, 333, 505, 512),
    "block": (8, 256, 512, 520, 1024, 4104, 8192),
    "cluster": (8, 520, 4096, 8192, 16392, 40000, 65544),
    "auto": (1, 2, 5, 16, 500, 513, 600, 1024, 1032, 8192, 8200, 9001, 40000),
}  # fmt: skip
BACKWARD = {
    step: tuple(n for n in LENGTHS[step] if n <= (4096 if step == "block" else 40000))
    for step in ("online", "warp", "block", "cluster", "auto")
}
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
    for r, e in zip(*((x if isinstance(x, tuple) else (x,)) for x in (result, expected)), strict=True):
        torch.testing.assert_close(r, e, rtol=max(1e-5, torch.finfo(e.dtype).eps), atol=atol)


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
@pytest.mark.parametrize("step", BACKWARD)
def test_the_other_operators(ops, step, dtype, thread_order):
    for n in BACKWARD[step]:
        rows = ROWS if n < 5000 else 2
        grad, x, weight = random(rows, n, dtype=dtype), random(rows, n, dtype=dtype), random(n, dtype=dtype)
        y = softmax(x)
        close(ops.rms_norm(x, weight, step=step), rms_norm(x, weight, 1e-6), atol=1e-5)
        close(ops.softmax_backward(grad, y, step=step), softmax_backward(grad, y))
        close(ops.rms_norm_backward(grad, x, weight, step=step), rms_norm_backward(grad, x, weight, 1e-6), atol=1e-4)


@pytest.mark.kernels
@pytest.mark.parametrize("step, rows, n", [("auto", 9001, 3), ("auto", 1200, 64), ("block", 150, 520), ("cluster", 150, 520),
                                           ("cluster", 40, 16392), ("online", 300, 520), ("auto", 0, 5),
                                           ("auto", 3, 0)])  # fmt: skip
def test_many_rows(ops, step, rows, n, thread_order):
    """More than the groups that are at work at a time, with CUDA on CPU, where groups go from row to row; and none."""
    grad, x, weight = random(rows, n), random(rows, n), random(n)
    close(ops.softmax(x, step=step), softmax(x))
    close(ops.softmax_backward(grad, x, step=step), softmax_backward(grad, x), atol=1e-3)
    close(ops.rms_norm(x, weight, step=step), rms_norm(x, weight, 1e-6), atol=1e-5)
    close(ops.rms_norm_backward(grad, x, weight, step=step), rms_norm_backward(grad, x, weight, 1e-6), atol=1e-3)


@pytest.mark.kernels
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_many_rows_of_half_precision_read_twice(ops, dtype, thread_order):
    """Sums for the gradient of weight are floats, so that a pack of 8 has 32 bytes. 1 s."""
    grad, x, weight = random(300, 520, dtype=dtype), random(300, 520, dtype=dtype), random(520, dtype=dtype)
    of_weight = ops.rms_norm_backward(grad, x, weight, step="online")[1]
    close(of_weight, rms_norm_backward(grad, x, weight, 1e-6)[1], atol=1e-2)


@pytest.mark.kernels
@per_dtype
def test_an_argument_that_begins_anywhere(ops, dtype):
    """Its rows are no whole packs: elements are read one by one."""
    for begins, which in itertools.product((1, 2, 8), range(3)):
        arguments = [random(3, 1024, dtype=dtype), random(3, 1024, dtype=dtype), random(1024, dtype=dtype)]
        shape = arguments[which].shape
        arguments[which] = random(begins + shape.numel(), dtype=dtype)[begins:].view(shape)
        grad, x, weight = arguments
        close(ops.softmax(x), softmax(x))
        close(ops.softmax_backward(grad, x), softmax_backward(grad, x), atol=1e-3)
        close(ops.rms_norm(x, weight), rms_norm(x, weight, 1e-6), atol=1e-5)
        close(ops.rms_norm_backward(grad, x, weight), rms_norm_backward(grad, x, weight, 1e-6), atol=1e-4)


@pytest.mark.parametrize("n", [65536, 131072, 262144, 262151])
def test_the_longest_rows(ops, n):
    """Clusters of 4, 8 and 16 blocks, and online where the GPU has no clusters of 16."""
    x, weight = random(1, n), random(n)
    close(ops.softmax(x), softmax(x))
    close(ops.rms_norm(x, weight), rms_norm(x, weight, 1e-6), atol=1e-5)
    if device.type == "cuda":
        close(ops.softmax_backward(x, softmax(x)), softmax_backward(x, softmax(x)))
        close(ops.rms_norm_backward(x, x, weight), rms_norm_backward(x, x, weight, 1e-6), atol=1e-3)


def test_a_step_refuses_rows_that_it_cannot_keep(ops):
    for step, n, why in (
        ("warp", 513, "a warp keeps at most 512"),
        ("warp", 516, "a warp keeps at most 512"),
        ("block", 8196, "a block keeps at most 8192"),
        ("block", 8191, "not whole packs of 16 bytes"),
        ("shared", 2**17, "a block's shared memory"),
        ("cluster", 2**20, "a cluster keeps at most"),
    ):
        with pytest.raises(RuntimeError, match=f"{n}.*{why}|{why}.*{n}"):
            ops.softmax(random(1, n), step=step)
        close(ops.softmax(random(2, 4)).sum(), torch.tensor(2.0, device=device))  # the next call works
    for step in "block", "cluster":
        with pytest.raises(
            RuntimeError, match="rows of 5 elements: they are not whole packs of 16 bytes; auto takes any"
        ):
            ops.softmax(random(1, 5), step=step)


@needs_gpu_memory(60)
@pytest.mark.parametrize("n", [4096, 4095, 2**17])
def test_more_than_2_to_the_31_elements(ops, n):
    rows = 2**31 // n + 3
    grad, x, weight = random(rows, n), random(rows, n), random(n)
    for name, args in {"softmax": (x,), "rms_norm": (x, weight), "softmax_backward": (grad, x)}.items():
        result = getattr(ops, name)(*args)
        expected = {"softmax": softmax, "softmax_backward": softmax_backward}.get(name, rms_norm)
        for part in range(0, rows, rows // 16):
            some = [t[part : part + 8] if t.dim() > 1 else t for t in args]
            scalars = {"eps": 1e-6} if name == "rms_norm" else {}
            close(result[part : part + 8], expected(*some, **scalars), atol=1e-3)
    grad_x, _ = ops.rms_norm_backward(grad, x, weight)
    close(grad_x[-8:], rms_norm_backward(grad[-8:], x[-8:], weight, 1e-6)[0], atol=1e-4)


@pytest.mark.thorough
@pytest.mark.parametrize("file", ["softmax.cu", "rms_norm.cu"])
def test_a_pack_is_one_access(file, tmp_path):
    kernels = ptx_of(ROOT / "chapters/13_softmax" / file, tmp_path)
    packed = [code for name, code in kernels.items() if re.search("_kernelI.*Li[48]E", name) and "Li1ELi" not in name]
    assert packed and all(map(in_packs, packed))


# ---- exactness -------------------------------------------------------------------------------------------------------
STEPS_OF = {8: ("three_passes", "shared", "online", "warp", "block", "cluster"), 7: ("three_passes", "online", "warp"),
            1200: ("three_passes", "shared", "online", "block", "cluster")}  # fmt: skip


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
    expected = torch.softmax(rows.float(), -1).to(dtype)
    assert expected[0].isnan().all() and expected[1, n - 1] == 1 and expected[3].isnan().all()
    for step in STEPS_OF[n]:
        close(ops.softmax(rows, step=step).nan_to_num(7), expected.nan_to_num(7))


@per_dtype
def test_large_logits(ops, dtype):
    """Beyond 1e4, where exp(x) is infinite in any of these types; neighbours differ by 8 in half, by 64 in bfloat16."""
    x = (11000 + 40 * random(4, 2000)).to(dtype)
    for step in ("three_passes", "online", "block", "cluster"):
        close(ops.softmax(x, step=step), softmax(x))
        close(ops.softmax(-x, step=step), softmax(-x))


@per_dtype
def test_a_sum_in_float(ops, dtype):
    """65536 equal numbers: a sum in half precision would stop at 2048, or at 256."""
    x = torch.zeros(1, 65536, dtype=dtype, device=device)
    assert (ops.softmax(x) == 2.0**-16).all()
    close(ops.rms_norm(x + 3, x[0] + 1), x + 1)


@per_dtype
def test_errors_beside_torchs(ops, dtype):
    """Against float64: at most half as large again as torch's, and a unit in the last place of 1."""
    for n, spread in itertools.product((100, 4096, 20000), (1, 30)):
        x = (spread * torch.randn(4, n)).to(dtype).to(device)
        exact = torch.softmax(x.double(), -1)
        ours, torchs = ((y.double() - exact).abs().max() for y in (ops.softmax(x), torch.softmax(x, -1)))
        assert ours <= 1.5 * torchs + 1e-7 * exact.max(), (n, spread, float(ours), float(torchs))


def test_the_same_bits_each_time(ops):
    grad, x, weight = random(3000, 96), random(3000, 96), random(96)
    first = ops.rms_norm_backward(grad, x, weight)
    assert all(torch.equal(ops.rms_norm_backward(grad, x, weight)[1], first[1]) for _ in range(5))


# ---- torch -----------------------------------------------------------------------------------------------------------
def test_refused_with_memory_and_without(ops):
    """The same words from the kernel's checks and from the fake functions."""
    x, weight = random(3, 8), random(8)
    for words, call in {
        "x must have dtype Float or Half or BFloat16, got ": lambda x, w: ops.softmax(x.double()),
        "x must be contiguous, got strides ": lambda x, w: ops.softmax(x.t()),
        "x must have 1 dimension or more, got 0": lambda x, w: ops.softmax(x[0, 0]),
        "weight must have dtype Float, got ": lambda x, w: ops.rms_norm(x, w.half()),
        "weight must have the shape ": lambda x, w: ops.rms_norm(x, w[:3]),
        "grad and y must have the same shape, got ": lambda x, w: ops.softmax_backward(x, x[:2]),
        "grad and x must have the same shape, got ": lambda x, w: ops.rms_norm_backward(x[:2], x, w),
        "eps must be 0 or more, and fit into float32, got -1": lambda x, w: ops.rms_norm(x, w, -1.0),
        "eps must be 0 or more, and fit into float32, got nan": lambda x, w: ops.rms_norm_backward(x, x, w, math.nan),
        "eps must be 0 or more, and fit into float32, got 1e": lambda x, w: ops.rms_norm(x, w, 1e39),
        "step must be auto, three_passes, .* or cluster, got x": lambda x, w: ops.softmax(x, step="x"),
        "step must be auto, online, warp, block or cluster, got x": lambda x, w: ops.rms_norm(x, w, step="x"),
        "step must be auto, online, .* or cluster, got shared": lambda x, w: ops.softmax_backward(x, x, step="shared"),
    }.items():
        for where in x.device, "meta":
            with pytest.raises(RuntimeError, match=words.replace("[", r"\[")):
                call(x.to(where), weight.to(where))


@pytest.mark.thorough
@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
def test_a_caller_in_cpp(tmp_path):
    """`partial` must not be used for packs of 32 bytes where it begins between them. And only a kernel that could take the
    rows is asked for its longest: the driver answers for a cluster. 15 s to compile."""
    files = [ROOT / "tests/chapters/13_softmax/launches.cu", ROOT / "chapters/13_softmax/rms_norm.cu"]
    programs.build(files, tmp_path / "launches", ["g++"], [f"-I{ROOT}"], checked=True)
    done = subprocess.run([tmp_path / "launches"], capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "gradient of weight: 4 4 4 4 4 4 4 4",
        "rows of 50257 elements: online, asked 1 times",
    ], done.stderr


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


def test_pitfall_more_than_48_kib_without_asking(pitfall):
    """The launch is refused, and the next one is not."""
    x = random(12 * 1024 + 1)
    with pytest.raises(RuntimeError, match="invalid argument"):
        pitfall("no_attribute", x, len(x), len(x))
    assert torch.equal(pitfall("no_attribute", x[1:].clone(), len(x) - 1, len(x) - 1), x[1:])


@pytest.mark.skipif(device.type == "cuda", reason="undefined on a GPU, where it mostly goes well")
def test_pitfall_a_block_of_a_cluster_returns_too_early(pitfall, thread_order):
    """CUDA on CPU ends the launch, and names the block."""
    with pytest.raises(RuntimeError, match="the block of rank .* has returned"):
        pitfall("early_exit", random(256), 256, 4)


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
