"""Chapter 16: every step in every layout, batches, exactness, what torch needs, and planted mistakes. 20 s"""

import itertools
import json
import os
import re
import subprocess
import sys

import pytest
import torch

from common import device
from common.timing import Timing
from grader.launchers import launchers
from tests.support import NO_SPILLS, ROOT, chapter, machine_code, needs_gpu_memory, nvcc, operators, spills

STEPS = "naive", "tile", "registers", "stages", "large", "small", "tall", "divided"
# M, N, K: one of each; parts of tiles; a few tiles down, across and along k; rows of b that begin at multiples of 16 bytes
# and rows that do not.
SHAPES = [(1, 1, 1), (3, 5, 2), (65, 33, 17), (129, 257, 16), (64, 260, 47), (300, 1, 33), (1, 300, 80), (0, 5, 3),
          (5, 0, 3)]  # fmt: skip


@pytest.fixture(scope="module")
def ops():
    return operators("16_matmul")


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def random(*shape):
    return torch.randn(shape, device=device)


def right(ops, a, b, **scalars):
    expected = (a.double() @ b.double()).float()
    result = ops.matmul(a, b, **scalars)
    assert result.is_contiguous()
    torch.testing.assert_close(result, expected, rtol=1e-5, atol=1e-6 * max(a.shape[-1], 16))


def layouts(*shape, extra=0, begins=0):
    """A matrix of that shape as it is, and as a transposed view: rows that lie `extra` elements apart, from an element on."""
    *batch, m, n = shape
    for transposed in False, True:
        rows, columns = (n, m) if transposed else (m, n)
        x = random(*batch, rows, columns + extra + begins)[..., begins : begins + columns]
        yield x.mT if transposed else x


# ---- right -----------------------------------------------------------------------------------------------------------
@pytest.mark.kernels
@pytest.mark.parametrize("step", STEPS)
def test_every_layout(ops, step, thread_order):
    for m, n, k in SHAPES:
        for a, b in itertools.product(layouts(m, k), layouts(k, n)):
            right(ops, a, b, step=step)


@pytest.mark.kernels
@pytest.mark.parametrize("step", ("large", "small"))
def test_rows_apart_that_begin_anywhere(ops, step):
    for extra, begins in (1, 0), (4, 0), (3, 1), (4, 4), (0, 2):
        for a, b in itertools.product(
            layouts(66, 35, extra=extra, begins=begins), layouts(35, 70, extra=extra, begins=begins)
        ):
            right(ops, a, b, step=step)


@pytest.mark.kernels
@pytest.mark.parametrize("step", ("auto", "divided"))
def test_a_long_k_is_divided(ops, step, thread_order):
    """Results with few tiles. On eight multiprocessors, k has 4, 5, 5 and 15 parts, of which the last one is shorter. 240 is
    not divided."""
    for m, n, k in (5, 67, 271), (64, 1, 385), (130, 66, 450), (1, 1, 1200), (4, 8, 240):
        for a, b in itertools.product(layouts(m, k), layouts(k, n)):
            right(ops, a, b, step=step)
    right(ops, random(3, 5, 300), random(3, 300, 9), step=step)
    right(ops, random(3, 300, 5).mT, random(300, 9), step=step)
    a, b = random(66, 1001), random(1001, 66)
    assert torch.equal(ops.matmul(a, b, step=step), ops.matmul(a, b, step=step))


@pytest.mark.parametrize("step", ("naive", "tile", "large", "small", "tall", "divided"))
def test_batches(ops, step):
    for z, m, n, k in (3, 5, 4, 7), (2, 70, 66, 20), (1, 3, 3, 3), (3, 4, 5, 4), (0, 4, 4, 4), (3, 2, 2, 0):
        for a, b in itertools.product(layouts(z, m, k), layouts(z, k, n)):
            right(ops, a, b, step=step)
        right(ops, random(z, m, k), random(k, n), step=step)
        right(ops, random(m, k), random(z, k, n), step=step)
        right(ops, random(z, k, m).mT, random(k, n), step=step)  # no tall matrix
        right(ops, random(m, z, k).transpose(0, 1), random(n, z, k).permute(1, 2, 0), step=step)
        right(
            ops, random(z, m, k), random(k, z, n).transpose(0, 1), step=step
        )  # rows begin at 16 bytes, matrices do not


def test_strides_that_need_a_copy_and_those_that_do_not(ops):
    x = random(40, 60)
    right(ops, x[:, ::2], random(30, 7))
    right(ops, random(3, 4, 10)[..., ::2], random(3, 5, 2))
    right(ops, random(1, 9).expand(5, 9), random(9, 1).expand(9, 4))
    right(ops, random(1, 1, 1).expand(3, 4, 5), random(5, 2))
    right(ops, random(4, 5).expand(3, 4, 5), random(2, 5).mT.expand(3, 5, 2))
    right(ops, random(64).as_strided((5, 8), (2, 1)), random(8, 3))  # rows that overlap
    right(ops, x[3:4, ::3], x[:20, 5:6])  # one row, one column
    for a in random(3, 5, 1), random(5, 3, 1).transpose(0, 1), random(3, 1, 5).mT, random(5, 1):
        right(ops, a, random(1, 4))
    right(ops, random(5, 60), random(60, 1)), right(ops, random(2, 5, 60), random(60, 2).mT[..., None])


@pytest.mark.thorough
def test_more_matrices_than_a_grid_has_rows(ops):
    a, b = random(70_000, 1, 2), random(70_000, 2, 1)
    right(ops, a, b, step="small")


def test_nothing_to_add_is_zero(ops):
    for step in "auto", *STEPS:
        assert (ops.matmul(random(33, 0), random(0, 5), step=step) == 0).all()


@pytest.mark.thorough
@needs_gpu_memory(40)
def test_more_than_2_31_results(ops):
    a, b = random(2**16 + 1, 3), random(3, 2**16 - 1)
    for step in STEPS:
        torch.testing.assert_close(ops.matmul(a, b, step=step)[-2:], a[-2:] @ b, rtol=1e-5, atol=1e-5)


# ---- exactness -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("step", STEPS)
def test_integers_are_exact(ops, step):
    a, b = (torch.randint(-8, 9, shape, device=device).float() for shape in ((70, 50), (50, 90)))
    assert torch.equal(ops.matmul(a, b, step=step), (a.double() @ b.double()).float())


@pytest.mark.parametrize("step", STEPS)
def test_infinities_and_nan_stay_in_their_row_or_column(ops, step):
    a, b = torch.ones(70, 33, device=device), torch.ones(33, 70, device=device)
    a[3, 32], a[5, 0], b[7, 69] = float("inf"), float("nan"), -float("inf")
    result = ops.matmul(a, b, step=step)
    torch.testing.assert_close(result, a @ b, equal_nan=True)
    assert result.isfinite().sum() == 68 * 69


@pytest.mark.parametrize("step", STEPS)
def test_errors_are_those_of_a_sum_in_float(ops, step):
    """k roundings, each of half a unit in the last place at most, of which half go up."""
    k = 2000
    a, b = random(64, k), random(k, 64)
    error = (ops.matmul(a, b, step=step).double() - a.double() @ b.double()).abs()
    assert (error <= k**0.5 * 2**-24 * (a.abs() @ b.abs())).all()


def test_the_same_bits_each_time(ops):
    a, b = random(200, 300), random(300, 100)
    for step in STEPS:
        assert torch.equal(ops.matmul(a, b, step=step), ops.matmul(a, b, step=step))


# ---- steps -----------------------------------------------------------------------------------------------------------
COUNTED = """
import json, sys, torch
from cuda_on_cpu.microscope import microscope
from tests.support import operators
ops, found = operators("16_matmul"), []
for step, layout, m, n, k in json.loads(sys.argv[1]):
    b = {"rows": torch.zeros(k, n), "columns": torch.zeros(n, k).mT, "odd rows": torch.zeros(k, n + 1)[:, :n]}[layout]
    rows = microscope(lambda: ops.matmul(torch.zeros(m, k), b, step=step))
    loads = [row for row in rows if (row.space, row.kind) == ("shared", "load")]
    more = [row.line for row in rows if row.sectors > row.least_sectors]
    passes = {"load": 2, "copy": 2}  # at best, where lanes load 16 bytes each, and where a copy transposes
    more += [row.line for row in rows if row.wavefronts > passes.get(row.kind, 1) * row.least_wavefronts]
    found.append((rows[0].kernel, sum(row.threads * row.width // 4 for row in loads) / (m * n * k), more))
for k in 240, 256:
    rows = microscope(lambda: ops.matmul(torch.zeros(8, k), torch.zeros(k, 8)))
    found.append(sorted({row.kernel.partition("<")[0] for row in rows}))
print(json.dumps(found))
"""


@pytest.mark.thorough
def test_what_a_step_loads_and_which_one_auto_takes():
    """Each step's kernel, its floats from shared memory for each product, and lines that take more sectors or passes than
    need be. And from 16 steps on, `auto` divides k. CUDA on CPU has 8 multiprocessors. 10 s, 30 from clean"""
    medium, large, small, tall = (
        f"registers_kernel<Results<{it}>, "
        for it in ("4, 2, 8, 8, 2", "2, 4, 16, 8, 1", "2, 1, 8, 8, 6", "4, 1, 8, 8, 4")
    )
    expected = {
        ("naive", "rows", 128, 256, 32): ("naive_kernel", 0),
        ("tile", "rows", 128, 256, 32): ("tile_kernel", 2),
        ("registers", "columns", 128, 256, 32): (f"{medium}1, ", 1 / 4),
        ("stages", "columns", 128, 256, 32): (f"{medium}3, ", 1 / 4),
        ("stages", "odd rows", 128, 256, 32): (f"{medium}3, ", 1 / 4),
        ("large", "columns", 128, 256, 32): (f"{large}3, ", 3 / 16),
        ("small", "columns", 128, 256, 32): (f"{small}3, ", 1 / 4),
        ("tall", "columns", 128, 256, 32): (f"{tall}3, ", 1 / 4),
        ("auto", "rows", 128, 512, 32): (f"{small}3, ", 1 / 4),  # 4 medium tiles, 8 tall ones, 16 small ones
        ("auto", "rows", 256, 512, 128): (f"{tall}3, ", 1 / 4),  # a medium tile or two tall ones a multiprocessor
        ("auto", "columns", 128, 1024, 512): (f"{medium}3, ", 1 / 4),  # the same, but each tile takes many more steps
    }
    environment = os.environ | {"CHAPTERS_SANITIZE": "memory", "CHAPTERS_DEVICE": "cpu"}
    command = [sys.executable, "-c", COUNTED, json.dumps(list(expected))]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout.splitlines()[-1])
    assert found[len(expected) :] == [["registers_kernel"], ["add_parts_kernel", "registers_kernel"]]
    for (kernel, floats, more), ((_, layout, *_), (name, count)) in zip(
        found[: len(expected)], expected.items(), strict=True
    ):
        assert kernel.startswith(name) and floats == count
        assert not more or layout == "odd rows"  # those touch more sectors than they fill


# ---- torch -----------------------------------------------------------------------------------------------------------
every_mix = pytest.mark.parametrize("shapes", [
    ((3, 4), (4, 5)), ((2, 3, 4), (4, 5)), ((3, 4), (2, 4, 5)), ((2, 3, 4), (2, 4, 5)),
])  # fmt: skip


@every_mix
def test_a_shape_without_memory(ops, shapes):
    a, b = (torch.empty(shape, device="meta") for shape in shapes)
    assert ops.matmul(a, b).shape == (a @ b).shape


@every_mix
def test_gradients_of_every_mix_of_batches(ops, shapes):
    for wanted in (True, True), (True, False), (False, True):
        a, b = (random(*shape).requires_grad_(it) for shape, it in zip(shapes, wanted, strict=True))
        leaves = [x for x in (a, b) if x.requires_grad]
        ours, expected = (torch.autograd.grad(f(a, b).sin().sum(), leaves) for f in (ops.matmul, torch.matmul))
        torch.testing.assert_close(ours, expected)


def test_autocast_gives_float32(ops):
    a, b = random(3, 4), random(4, 5)
    with torch.autocast(device.type, dtype=torch.bfloat16):
        assert torch.equal(ops.matmul(a, b), ops.matmul(a, b))
        half = ops.matmul(a.half(), b.bfloat16())
        with pytest.raises(RuntimeError, match="a must have dtype Float, got "):
            ops.matmul(a.double(), b.double())  # which autocast never converts
    assert half.dtype == torch.float32
    torch.testing.assert_close(half, a.half().float() @ b.bfloat16().float())


def test_refused_with_memory_and_without(ops):
    """The same words from the kernel's checks and from the fake function."""
    a, b = random(3, 4), random(4, 5)
    for words, call in {
        "a must have dtype Float, got ": lambda a, b: ops.matmul(a.half(), b),
        "b must have dtype Float, got ": lambda a, b: ops.matmul(a, b.double()),
        "a must have 2 or 3 dimensions, got 1": lambda a, b: ops.matmul(a[0], b),
        r"b must have the shape \[4, n\] or \[batches, 4, n\], as a has the shape .*, got ": lambda a, b: ops.matmul(a, a),
        r"b must have the shape \[4, n\] or \[2, 4, n\], as a": lambda a, b: ops.matmul(a.expand(2, 3, 4), b.expand(3, 4, 5)),
        "a must have at most 2147483647 rows and columns": lambda a, b: ops.matmul(a[0, 0].expand(2**31, 4), b),
        "step must be auto, naive, .*, tall or divided, got x": lambda a, b: ops.matmul(a, b, step="x"),
    }.items():  # fmt: skip
        for where in a.device, "meta":
            with pytest.raises(RuntimeError, match=words):
                call(a.to(where), b.to(where))


# ---- what nvcc makes of a kernel -------------------------------------------------------------------------------------
@pytest.mark.thorough
@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
def test_nvcc_keeps_all_sums_in_registers(tmp_path, architecture):
    """8 s"""
    said = spills(
        nvcc(ROOT / "chapters/16_matmul/matmul.cu", tmp_path / "cubin", architecture, "-cubin", "-Xptxas", "-v")
    )
    assert len(said) >= 20 and set(said) == {NO_SPILLS}


@pytest.mark.thorough
def test_nvcc_loads_four_numbers_of_a_tile_at_once(tmp_path):
    """The lesson's 48 passes for 32 products: 32 loads of one pass, and 8 of four numbers, of two. 10 s"""
    kernels, _ = machine_code(ROOT / "chapters/16_matmul/matmul.cu", tmp_path)
    (code,) = (code for name, code in kernels.items() if "tile_kernel" in name)
    assert (code.count("FFMA"), code.count("LDS.128"), code.count("LDS")) == (32, 8, 40)


BANKED = re.compile(r"FFMA R\d+, R(\d+)(?:\.reuse)?, R(\d+)(?:\.reuse)?, R(\d+)")


@pytest.mark.thorough
def test_nvcc_takes_no_three_operands_from_one_bank(tmp_path):
    """Of the two banks of registers, one has the even ones and one the odd ones. Without `one` in store(), 900 of the 2048
    products of a step of `large` take all three operands from one. 10 s"""
    kernels, _ = machine_code(ROOT / "chapters/16_matmul/matmul.cu", tmp_path)
    large = [code for name, code in kernels.items() if "registers_kernel" in name and "Li16ELi8E" in name]
    assert len(large) == 4  # layouts
    for code in large:
        products = [{int(register) % 2 for register in registers} for registers in BANKED.findall(code)]
        assert len(products) >= 2048 and all(len(banks) == 2 for banks in products)


# ---- mistakes, planted -----------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def pitfall():
    """(name, a, b) -> what that function of pitfalls.cu makes of a @ b."""
    functions = launchers(ROOT / "tests/chapters/16_matmul/pitfalls.cu")

    def call(name, a, b):
        out = torch.zeros(a.shape[0], b.shape[1], device=device)
        getattr(functions, name)(out, a, b)
        return out

    return call


@pytest.mark.skipif(device.type == "cuda", reason="a race: on a GPU it mostly goes well")
def test_pitfall_no_barrier_after_the_tiles_were_used(pitfall):
    """In one of the two orders of threads the result is wrong; `make memcheck` names both lines."""
    a, b = random(64, 64), random(64, 64)
    results = []
    for reverse in "0", "1":
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("CUDA_REVERSE", reverse)
            results.append(pitfall("no_second_barrier", a, b))
    assert not all(torch.allclose(result, a @ b, atol=1e-4) for result in results)


@pytest.mark.skipif(device.type == "cuda", reason="undefined on a GPU: the bytes may have come")
def test_pitfall_a_wait_for_too_few_copies(pitfall):
    a, b = random(64, 64), random(64, 64)
    assert not torch.allclose(pitfall("waits_for_too_few", a, b), a @ b, atol=1e-3)


@pytest.mark.skipif(device.type == "cuda", reason="a misaligned address ends the context")
def test_pitfall_16_bytes_of_rows_of_63_floats(pitfall):
    with pytest.raises(RuntimeError, match="not aligned to 16 bytes"):
        pitfall("sixteen_bytes_of_odd_rows", random(64, 64), random(64, 63))


# ---- times -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "layout, name", [({}, "2 x 3 x 4: auto"), ({"b_transposed": True}, "2 x 3 x 4, b transposed: auto")]
)
def test_a_row_of_the_benchmark_names_the_layout_of_b(monkeypatch, layout, name):
    times = chapter("16_matmul", "product_times")
    monkeypatch.setattr(times, "operators", lambda module, steps: {})
    monkeypatch.setattr(times, "bench", lambda *args, **options: [Timing("auto", 6, 1.0, 0.0, 1.0, 104)])
    assert [row.name for row in times.bench_products(None, [(2, 3, 4)], **layout)] == [name]
