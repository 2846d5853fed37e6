"""Chapter 12: each step of the sum, the order of its additions bit for bit, histograms, and mistakes that people make.

test_operators.py and test_operators_gpu.py try the operators as they try all others.
"""

import functools
import shutil
import subprocess
import sys

import numpy
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from common import check, device
from grader.launchers import launchers
from tests.support import ROOT, chapter, needs_gpu_memory, operators

STEPS = "atomic", "tree", "shuffle", "packs", "last_block", "chunks"
FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
per_step = pytest.mark.parametrize("step", STEPS)
per_float = pytest.mark.parametrize("dtype", FLOATS, ids=str)
gpu = pytest.mark.skipif(device.type == "cpu", reason="needs a GPU")
cpu = pytest.mark.skipif(device.type == "cuda", reason="undefined on a GPU; CHAPTERS_DEVICE=cpu runs it")
# As in reduce.cu. In bytes: what a block adds in one round of loads, and what one block adds alone.
THREADS, LANES, PACK, CHUNK, ONE_BLOCK = 512, 32, 16, 512 * 8 * 16, 256 * 1024


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


@pytest.fixture(scope="module")
def ops():
    return operators("12_reduce")


def integers(n, dtype):
    """Small integers: in any order of additions the sum is exact, as long as it fits into the 24 bits of a float."""
    return torch.randint(-3, 4, (n,), device=device).to(dtype)


def exact(x):
    return x.double().sum().to(x.dtype)


def assert_bits(result, expected):
    assert result.dtype == expected.dtype and result.shape == () and result.device == expected.device
    assert torch.equal(result, expected), f"{float(result).hex()}, expected {float(expected).hex()}"


# ---- the steps -------------------------------------------------------------------------------------------------------
@pytest.mark.kernels
@per_float
@per_step
def test_each_step_adds_each_element_once(ops, step, dtype, thread_order):
    """Sizes around a warp, a block, a chunk, and what one block adds alone."""
    chunk, alone = CHUNK // dtype.itemsize, ONE_BLOCK // dtype.itemsize
    sizes = [0, 1, 7, 8, 31, 32, 33, 255, 256, 257, 1023, 1025, chunk, chunk + 1]
    slow = device.type == "cpu" and step in ("tree", "shuffle")
    for n in sizes if slow else [*sizes, 2 * chunk - 1, alone, alone + 5]:
        x = integers(n, dtype)
        assert_bits(ops.sum_by(x, step), exact(x))


@pytest.mark.kernels
@per_float
@pytest.mark.parametrize("step", STEPS[3:])
def test_every_grid_and_every_alignment(ops, step, dtype):
    memory = integers(3 * CHUNK // dtype.itemsize + 20, dtype)
    for first, blocks in (0, 1), (0, 64), (1, 2), (2, 5), (7, 1), (8, 5), (1, 64):  # 64: some have nothing to do
        x = memory[first : len(memory) - 13 + first]
        assert_bits(ops.sum_by(x, step, blocks=blocks), exact(x))


@per_float
def test_partial_sums_have_room(ops, dtype):
    """check() finds writes beside the memory that an operator allocates. The grid has more blocks than chunks, or fewer."""
    for step, blocks in ("chunks", 2), ("last_block", 2), ("last_block", 100):
        check(functools.partial(ops.sum_by, step=step, blocks=blocks), exact, lambda n: (integers(n, dtype),),
              sizes=(2**16 + 3,), rtol=0, atol=0, name=step)  # fmt: skip


def test_another_shape_is_one_array(ops):
    x = integers(2 * 3 * 5 * 7, torch.float32).view(2, 3, 5, 7)
    assert_bits(ops.sum(x), exact(x))
    assert_bits(ops.sum(x.view(-1)[5]), x.view(-1)[5])


@needs_gpu_memory(24)
@pytest.mark.parametrize("step", ["tree", "shuffle", "packs", "last_block", "chunks"])
def test_more_than_2_to_the_31_elements(ops, step):
    x = torch.zeros(2**31 + 2**20 + 5, dtype=torch.float16, device=device)
    x[:: 2**20 + 1], x[-1] = 1, 3
    assert_bits(ops.sum_by(x, step), exact(x))


# ---- in which type the kernels add -----------------------------------------------------------------------------------
@per_step
def test_double_accumulates_in_double(ops, step):
    """2^30 + 1 has more digits than a float. The places are in one pack, in packs of one thread, in two warps and in two
    blocks."""
    for n in 4, 3000, 2**16:
        x = torch.zeros(n, dtype=torch.float64, device=device)
        for k in 1, 512 * 2, 1024 * 2, 40, 2**15 + 1:
            x[0], x[min(k, n - 1)] = 2**30, 1
            assert_bits(ops.sum_by(x, step), x.new_tensor(2**30 + 1))
            x[min(k, n - 1)] = 0


@per_step
def test_half_precision_accumulates_in_float(ops, step):
    """In float16, 2048 + 1 is 2048; in bfloat16, 256 + 1 is 256. And what is too large in between is no infinity. The places
    are in one pack, and in packs of one thread, with 512 and with 1024 threads."""
    for dtype, large in (torch.float16, 2048), (torch.bfloat16, 256):
        ones = torch.ones(4096, dtype=dtype, device=device)
        assert_bits(ops.sum_by(ones, step), 4096 * ones[0])
        for apart in 1, 8 * 512, 8 * 1024:
            x = torch.zeros(2 * apart + 8, dtype=dtype, device=device)
            x[0], x[apart], x[2 * apart] = large, 1, -large
            assert_bits(ops.sum_by(x, step), ones[0])
    large = torch.tensor([60000, 60000, -60000, -60000, 5], dtype=torch.float16, device=device)
    assert_bits(ops.sum_by(large, step), large[4])
    assert float(ops.sum_by(large[:2].clone(), step)) == float("inf")


@per_step
def test_infinity_and_nan(ops, step):
    x, inf = torch.ones(1000, device=device), float("inf")
    for i, j in (0, 999), (500, 3):
        for a, b, expected in (
            (inf, 1, inf),
            (-inf, 1, -inf),
            (inf, inf, inf),
            (inf, -inf, "nan"),
            (float("nan"), 1, "nan"),
        ):
            x[i], x[j] = a, b
            assert str(float(ops.sum_by(x, step))) == str(expected)
            x[i] = x[j] = 1


# ---- the order of the additions --------------------------------------------------------------------------------------
def tree(values):
    """32 numbers, as __shfl_down_sync() adds them up."""
    for half in 16, 8, 4, 2, 1:
        values = values[:half] + values[half : 2 * half]
    return values[0]


def of_a_block(x, size, threads=THREADS):
    """x, in packs of `size`: pack i goes to thread i % threads, what fills no pack to the first threads; then two trees."""
    whole = len(x) // size
    sums = numpy.zeros(threads, x.dtype)
    sums[: len(x) - whole * size] = x[whole * size :]
    packs = numpy.zeros((-(-whole // threads) * threads, size), x.dtype)
    packs[:whole] = x[: whole * size].reshape(whole, size)
    for of_each in packs.reshape(-1, threads, size):
        pack = numpy.zeros(threads, x.dtype)
        for column in of_each.T:
            pack = pack + column
        sums = sums + pack
    warps = [tree(warp) for warp in sums.reshape(-1, LANES)]
    return tree(numpy.array(warps + [0] * (LANES - len(warps)), x.dtype))


def in_chunks(x):
    """sum(x, deterministic=True) on every machine, as REFERENCE.md has it."""
    values = (x if x.dtype == torch.float64 else x.float()).cpu().numpy()
    chunk = CHUNK // x.itemsize
    partial = [of_a_block(values[i : i + chunk], PACK // x.itemsize) for i in range(0, len(values), chunk)]
    sums = numpy.array(partial, values.dtype)
    return torch.from_numpy(numpy.array(of_a_block(sums, PACK // sums.itemsize))).to(x.dtype).to(device)


@pytest.mark.kernels
@per_float
def test_deterministic_adds_in_the_documented_order(ops, dtype, thread_order):
    """... bit for bit, in each run, on every grid, and wherever x begins."""
    for n in (1, 5, 4099, CHUNK // dtype.itemsize + 3, 9 * CHUNK // dtype.itemsize - 1):
        x = torch.randn(n, device=device).to(dtype)
        expected = in_chunks(x)
        shifted = torch.cat([x[:1], x])[1:]
        for result in [ops.sum(x, deterministic=True), ops.sum(shifted, deterministic=True)]:
            assert_bits(result, expected)
        for blocks in (1, 2, 7):
            assert_bits(ops.sum_by(x, "chunks", blocks=blocks), expected)


@pytest.mark.thorough
def test_more_partial_sums_than_a_block_has_threads(ops):
    x = torch.randn(
        2100 * CHUNK // 4 + 77, device=device
    )  # more than a pack for each thread of the block that finishes
    assert_bits(ops.sum(x, deterministic=True), in_chunks(x))


def results(ops, step, x, monkeypatch, **options):
    """In each order of the threads; on a GPU, in many runs."""
    for reverse in "01" if device.type == "cpu" else range(50):
        monkeypatch.setenv("CUDA_REVERSE", str(reverse))
        yield float(ops.sum_by(x, step, **options))


@pytest.mark.parametrize("step", STEPS)
def test_which_steps_give_the_same_bits(ops, step, monkeypatch):
    """Atomics add in the order in which blocks arrive. The last block adds in an order of its own, so only the number of
    blocks counts, and chunks do not depend on that either."""
    x = torch.rand(2**17 + 3, device=device)
    in_runs = set(results(ops, step, x, monkeypatch, blocks=40))
    assert len(in_runs) == 1 if step in ("last_block", "chunks") else len(in_runs) > 1
    if step in STEPS[3:]:
        on_grids = {float(ops.sum_by(x, step, blocks=blocks)) for blocks in (1, 2, 7, 40, 99)}
        assert (len(on_grids) == 1) == (step == "chunks")


def test_bits_says_which(capsys):
    main = chapter("12_reduce")
    found = main.bits(main.build(), n=2**18 + 3)
    assert found["chunks"] == (1, 1) and found["last_block"][0] == 1 < found["last_block"][1]
    assert all(found[step][0] > 1 and found[step][1] is None for step in STEPS[:4])
    assert "on every machine" in capsys.readouterr().out


def test_no_two_calls_share_memory(ops):
    """Each call has partial sums and a ticket of its own, so calls on two streams do not meet."""

    class Allocations(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            if func.namespace == "chapter12":
                with self:
                    key = "CUDA" if device.type == "cuda" else "CPU"
                    return func._op_dk(getattr(torch._C.DispatchKey, key), *args, **(kwargs or {}))
            result = func(*args, **(kwargs or {}))
            made.append(result)
            return result

    x, made = torch.rand(2**17, device=device), []
    with Allocations(), torch.no_grad():
        ops.sum(x), ops.sum(x)
    assert len(made) == 4 and len({t.data_ptr() for t in made}) == 4


# ---- how far from the exact sum --------------------------------------------------------------------------------------
def test_error_against_float64(ops, capsys):
    """One number that all are added to stops growing at 2^24. Partial sums stay small."""
    of = chapter("12_reduce").errors(ops, 2**16)
    assert all(error == 0 for error in of["equal: 1"].values())
    for steps in of.values():
        assert [*steps] == [*STEPS, "torch"]
        assert steps["chunks"] < 1e-6 and steps["last_block"] < 1e-4
    assert max(steps["atomic"] for steps in of.values()) > 1e-6
    assert "torch" in capsys.readouterr().out


@pytest.mark.thorough
def test_one_atomic_sum_stops_at_2_to_the_24(ops):
    ones = torch.ones(2**24 + 1000, device=device)
    assert float(ops.sum_by(ones, "atomic")) == 2**24
    assert float(ops.sum(ones)) == float(ops.sum(ones, deterministic=True)) == 2**24 + 1000


# ---- gradients --------------------------------------------------------------------------------------------------------
@per_float
def test_gradient(ops, dtype):
    for op in ops.sum, functools.partial(ops.sum, deterministic=True), functools.partial(ops.sum_by, step="tree"):
        check(op, exact, lambda n: (integers(n, dtype).view(-1, 1),), sizes=(0, 1, 100), rtol=0, atol=0, gradients=True,
              name="sum")  # fmt: skip
    x = torch.rand(3, 4, device=device, dtype=dtype, requires_grad=True)
    (grad,) = torch.autograd.grad(ops.sum(x), x)
    assert grad.stride() == (0, 0), "one element in memory"


def test_refused_with_memory_and_without(ops):
    """The same words from the kernel's checks and from the fake functions."""
    x = torch.rand(4, 4, device=device)
    for words, call in {
        "x must have dtype Float or Double or Half or BFloat16, got ": lambda x, i: ops.sum(i),
        "x must have dtype Float or Double or Half or BFloat16, got (.*64|Long)": lambda x, i: ops.sum_by(
            i.long(), "tree"
        ),
        "x must be contiguous, got strides ": lambda x, i: ops.sum(x.t(), deterministic=True),
        "step must be atomic, tree, shuffle, packs, last_block or chunks, got x": lambda x, i: ops.sum_by(x, "x"),
        "blocks must be 0 to 65536, got -1": lambda x, i: ops.sum_by(x, "chunks", blocks=-1),
        "blocks must be 0 to 65536, got 65537": lambda x, i: ops.sum_by(x, "chunks", blocks=65537),
        "x must have dtype Byte or Int, got ": lambda x, i: ops.histogram(x, 4),
        "x must be contiguous, got": lambda x, i: ops.histogram(i.t(), 4),
        "bins must be 1 to 2147483647, got 0": lambda x, i: ops.histogram(i, 0),
        "bins must be 1 to 2147483647, got 2147483648": lambda x, i: ops.histogram_by(i, 2**31, "global"),
        "step must be global, shared or copies, got tree": lambda x, i: ops.histogram_by(i, 4, "tree"),
    }.items():
        for where in device, "meta":
            with pytest.raises(RuntimeError, match=words):
                call(x.to(where), x.int().to(where))


# ---- histogram -------------------------------------------------------------------------------------------------------
def counted(x, bins):
    x = x.flatten().long()
    return torch.bincount(x[(x >= 0) & (x < bins)], minlength=bins)


@pytest.mark.kernels
@pytest.mark.parametrize("step", ["global", "shared", "copies"])
@pytest.mark.parametrize("dtype", [torch.uint8, torch.int32], ids=str)
def test_histogram(ops, step, dtype, thread_order):
    """Sizes around a pack and a block, every alignment, bins that copies fit and do not fit. Values without a bin are left
    out."""
    memory = torch.randint(0 if dtype == torch.uint8 else -20, 256, (512 * 16 * 3 + 20,), device=device).to(dtype)
    for bins in (1, 2, 200, 256, 500, 20_000):
        for n in (0, 1, 15, 16, 17, len(memory) - 17) if bins in (200, 20_000) else (1000,):
            for first in (0, 1, 3, 16):
                x = memory[first : first + n]
                assert torch.equal(ops.histogram_by(x, bins, step), counted(x, bins))


@pytest.mark.kernels
def test_histogram_of_few_and_of_many_values(ops):
    x = torch.randint(0, 300_000, (5000,), dtype=torch.int32, device=device)
    for bins in (58_000, 60_000, 300_000):  # what a block's shared memory has room for, and more
        assert torch.equal(ops.histogram(x, bins), counted(x, bins))
    limits = torch.tensor([-(2**31), -1, 0, 2**31 - 1, 256, 255], dtype=torch.int32, device=device)
    assert ops.histogram(limits, 256).nonzero().flatten().tolist() == [0, 255]
    assert ops.histogram(torch.full((10_007,), 7, dtype=torch.uint8, device=device), 8).tolist() == [0] * 7 + [10_007]


@pytest.mark.parametrize("step", ["shared", "copies"])
def test_more_bins_than_shared_memory_has_are_refused_by_name(ops, step):
    with pytest.raises(RuntimeError, match=rf"bins must be 1 to \d+ with step {step}, got 100000"):
        ops.histogram_by(torch.zeros(4, dtype=torch.int32, device=device), 100_000, step)


def test_histogram_counts_as_torch_does(ops):
    """torch.bincount() has no upper end; torch.histc() has, and counts its upper end in the last bin."""
    x = torch.randint(0, 256, (1000,), dtype=torch.uint8, device=device)
    assert torch.equal(ops.histogram(x, 256), torch.bincount(x, minlength=256))
    assert torch.equal(ops.histogram(x, 100), torch.histc(x.float(), 101, 0, 100)[:100].long())


@needs_gpu_memory(12)
@pytest.mark.parametrize("step", ["shared", "copies"])
def test_histogram_of_more_than_2_to_the_32_elements(ops, step):
    x = torch.full((2**32 + 5,), 9, dtype=torch.uint8, device=device)
    assert int(ops.histogram_by(x, 256, step)[9]) == 2**32 + 5


# ---- mistakes that people make ---------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def pitfall():
    """(name, x, threads) -> the sum of x by one block of so many threads, made with that mistake."""
    functions = launchers(ROOT / "tests/chapters/12_reduce/pitfalls.cu")

    def call(name, x, threads, nbytes=0):
        out = torch.full((), float("nan"), device=device)
        getattr(functions, name)(out, x, x.numel(), threads, nbytes)
        return float(out)

    return call


@gpu
@pytest.mark.skipif(not shutil.which("compute-sanitizer"), reason="needs compute-sanitizer")
@pytest.mark.parametrize("name", ["no_second_barrier", "warp_in_step"])
def test_racecheck_finds_it(pitfall, name):
    code = f"""if True:
        import torch
        from grader.launchers import launchers
        x = torch.ones(1024, device="cuda")
        launchers("tests/chapters/12_reduce/pitfalls.cu").{name}(x[:1].clone(), x, 1024, 128, 0)
        torch.cuda.synchronize()
    """
    command = ["compute-sanitizer", "--tool", "racecheck", "--error-exitcode", "9", sys.executable, "-c", code]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 9 and f"{name}_kernel" in run.stdout, run.stdout + run.stderr


def ones(n):
    return torch.ones(n, device=device)


def test_pitfall_only_powers_of_two(pitfall):
    """96 is not a power of two: 96, 48, 24, 12, 6, 3 sums, and then one of three is left out."""
    assert pitfall("only_powers_of_two", ones(128), 128) == 128
    assert pitfall("only_powers_of_two", ones(96), 96) == 64


@cpu
def test_pitfall_warp_in_step(pitfall, thread_order):
    """Found by CUDA on CPU, whose lanes do not run in step; on a GPU, by racecheck."""
    assert pitfall("warp_in_step", torch.arange(64.0), 64) != 63 * 32


@cpu
def test_pitfall_lanes_left_out(pitfall, thread_order):
    """Found by CUDA on CPU in every run. A whole warp is right, so a test needs a size that is no multiple of 32."""
    assert pitfall("lanes_left_out", ones(32), 32) == 32
    with pytest.raises(
        RuntimeError, match="reads from lane 20 of the warp, which the mask names but which has returned"
    ):
        pitfall("lanes_left_out", ones(20), 32)


@cpu
def test_pitfall_barrier_in_a_branch(pitfall, thread_order):
    """Found by CUDA on CPU in every run."""
    with pytest.raises(RuntimeError, match="barrier_in_a_branch_kernel"):
        pitfall("barrier_in_a_branch", ones(64), 64)


@cpu
def test_pitfall_no_second_barrier(pitfall, thread_order):
    """Found by the second order of the threads; on a GPU, by racecheck."""
    found = pitfall("no_second_barrier", torch.arange(1024.0), 128)
    assert (found == 1023 * 512) == (thread_order == "forward")


def test_pitfall_too_much_shared_memory(pitfall):
    """Found by CHECK_LAUNCH(): CUDA gives a block 48 KiB unless cudaFuncSetAttribute() asks for more."""
    assert pitfall("only_powers_of_two", ones(64), 64, 48 * 1024) == 64
    with pytest.raises(RuntimeError, match="invalid argument"):
        pitfall("only_powers_of_two", ones(64), 64, 48 * 1024 + 1)
