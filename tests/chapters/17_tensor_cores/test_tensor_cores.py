"""Chapter 17: every step in every layout and dtype, batches, exactness, what torch needs, and planted mistakes. 60 s"""

import itertools
import json
import os
import re
import subprocess
import sys
from functools import partial
from types import SimpleNamespace

import pytest
import torch

from common import check, device, timing
from grader.launchers import launchers
from tests.support import NO_SPILLS, ROOT, chapter, needs_gpu_memory, nvcc, operators, spills

DTYPES = torch.float16, torch.bfloat16
STEPS = "fragments", "ldmatrix", "stages", "large", "small", "divided"
RINGS = STEPS[2:]  # copy 16 bytes at a time
per_dtype = pytest.mark.parametrize("dtype", DTYPES, ids=lambda t: str(t)[6:])
per_step = pytest.mark.parametrize("step", STEPS)
# M, N, K: one of each; parts of tiles; more than one tile down, across and along k. Multiples of 8 are for all steps.
ODD = (1, 1, 1), (3, 5, 2), (17, 9, 33), (129, 131, 65), (1, 300, 80), (0, 5, 3), (5, 0, 3)
WHOLE = (8, 8, 8), (16, 24, 64), (136, 264, 72), (72, 8, 200), (8, 264, 264)


@pytest.fixture(scope="module")
def ops():
    return operators("17_tensor_cores")


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def random(*shape, dtype=torch.bfloat16):
    return torch.randn(shape, dtype=dtype, device=device)


def right(ops, a, b, **scalars):
    """Sums are float, and rounded once: a unit in the last place beside a sum in double."""
    expected = (a.double() @ b.double()).to(a.dtype)
    result = ops.matmul(a, b, **scalars)
    assert result.is_contiguous()
    torch.testing.assert_close(
        result, expected, rtol=torch.finfo(a.dtype).eps, atol=1e-6 * max(a.shape[-1], 16), equal_nan=True
    )


def layouts(*shape, dtype=torch.bfloat16, extra=0, begins=0):
    """A matrix of that shape as it is, and as a transposed view: rows that lie `extra` elements apart, from an element on."""
    *batch, m, n = shape
    for transposed in False, True:
        rows, columns = (n, m) if transposed else (m, n)
        x = random(*batch, rows, columns + extra + begins, dtype=dtype)[..., begins : begins + columns]
        yield x.mT if transposed else x


# ---- right -----------------------------------------------------------------------------------------------------------
@pytest.mark.kernels
@per_dtype
@per_step
def test_every_layout(ops, step, dtype, thread_order):
    for m, n, k in WHOLE if step in RINGS else ODD + WHOLE[:3]:
        for a, b in itertools.product(layouts(m, k, dtype=dtype), layouts(k, n, dtype=dtype)):
            right(ops, a, b, step=step)


@pytest.mark.kernels
@pytest.mark.parametrize("step", ("auto", "ldmatrix"))
def test_rows_apart_that_begin_anywhere(ops, step):
    for extra, begins in (1, 0), (8, 0), (7, 1), (8, 8), (0, 2), (3, 4):
        for m, n, k in (66, 70, 35), (64, 64, 64):
            as_ = layouts(m, k, extra=extra, begins=begins)
            for a, b in itertools.product(as_, layouts(k, n, extra=extra, begins=begins)):
                right(ops, a, b, step=step)


@pytest.mark.kernels
@per_dtype
@pytest.mark.parametrize("step", ("auto", "divided"))
def test_a_long_k_is_divided(ops, step, dtype, thread_order):
    """Results with few tiles. On CUDA on CPU, with its eight multiprocessors, k has 4, 5, 6 and 2 parts, and the last one is
    shorter, down to 8 elements; 960 is not divided."""
    for m, n, k in (8, 72, 1064), (72, 8, 1352), (8, 8, 1608), (136, 264, 1088), (8, 8, 960):
        for a, b in itertools.product(layouts(m, k, dtype=dtype), layouts(k, n, dtype=dtype)):
            right(ops, a, b, step=step)
    right(ops, random(3, 8, 1096, dtype=dtype), random(3, 1096, 16, dtype=dtype), step=step)
    right(ops, random(3, 1096, 8, dtype=dtype).mT, random(1096, 16, dtype=dtype), step=step)
    right(ops, random(8, 1096, dtype=dtype), random(5, 1096, dtype=dtype).mT, step=step)  # rows of 5 results


@pytest.mark.kernels
@per_dtype
def test_auto_copies_rows_that_are_no_whole_packs(ops, dtype, thread_order):
    """Copies of both operands, of one, of none; of each matrix of a batch, or of the one that a batch shares; divided as well.
    The copies keep the layout, and infinities stay where they are, although zeros stand beside them."""
    for m, n, k in (17, 9, 66), (8, 131, 71), (33, 8, 130), (1, 3, 1100), (5, 1, 1100), (131, 2, 65):
        for a, b in itertools.product(layouts(m, k, dtype=dtype), layouts(k, n, dtype=dtype)):
            right(ops, a, b)
    for a, b in itertools.product(layouts(3, 5, 67, dtype=dtype), layouts(3, 67, 9, dtype=dtype)):
        right(ops, a, b)
        right(ops, a[0], b), right(ops, a, b[0])
    right(
        ops, random(2, 17, 80, dtype=dtype)[..., 3:70], random(67, 10, dtype=dtype)[:, 1:9]
    )  # rows that begin anywhere
    a, b = random(9, 69, dtype=dtype), random(69, 7, dtype=dtype)
    a[3, 68], b[0, 6] = float("inf"), float("nan")
    right(ops, a, b), right(ops, b.mT, a.mT)


@pytest.mark.parametrize("step", RINGS)
def test_rows_apart(ops, step):
    for extra, begins in (8, 0), (8, 8), (24, 8):
        as_ = layouts(40, 72, extra=extra, begins=begins)
        for a, b in itertools.product(as_, layouts(72, 48, extra=extra, begins=begins)):
            right(ops, a, b, step=step)


@pytest.mark.parametrize("step", RINGS)
def test_results_whose_rows_begin_anywhere(ops, step):
    """With b transposed, n may be any number."""
    for n in 2, 7, 67, 130:
        right(ops, random(72, 16), random(n, 16).mT, step=step)


@per_step
def test_batches(ops, step):
    for z, m, n, k in (3, 8, 16, 8), (2, 72, 72, 24), (1, 8, 8, 8), (0, 8, 8, 8), (3, 8, 8, 0):
        for a, b in itertools.product(layouts(z, m, k), layouts(z, k, n)):
            right(ops, a, b, step=step)
        right(ops, random(z, m, k), random(k, n), step=step)
        right(ops, random(m, k), random(z, k, n), step=step)
        right(ops, random(z, k, m).mT, random(k, n), step=step)  # no tall matrix
        right(ops, random(m, z, k).transpose(0, 1), random(n, z, k).permute(1, 2, 0), step=step)


@pytest.mark.kernels
@per_step
@pytest.mark.parametrize("k", [8, 64, 136, 200])
def test_more_tiles_than_blocks(ops, step, k):
    """A block goes from tile to tile: copies of the next one begin while it multiplies. On a GPU these are many more."""
    z = 9 if device.type == "cpu" else 2000
    right(ops, random(z, 72, k), random(z, k, 72), step=step)


@pytest.mark.parametrize("step", RINGS)
def test_bands_of_tiles(ops, step):
    """More than 16 rows of tiles, the last band with fewer."""
    right(ops, random(2200 if step != "small" else 1100, 8), random(8, 520 if step != "small" else 136), step=step)


@pytest.mark.kernels
@per_step
def test_nothing_outside_is_read_or_written(ops, step):
    """By check() of the harness: the memory check knows where its tensors end."""
    op, k = partial(ops.matmul, step=step), 72 if step in RINGS else 37
    check(op, torch.matmul, lambda n: (random(n, k), random(k, n)), sizes=(8, 136), rtol=0.01, atol=1e-3)
    check(op, torch.matmul, lambda z: (random(z, 72, k), random(z, k, 72)), sizes=(1, 2), rtol=0.01, atol=1e-3)


def test_strides_that_need_a_copy_and_those_that_do_not(ops):
    x = random(40, 60)
    right(ops, x[:, ::2], random(30, 7))
    right(ops, random(1, 9).expand(5, 9), random(9, 1).expand(9, 4))
    right(ops, random(1, 16).expand(8, 16), random(16, 1).expand(16, 8))
    right(ops, random(1, 1, 1).expand(3, 4, 5), random(5, 2))
    right(ops, random(64).as_strided((5, 8), (2, 1)), random(8, 3))  # rows that overlap
    right(ops, x[3:4, ::3], x[:20, 5:6])  # one row, one column
    for step in RINGS:  # a contiguous column is a line of 72, not 72 rows of one element
        right(ops, random(8, 72), random(72, 1), step=step)
        right(ops, random(2, 8, 72), random(2, 72, 1), step=step)


def test_nothing_to_add_is_zero(ops):
    for step in "auto", *STEPS:
        assert (ops.matmul(random(33, 0), random(0, 8), step=step) == 0).all()


def test_steps_refuse_what_they_cannot_copy_and_auto_does_not(ops):
    x = random(16, 32)
    begins, apart, ends = x[:8, 1:17], random(8, 17)[:, :16], x[:16, :5]
    batches_apart = random(300).as_strided((2, 8, 16), (129, 16, 1))
    for a, b in (
        (begins, x[:, :8]),
        (apart, x[:, :8]),
        (x[:8, :16], ends),
        (batches_apart, x[:, :8]),
        (x[:8, :4], x[:4, :8]),
    ):
        for step in RINGS:
            with pytest.raises(RuntimeError, match="do not consist of them; auto takes any"):
                ops.matmul(a, b, step=step)
        right(ops, a, b)
    right(ops, x, x.mT, step="stages")  # the next call works


@pytest.mark.thorough
@needs_gpu_memory(40)
def test_more_than_2_31_results(ops):
    a, b = random(2**16 + 8, 8), random(8, 2**16)
    for step in STEPS:
        torch.testing.assert_close(ops.matmul(a, b, step=step)[-2:], a[-2:] @ b, rtol=0.01, atol=1e-4)


@pytest.mark.thorough
@needs_gpu_memory(40)
def test_more_than_2_31_tiles(ops):
    """A launch has fewer: the last matrices are those of a second one."""
    a, b = torch.ones(2**31 + 5, 1, 1, dtype=torch.float16, device=device), torch.tensor([[2.0]], device=device).half()
    a[-3:] = 3
    result = ops.matmul(a, b.expand(2**31 + 5, 1, 1))
    assert result[-5:].flatten().tolist() == [2, 2, 6, 6, 6] and result[2**31 - 3 :][:4].flatten().tolist() == [2] * 4


# ---- exactness -------------------------------------------------------------------------------------------------------
@per_dtype
@per_step
def test_integers_are_exact(ops, step, dtype):
    a, b = (torch.randint(-3, 4, shape, device=device).to(dtype) for shape in ((72, 56), (56, 88)))
    assert torch.equal(ops.matmul(a, b, step=step).double(), (a.double() @ b.double()).to(dtype).double())


@per_dtype
@per_step
def test_infinities_and_nan_stay_in_their_row_or_column(ops, step, dtype):
    a, b = torch.ones(72, 40, dtype=dtype, device=device), torch.ones(40, 72, dtype=dtype, device=device)
    a[3, 39], a[5, 0], b[7, 71] = float("inf"), float("nan"), -float("inf")
    result = ops.matmul(a, b, step=step)
    torch.testing.assert_close(result, (a.double() @ b.double()).to(dtype), equal_nan=True)
    assert result.isfinite().sum() == 70 * 71


@per_step
def test_too_large_a_sum_is_infinity(ops, step):
    a, b = torch.full((8, 16), 200.0, device=device).half(), torch.full((16, 8), 300.0, device=device).half()
    assert (ops.matmul(a, b, step=step) == float("inf")).all()


@per_step
def test_a_sum_in_float(ops, step):
    """16384 ones: a sum in float16 stops at 2048, in bfloat16 at 256."""
    for dtype in DTYPES:
        a, b = (torch.ones(shape, dtype=dtype, device=device) for shape in ((8, 16384), (16384, 8)))
        assert (ops.matmul(a, b, step=step) == 16384).all()


def test_the_same_bits_each_time(ops):
    a, b = random(200, 304), random(304, 104)
    for step in STEPS:
        assert torch.equal(ops.matmul(a, b, step=step), ops.matmul(a, b, step=step))


# ---- torch -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "shapes", [((3, 4), (4, 5)), ((2, 8, 8), (8, 8)), ((8, 8), (2, 8, 16)), ((2, 3, 4), (2, 4, 5))]
)
def test_gradients_of_every_mix_of_batches(ops, shapes):
    leaves = [random(*shape, dtype=torch.float16).requires_grad_() for shape in shapes]
    for wanted in leaves, leaves[:1], leaves[1:]:
        ours, expected = (torch.autograd.grad(f(*leaves).sin().sum(), wanted) for f in (ops.matmul, torch.matmul))
        torch.testing.assert_close(ours, expected, rtol=0.01, atol=0.01)


def test_autocast(ops):
    """The region's dtype, and float16 where the operator does not take it."""
    a, b = torch.randn(3, 4, device=device), torch.randn(4, 5, device=device)
    for dtype in DTYPES:
        with torch.autocast(device.type, dtype=dtype):
            result = ops.matmul(a, b)
        assert result.dtype == dtype
        torch.testing.assert_close(result, a.to(dtype) @ b.to(dtype))


def test_refused_with_memory_and_without(ops):
    """The same words from the kernel's checks and from the fake function."""
    a, b = random(3, 4), random(4, 5)
    for words, call in {
        "a must have dtype Half or BFloat16, got ": lambda a, b: ops.matmul(a.float(), b),
        "b must have dtype BFloat16, got ": lambda a, b: ops.matmul(a, b.half()),
        "a must have 2 or 3 dimensions, got 1": lambda a, b: ops.matmul(a[0], b),
        r"b must have the shape \[4, n\] or \[batches, 4, n\], as a has the shape .*, got ": lambda a, b: ops.matmul(a, a),
        "step must be auto, fragments, .*, small or divided, got x": lambda a, b: ops.matmul(a, b, step="x"),
    }.items():  # fmt: skip
        for where in a.device, "meta":
            with pytest.raises(RuntimeError, match=words):
                call(a.to(where), b.to(where))


# ---- the lesson ------------------------------------------------------------------------------------------------------
def test_the_lesson_times_any_size(monkeypatch, capfd):
    """With a k that is no multiple of 8, the steps that take it. 1 s"""
    monkeypatch.setattr(sys, "argv", ["main.py", "--size", "17", "19", "21"])
    monkeypatch.setattr(timing, "_repeats", lambda *_: 2)
    chapter("17_tensor_cores").main()
    names = re.findall(r"^ {8}(\w+) +[\d.]+ ", capfd.readouterr().out.partition("\ntime ")[2], re.M)
    assert names == ["auto", "fragments", "ldmatrix", "torch"]


def test_a_gpu_with_less_shared_memory_runs_all_steps_but_one(monkeypatch):
    """99 KiB a block, as on compute capability 8.6: the binding refuses `large` there."""
    main, small = chapter("17_tensor_cores"), SimpleNamespace(shared_memory_per_block_optin=99 << 10)
    monkeypatch.setattr(main, "ON_GPU", True)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _: small)
    assert set(main.STEPS) - set(main.steps_here()) == {"large"}


# ---- what the compiler and the memory make of it ---------------------------------------------------------------------
@pytest.mark.thorough
@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
def test_nvcc_keeps_all_sums_in_registers(tmp_path, architecture):
    """30 s"""
    source = ROOT / "chapters/17_tensor_cores/tensor_cores.cu"
    said = spills(nvcc(source, tmp_path / "cubin", architecture, "-cubin", "-Xptxas", "-v"))
    assert len(said) >= 34 and set(said) == {NO_SPILLS}


COUNTED = """
import json, torch
from cuda_on_cpu.microscope import microscope
from tests.support import ROOT, operators
from grader.launchers import launchers
ops, found = operators("17_tensor_cores"), []
for step in "ldmatrix", "stages", "large", "small":
    for a, b in (torch.ones(64, 64), torch.ones(64, 128)), (torch.ones(64, 64).mT, torch.ones(128, 64).mT):
        for row in microscope(lambda: ops.matmul(a.half(), b.half(), step=step)):
            found += [[step, row.space, row.kind, row.wavefronts, row.least_wavefronts, row.sectors, row.least_sectors]]
for m, n, k in (64, 64, 8), (128, 1024, 8), (128, 2048, 8), (8, 8, 960), (8, 8, 1024), (17, 9, 64), (17, 9, 65):
    rows = microscope(lambda: ops.matmul(torch.ones(m, k).half(), torch.ones(k, n).half()))
    found += [["auto", *sorted({row.kernel for row in rows})]]
no_swizzle = launchers(ROOT / "tests/chapters/17_tensor_cores/pitfalls.cu").no_swizzle
x = torch.randn(8, 64).half()
y = torch.empty_like(x)
for row in microscope(lambda: no_swizzle(y, x)):
    if row.space == "shared" and row.kind == "load":
        found += [["no_swizzle", row.space, row.kind, row.wavefronts, row.least_wavefronts, 0, 0]]
assert torch.equal(x, y)
print(json.dumps(found))
"""


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform != "linux", reason="the microscope needs Linux")
def test_what_the_microscope_sees():
    """A swizzle leaves no bank conflicts in any layout, neither when a tile arrives nor when ldmatrix reads it. Without one,
    ldmatrix takes 8 times as many passes. And auto takes larger tiles for larger results, divides a long k, and copies what
    is no whole packs where that saves a step."""
    environment = os.environ | {"CHAPTERS_SANITIZE": "memory", "CHAPTERS_DEVICE": "cpu"}
    done = subprocess.run(
        [sys.executable, "-c", COUNTED], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    rows = json.loads(done.stdout.splitlines()[-1])
    chosen = [row[1:] for row in rows if row[0] == "auto"]  # with eight multiprocessors
    for (kernel,), tile in zip(chosen, ("2, 2, 32, 32", "2, 2, 64, 64", "2, 4, 64, 64"), strict=False):
        assert kernel.startswith("stages_kernel") and f"Tile<{tile}" in kernel
    assert [[kernel.partition("_")[0] for kernel in kernels] for kernels in chosen[3:]] == [
        ["stages"], ["add", "stages"], ["ldmatrix"], ["pad", "stages"]
    ]  # fmt: skip
    rows = [row for row in rows if row[0] != "auto"]
    assert {row[0] for row in rows} == {"ldmatrix", "stages", "large", "small", "no_swizzle"}
    for step, space, kind, wavefronts, least, sectors, least_sectors in rows:
        assert wavefronts == least * (8 if step == "no_swizzle" else 1), (step, space, kind)
        assert sectors == least_sectors, (step, space, kind)


# ---- mistakes, planted -----------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def pitfalls():
    return launchers(ROOT / "tests/chapters/17_tensor_cores/pitfalls.cu")


def test_pitfall_sums_in_half_precision(pitfalls):
    """An instruction adds 16 products. In float16, 32768 + 16 is 32768."""
    a, b, out = torch.ones(16, 49152).half(), torch.ones(8, 49152).half(), torch.zeros(16, 8, device=device)
    pitfalls.half_sums(out, a.to(device), b.to(device), 49152)
    assert (out < 49152).all() and (out >= 32768).all()


@pytest.mark.skipif(device.type == "cuda", reason="undefined on a GPU, where the missing lanes' registers may be used")
def test_pitfall_an_instruction_of_a_warp_without_all_its_lanes(pitfalls):
    out = torch.zeros(4, 8)
    with pytest.raises(RuntimeError, match="all 32 lanes of a warp, and some have returned"):
        pitfalls.not_all_lanes(out, random(4, 16).half(), random(8, 16).half(), 4, 16)


def test_pitfall_b_as_it_lies_without_trans(pitfalls):
    """Each 8 x 8 matrix of b is used as its transpose."""
    a, b, out = random(16, 16).half(), random(16, 8).half(), torch.zeros(16, 8, device=device)
    pitfalls.no_trans(out, a, b)
    turned = b.view(2, 8, 8).mT.reshape(16, 8)
    torch.testing.assert_close(out, a.float() @ turned.float())
