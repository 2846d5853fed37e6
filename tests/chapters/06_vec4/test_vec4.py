"""Chapter 06: every number of loads, every alignment, the optional output, and what a misaligned float4 does to a GPU."""

import ctypes
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from common import check, device
from tests.support import ROOT, chapter, in_packs, operators, ptx_of

needs_gpu = pytest.mark.skipif(device.type == "cpu", reason="needs a GPU")


@pytest.fixture
def module():
    return operators("06_vec4")


def part(n, start, margin=8, dtype=torch.float32):
    """n random elements that begin `start` elements after a multiple of 16 bytes, in the middle of a larger tensor."""
    whole = torch.rand(n + start + margin, dtype=dtype, device=device)
    assert whole.data_ptr() % 16 == 0
    return whole[start : start + n]


# ---- several loads before the first store --------------------------------------------------------------------------


@pytest.mark.kernels
@pytest.mark.parametrize("width", [1, 4])
@pytest.mark.parametrize("loads", [1, 2, 4, 8])
def test_every_number_of_loads(module, loads, width, thread_order):
    block = 256 * loads * width  # elements
    sizes = [0, width, 256 * width, block - width, block, block + width, 3 * block + 64 * width]
    inputs = chapter("06_vec4").inputs
    check(
        lambda a, b: module.add_unrolled(a, b, loads, width), torch.add, inputs, sizes, rtol=0, atol=0, name="unrolled"
    )


@pytest.mark.parametrize("function", ["add_unrolled", "threads_per_sm"])
@pytest.mark.parametrize("loads, width, message", [
    (0, 1, "loads must be 1, 2, 4 or 8, got 0"),
    (3, 1, "loads must be 1, 2, 4 or 8, got 3"),
    (-8, 4, "loads must be 1, 2, 4 or 8, got -8"),
    (2**32 + 1, 1, "loads must be 1, 2, 4 or 8, got 4294967297"),
    (8, 2, "width must be 1 or 4 floats, got 2"),
])  # fmt: skip
def test_other_loads_and_widths_are_refused(module, function, loads, width, message):
    tensors = [part(8, 0), part(8, 0)] if function == "add_unrolled" else []
    with pytest.raises(ValueError, match=f"^{message}"):
        getattr(module, function)(*tensors, loads=loads, width=width)


@pytest.mark.parametrize("width", [1, 4])
def test_reserved_shared_memory_leaves_room_for_fewer_blocks(module, width):
    """What --flight counts on: 228 KiB of a multiprocessor, and 1 KiB more for each block."""
    for blocks in 1, 2, 4:
        reserved = 228 * 1024 // blocks - 1024
        if device.type == "cuda":
            reserved = chapter("06_vec4").shared_memory_for(blocks)
        assert module.threads_per_sm(1, width, reserved) == 256 * blocks
        a, b = part(5000, 0), part(5000, 0)
        assert torch.equal(module.add_unrolled(a, b, 1, width, reserved), a + b)


def test_more_shared_memory_than_a_block_may_have_is_refused(module):
    for call in module.threads_per_sm, lambda *args: module.add_unrolled(part(8, 0), part(8, 0), *args):
        with pytest.raises(RuntimeError, match=r"^reserved must be at most \d+ bytes on this device"):
            call(1, 1, 2**20)
    assert torch.equal(module.add_unrolled(part(8, 0).zero_(), part(8, 0).zero_()), torch.zeros(8, device=device))


def test_a_thread_with_more_registers_leaves_room_for_fewer(module):
    threads = [module.threads_per_sm(loads, 4) for loads in (1, 2, 4, 8)]
    assert all(0 < t <= 2048 and t % 256 == 0 for t in threads)
    if device.type == "cuda":
        assert threads == sorted(threads, reverse=True) and threads[0] > threads[-1]


# ---- alignment -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "n",
    [0, 1, 2, 3, 4, 7, 8, 511, 512, 513, 1023, 1024, 2047, 2053]
    + [pytest.param(n, marks=pytest.mark.kernels) for n in (5, 1029)],
)
def test_add_forward_is_right_at_every_alignment(module, n, thread_order):
    """64 combinations: an input that begins like the output is read by float4, any other float by float."""
    for starts in ((c, a, b) for c in range(4) for a in range(4) for b in range(4)):
        c, a, b = (part(n, start) for start in starts)
        around = c._base.clone()
        around[starts[0] : starts[0] + n] = a + b
        assert module.add_forward(a, b, out=c) is c
        assert torch.equal(c._base, around), f"c, a, b begin {starts} floats after a multiple of 16 bytes"


@pytest.mark.kernels
@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16])
def test_add_forward_of_other_dtypes_at_every_alignment(module, dtype, thread_order):
    """A pack has 2 or 8 elements. The inputs begin where the output does, or one of them elsewhere."""
    for n in 0, 1, 7, 8, 9, 15, 17, 23, 2053:
        for start in range(16 // dtype.itemsize):
            for starts in {(start, start, start), (start, 0, start), (start, start, 1)}:
                c, a, b = (part(n, where, dtype=dtype) for where in starts)
                around = c._base.clone()
                around[start : start + n] = a + b
                module.add_forward(a, b, out=c)
                assert torch.equal(c._base, around), f"n = {n}: c, a, b begin {starts} after a multiple of 16 bytes"


def test_a_new_output_of_slices(module, thread_order):
    """It is as aligned as every new tensor: what comes next can use float4."""
    check(module.add_forward, torch.add, lambda n: (part(n, 1), part(n, 3)), (0, 1, 4, 2048, 5001), rtol=0, atol=0)
    result = module.add_forward(part(1000, 1), part(1000, 1))
    assert result.data_ptr() % 16 == 0 and result.storage_offset() == 0


@pytest.mark.parametrize("name", ["add_vec4", "add_unrolled"])
@pytest.mark.parametrize("start", [1, 2, 3])
@pytest.mark.parametrize("which", ["a", "b"])
def test_float4_refuses_a_misaligned_address(module, name, start, which):
    args = {"a": part(8, 0), "b": part(8, 0), which: part(8, start)}
    width = {"width": 4} if name == "add_unrolled" else {}
    message = f"^{which} must begin at a multiple of 16 bytes, got an address that is {4 * start} bytes beyond one"
    with pytest.raises(ValueError, match=message):
        getattr(module, name)(**args, **width)
    args[which] = args[which].clone()  # as the message says
    torch.testing.assert_close(getattr(module, name)(**args, **width), args["a"] + args["b"], rtol=0, atol=0)


@pytest.mark.parametrize("n", [1, 2, 3, 1025])
def test_float4_refuses_what_is_no_multiple_of_four(module, n):
    for call in module.add_vec4, lambda a, b: module.add_unrolled(a, b, width=4):
        with pytest.raises(ValueError, match=f"^a must have a multiple of 4 elements, got {n}; add_forward takes any"):
            call(part(n, 0), part(n, 0))


def add_with_nothing_checked(file, c, a, b):
    """launch_add_vec4 itself, as C++ could call it (and as a binding without checks would)."""
    (symbol,) = set(re.findall(rb"_Z15launch_add_vec4\w+", Path(file).read_bytes()))
    launch = ctypes.CDLL(file)[symbol.decode()]
    launch(*[ctypes.c_void_p(t.data_ptr()) for t in (c, a, b)], ctypes.c_int64(a.numel()), ctypes.c_void_p())


@needs_gpu
def test_without_the_check_a_misaligned_slice_ends_all_work_on_the_gpu(module):
    code = f"""
import importlib, torch
vec4 = importlib.import_module("tests.chapters.06_vec4.test_vec4")
x = torch.ones(1025, device="cuda")
vec4.add_with_nothing_checked({module.__file__!r}, torch.empty(1024, device="cuda"), x[:-1], x[:-1])
torch.cuda.synchronize(); print("aligned: fine")
vec4.add_with_nothing_checked({module.__file__!r}, torch.empty(1024, device="cuda"), x[1:], x[1:])
for what in lambda: torch.cuda.synchronize(), lambda: torch.ones(1, device="cuda"):
    try: what(); print("no error")
    except Exception as error: print(str(error).splitlines()[0])
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT
    )  # that process is lost
    lines = done.stdout.splitlines()
    assert lines[0] == "aligned: fine", done.stdout + done.stderr
    assert len(lines) == 3 and all("misaligned address" in line for line in lines[1:]), done.stdout + done.stderr


@pytest.mark.thorough
def test_a_pack_is_one_access(tmp_path):
    kernels = ptx_of(ROOT / "chapters/06_vec4/vec4.cu", tmp_path)
    packed = [code for name, code in kernels.items() if re.search(r"add_kernel_vec4|unrolledI6float4", name)]
    assert packed and all(map(in_packs, packed))


# ---- the lesson ----------------------------------------------------------------------------------------------------


@pytest.mark.skipif(device.type == "cuda", reason="the GPU's are in results/; CHAPTERS_DEVICE=cpu runs it")
def test_the_sweep_and_the_slices(module, monkeypatch):
    main = chapter("06_vec4")
    monkeypatch.setattr(main, "LARGE", 2**11)
    tables = main.benchmark(module)
    assert [(row.n, row.name) for row in tables["sweep"]] == [
        (n, name) for n in (2**10, 2**11) for name in main.versions(module)
    ]
    assert all(row.nbytes == 12 * row.n and row.flops == row.n and row.kernel > 0 for row in tables["sweep"])
    assert [row.name.split(": ")[1] for row in tables["slices"][::2]] == [
        "x[:-1], y[:-1]", "x[1:], y[:-1]", "x[1:], y[1:]", "... out=z[1:]"
    ]  # fmt: skip


@pytest.mark.skipif(device.type == "cuda", reason="about a run without a GPU; CHAPTERS_DEVICE=cpu runs it")
@pytest.mark.parametrize("option", ["--cached", "--flight"])
def test_what_needs_a_gpu_says_so(option, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["main.py", option])
    with pytest.raises(SystemExit, match="this run has no GPU"):
        chapter("06_vec4").main()


@needs_gpu
def test_flight_and_cached_give_rows(module, monkeypatch):
    main = chapter("06_vec4")
    monkeypatch.setattr(main, "LARGE", 2**20)
    rows = [(row.more["width"], row.more["loads"], row.more["in_flight"] // 1024) for row in main.flight(module)]
    few = [(1, 1, 4), (1, 1, 8), (4, 1, 8), (4, 1, 16), (4, 1, 32)]  # KiB that few blocks of 256 threads have in flight
    full = [(width, loads) for width in (1, 4) for loads in (1, 2, 4, 8)]
    assert [row for row in rows if row in few] == few and [row[:2] for row in rows if row not in few] == full
    assert len(main.cached(module, sizes=[2**16])) == len(main.versions(module))


@pytest.mark.filterwarnings("ignore:Dynamo does not know")
def test_compile_refuses_a_pybind_function(module):
    """Chapter 09 has the way into a graph: an operator that is registered."""
    compiled = torch.compile(lambda x: module.add_forward(x, x) * 2, fullgraph=True, backend="eager")
    with pytest.raises(RuntimeError, match="add_forward"):
        compiled(part(8, 0))
