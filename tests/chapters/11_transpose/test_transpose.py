"""Chapter 11: every kernel at every size and dtype, what torch.compile and autograd ask for, the counts, the pitfalls. 15 s"""

import collections
import itertools
import json
import os
import re
import shutil
import subprocess
import sys

import pytest
import torch

from common import check, device, toolkit
from cuda_on_cpu import programs
from grader.launchers import launchers
from tests.chapters.operator_cases import try_all
from tests.support import ROOT, chapter, kept_folder, needs_gpu_memory, operators, ptx_of

CHAPTER = "11_transpose"
PITFALLS = ROOT / "tests/chapters/11_transpose/pitfalls.cu"
STEPS = ["naive", "tile", "padded", "swizzled", "wide", "strips"]
# By an element's size: rows of a tile of strips in a small matrix of 131 columns, and in a large one (of 1 MiB on the CPU).
BANDS = {1: (64, 256), 2: (32, 160), 4: (16, 144), 8: (8, 120)}
INTEGERS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}  # by their size
each_step = pytest.mark.parametrize("step", STEPS)
each_size = pytest.mark.parametrize("size", INTEGERS)
needs_gpu = pytest.mark.skipif(device.type == "cpu", reason="needs a GPU")
on_cpu = pytest.mark.skipif(device.type == "cuda", reason="about CUDA on CPU; CHAPTERS_DEVICE=cpu runs it")


@pytest.fixture(scope="module")
def ops():
    return operators(CHAPTER)


def numbered(*shape, size=4):
    """Elements that all differ, but for their upper bits: an element in a wrong place is noticed."""
    return torch.arange(torch.Size(shape).numel(), device=device).to(INTEGERS[size]).view(shape)


# ---- right -----------------------------------------------------------------------------------------------------------


@pytest.mark.kernels
@each_size
@each_step
def test_every_kernel_at_every_kind_of_size(ops, step, size, thread_order):
    """0 and 1 in each dimension; around a tile and a pack; several matrices."""
    side = 128 if step == "strips" else chapter(CHAPTER, "counts").tile(step, size)[0]
    around = [
        (0, 5),
        (5, 0),
        (1, 1),
        (1, 70),
        (70, 1),
        (side, side),
        (side + 1, side),
        (side, side + 1),
        (7, 32),
        (32, 7),
    ]
    around += [(side - 1, side + 1), (side + 16, 16), (16, side + 16), (side + 1, 3), (3, side + 1)]
    around += [(side // 2, side), (side // 2, 2 * side + 16)]

    def case(*shape):
        x = numbered(*shape, size=size)
        result = ops.transpose_step(x, step)
        assert result.is_contiguous() and torch.equal(result, x.mT)

    shapes = around + [(n, *shape) for n in (0, 1, 3) for shape in around[2:9]]
    try_all({shape: lambda shape=shape: case(*shape) for shape in shapes})


@pytest.mark.kernels
@each_size
def test_strips_of_thin_matrices(ops, size, thread_order):
    """A tile has all of few rows or columns. Several tiles, several matrices, and packs that are not aligned."""
    for n, length, start in (
        (2, 9001, 0),
        (3, 12000, 1),
        (8, 4096, 0),
        (31, 1100, 3),
        (64, 516, 0),
        (127, 270, 1),
        (128, 257, 0),
        (127, 2**20 // size // 127 + 1, 0),  # full tiles
    ):
        for shape in (n, length), (length, n), (2, n, length // 2 + 1), (2, length // 2 + 1, n):
            x = numbered(torch.Size(shape).numel() + start, size=size)[start:].view(shape)
            assert torch.equal(ops.transpose_step(x, "strips"), x.mT), (shape, start)


@pytest.mark.kernels
@each_size
def test_strips_at_every_shift(ops, size, thread_order):
    """A row of the result begins at each place of a sector. The last tile is full, almost full, and almost empty: its rows
    may be fewer than those that the tile above stores as well."""
    sector = 32 // size
    for count, band in zip((1, 32), BANDS[size], strict=True):
        for more in (0, 1, 2, sector - 1, sector, sector + 1, band - 1):
            x = numbered(2, count * band + more, 131, size=size)
            assert torch.equal(ops.transpose_step(x, "strips"), x.mT), (count, more)


@pytest.mark.kernels
@each_size
def test_strips_at_every_place_of_a_pack(ops, size, thread_order):
    """Where the matrix and its rows begin within 16 bytes; and tiles beside one another, of equal width."""
    for start, more in itertools.product((0, 1, 16 // size - 1), range(0, 16 // size, 1 + 4 // size)):
        shape = 137, 2 * 128 + more
        x = numbered(torch.Size(shape).numel() + start, size=size)[start:].view(shape)
        assert torch.equal(ops.transpose_step(x, "strips"), x.mT), (start, more)


@pytest.mark.kernels
@each_step
def test_between_margins(ops, step, thread_order):
    """check() has margins around the tensors, and NaN in what is not written."""
    op, sizes = lambda x: ops.transpose_step(x, step), (0, 1, 33, 64, 100)
    check(op, lambda x: x.mT.contiguous(), lambda n: (torch.rand(2, n, 68, device=device),), sizes, 0, 0, name=step)
    check(op, lambda x: x.mT.contiguous(), lambda n: (torch.rand(n, n + 1, device=device),), sizes, 0, 0, name=step)


@pytest.mark.kernels
@each_size
def test_strips_between_margins(ops, size, thread_order):
    """The first and the last pack of a line have elements that belong to others, or to nobody."""
    op, sizes = lambda x: ops.transpose_step(x, "strips"), (1, 2, 15, 130)
    for shape in (lambda n: (n, 3)), (lambda n: (5, n)), (lambda n: (n + 128, n + 129)):
        check(op, lambda x: x.mT.contiguous(), lambda n, shape=shape: (numbered(*shape(n), size=size),), sizes, 0, 0)


def test_any_dtype_of_these_sizes(ops):
    """NaN, infinities and negative zeros are bits like others."""
    names = """uint8 int8 bool float8_e4m3fn float8_e5m2 uint16 int16 float16 bfloat16 uint32 int32 float32 uint64 int64
               float64 complex64 complex32"""
    for dtype in (getattr(torch, name) for name in names.split()):
        bytes = torch.randint(0, 2 if dtype == torch.bool else 256, (3, 20, 48 * dtype.itemsize), dtype=torch.uint8)
        x = bytes.to(device).view(dtype)
        result = ops.transpose(x)
        assert result.dtype == dtype and result.shape == (3, 48, 20)
        assert torch.equal(result.view(INTEGERS[dtype.itemsize]), x.view(INTEGERS[dtype.itemsize]).mT), dtype


def test_conjugated_and_negated_views(ops):
    """Their elements are not what lies in memory; the dispatcher makes them so before the call."""
    x = torch.randn(5, 7, dtype=torch.complex64, device=device)
    for view in x.conj(), x.imag.contiguous(), torch._neg_view(x.real.contiguous()):
        assert torch.equal(ops.transpose(view), view.mT)


@each_size
def test_at_every_alignment(ops, size):
    """A slice that begins anywhere: packs are for multiples of 16 bytes, and rows of whole packs."""
    for start in range(16 // size):
        for shape in (32, 16), (32, 17), (17, 32), (2, 16, 48), (128, 128):
            n = torch.Size(shape).numel()
            x = numbered(n + start, size=size)[start:].view(shape)
            assert torch.equal(ops.transpose(x), x.mT), (start, shape)


@pytest.mark.kernels
def test_more_than_65535_matrices(ops):
    """The grid's second and third dimension could not have so many."""
    x = numbered(65537, 16, 16, size=1)
    assert torch.equal(ops.transpose(x), x.mT)


@pytest.mark.thorough
@pytest.mark.parametrize("shape", [(65537 * 64, 2), (2, 65537 * 64), (65537, 2, 3)], ids=str)
def test_more_than_65535_tiles(ops, shape):
    x = numbered(*shape)
    assert torch.equal(ops.transpose(x), x.mT)


@needs_gpu_memory(40)
@pytest.mark.parametrize("shape, dtype", [
    ((2**16 + 1, 2**15 + 3), torch.uint8), ((2**16, 2**15 + 16), torch.uint8), ((2**16 + 16, 2**15), torch.bfloat16),
    ((3, 2**15 + 1, 2**15), torch.uint8), ((2**31 + 5, 2), torch.uint8), ((2, 2**31 + 5), torch.uint8),
    ((2**31 + 5, 1, 1), torch.uint8), ((2**31 + 5, 2, 2), torch.uint8), ((2**14, 2**17 + 4), torch.float32),
])  # fmt: skip
def test_more_than_2_to_the_31_elements(ops, shape, dtype):
    """Also more tiles than a grid has blocks: (2^31 + 5, 2, 2)."""
    nbytes = torch.Size(shape).numel() * dtype.itemsize
    x = torch.empty(nbytes, dtype=torch.uint8, device=device)
    for part in x.split(2**28):
        part.copy_(torch.randint(256, part.shape, dtype=torch.uint8, device=device))
    x = x.view(dtype).view(shape).view(INTEGERS[dtype.itemsize])
    steps = STEPS if dtype == torch.float32 else ["wide"]
    for step in steps:
        result = ops.transpose_step(x, step)
        longest = max(range(x.dim()), key=lambda d: x.shape[d])
        there = {x.dim() - 2: x.dim() - 1, x.dim() - 1: x.dim() - 2}.get(longest, longest)  # the same in the result
        for ours, right in zip(result.split(2**20, there), x.mT.split(2**20, there), strict=True):
            assert torch.equal(ours, right)


# ---- what it refuses, in words of its own ----------------------------------------------------------------------------


@pytest.mark.parametrize("make, words", [
    (lambda: torch.ones(2, 3, dtype=torch.complex128), "x must have a dtype of 1, 2, 4 or 8 bytes, got ComplexDouble"),
    (lambda: torch.ones(3), "x must have 2 or 3 dimensions, got 1"),
    (lambda: torch.ones(2, 2, 2, 2), "x must have 2 or 3 dimensions, got 4"),
    (lambda: torch.ones(2, 3).t(), r"x must be contiguous, got strides \[1, 3\] for shape \[3, 2\]; pass x.contiguous"),
], ids=["16 bytes", "1", "4", "strides"])  # fmt: skip
def test_refused(ops, make, words):
    for call in ops.transpose, lambda x: ops.transpose_step(x, "tile"):
        with pytest.raises(RuntimeError, match=words):
            call(make().to(device))
    with pytest.raises(RuntimeError, match=words.partition(", got")[0]):
        ops.transpose(make().to("meta"))


@pytest.mark.parametrize("where", [device, "meta"], ids=str)
def test_another_step_is_refused(ops, where):
    with pytest.raises(RuntimeError, match="step must be naive, tile, padded, swizzled, wide or strips, got fast"):
        ops.transpose_step(torch.ones(2, 3, device=where), "fast")


# ---- the counts ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def traces():
    """{(size of an element, side of the matrix, step): {access: {thread: its addresses}}}, as the kernels themselves
    compute them for the second block."""
    program = kept_folder("11_transpose_traced") / "traced"
    includes = [f"-I{ROOT}/chapters/{CHAPTER}", f"-I{ROOT}"]
    programs.build([ROOT / f"tests/chapters/{CHAPTER}/traced.cu"], program, ["g++"], includes)
    found = {}
    for line in subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines():
        kind, number, value = line.split()
        if kind == "step":
            size, side = map(int, number.split("/"))
            accesses = found[size, side, value] = collections.defaultdict(lambda: collections.defaultdict(list))
        else:
            accesses[kind.replace("-", " ")][int(number)].append(int(value))
    return found


@pytest.mark.thorough
@each_size
@pytest.mark.parametrize("step", STEPS[:5])
def test_the_addresses_that_are_counted_are_the_kernels(traces, step, size):
    """And where the rows of the result begin within a sector. 10 s, for the compiler"""
    counts = chapter(CHAPTER, "counts")
    tall, _, pack = counts.tile(step, size)
    for side in [3 * tall] if step == "wide" else [3 * tall, 3 * tall + 1]:
        wanted, found = counts.addresses(step, size, pitch=side), traces[size, side, step]
        assert set(found) == set(wanted)
        shared = min((min(min(of.values())) for access, of in found.items() if "shared" in access), default=0)
        for access, instructions in wanted.items():
            # An address of each piece; wide stores a pack by one instruction, and loads it element by element.
            every = pack if step == "wide" and access != "store" else 1
            first = shared if "shared" in access else 0
            of_thread = [[a - first for a in found[access][thread][::every]] for thread in sorted(found[access])]
            warps = [of_thread[first : first + 32] for first in range(0, len(of_thread), 32)]
            assert [list(lanes) for warp in warps for lanes in zip(*warp, strict=True)] == instructions, (side, access)


@pytest.mark.parametrize("step, size, counted", [
    ("naive", 4, [4, 32]), ("naive", 1, [1, 32]), ("tile", 4, [4, 4, 1, 32]), ("tile", 1, [1, 1, 1, 8]),
    ("padded", 4, [4, 4, 1, 1]), ("padded", 8, [8, 8, 2, 2]), ("swizzled", 2, [2, 2, 1, 1]), ("wide", 4, [16, 16, 4, 4]),
])  # fmt: skip
def test_counts(step, size, counted):
    assert [found for found, _ in chapter(CHAPTER, "counts").count(step, size).values()] == counted


def test_only_naive_and_tile_ask_for_more_than_they_need():
    counts = chapter(CHAPTER, "counts")
    for step, size in itertools.product(STEPS[:5], INTEGERS):
        wasteful = {access for access, (found, fewest) in counts.count(step, size).items() if found > fewest}
        assert wasteful == {"naive": {"store"}, "tile": {"shared load"}}.get(step, set()), (step, size)


BY_MICROSCOPE = """
import json, sys, torch
from cuda_on_cpu.microscope import microscope
from tests.support import operators
ops, found = operators("11_transpose"), []
for shape in json.loads(sys.argv[1]):
    for dtype in (getattr(torch, name) for name in sys.argv[2:]):
        rows = microscope(lambda: ops.transpose(torch.zeros(shape, dtype=dtype)))
        for r in rows:
            found += [[r.kernel, r.space, r.kind, r.width, r.requests, r.sectors, r.bytes_used, r.wavefronts]]
print(json.dumps(found))
"""


def counted(shapes, *dtypes):
    environment = os.environ | {"CHAPTERS_SANITIZE": "memory", "CHAPTERS_DEVICE": "cpu"}
    command = [sys.executable, "-c", BY_MICROSCOPE, json.dumps(shapes), *dtypes]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.thorough
def test_64_rows_of_bytes_have_a_tile_of_their_own():
    """All accesses are packs, in whole sectors and without bank conflicts: 32 packs take four passes. 10 s"""
    for kernel, space, _, width, requests, sectors, used, wavefronts in counted([(64, 1024)], "uint8"):
        assert "wide_kernel<unsigned char, 16, 4>" in kernel and width == 16
        assert wavefronts == 4 * requests if space == "shared" else 32 * sectors == used


@pytest.mark.thorough
def test_strips_moves_packs_and_whole_sectors():
    """What the microscope counts of matrices that are thin, and of one whose rows begin within sectors. 30 s"""
    shapes = (3, 20001), (20001, 3), (32, 2048), (2048, 32), (517, 1030)
    for kernel, space, kind, width, requests, sectors, used, wavefronts in counted(shapes, "uint8", "float32"):
        assert "strips" in kernel
        if space == "shared":
            assert wavefronts <= 4 * requests, "bank conflicts"
        elif width == 16:
            assert 32 * sectors <= (1.1 if kind == "store" else 1.25) * used, "sectors of which only a part is used"


@pytest.mark.thorough
def test_nvcc_makes_one_store_of_a_pack(tmp_path):
    """And one load. Of an assignment of the pack, nvcc 13.0 makes several stores."""
    kernels = ptx_of(ROOT / "chapters" / CHAPTER / "transpose.cu", tmp_path)
    for letter, size in zip("htjm", INTEGERS, strict=True):  # uint8_t to uint64_t
        wide = [code for name, code in kernels.items() if f"transpose_wide_kernelI{letter}" in name]
        assert len(wide) == (2 if size == 1 else 1), size
        for body in wide:
            accesses = re.findall(r"(ld|st)\.global\S*?(\.v\d)?\.\w(\d+)\s", body)
            widths = [(kind, int(bits) // 8 * int(v[2:] or 1)) for kind, v, bits in accesses]
            assert sorted(widths) == [("ld", 16)] * (16 // size) + [("st", 16)] * (16 // size), size
        for few_rows in 0, 1:  # strips also moves single elements, at the ends
            (body,) = (
                code for name, code in kernels.items() if f"transpose_strips_kernelI{letter}Lb{few_rows}" in name
            )
            assert (body.count("ld.global.v4"), body.count("st.global.cs.v4")) == (4, 1), size


# ---- pitfalls: each is made here on purpose, and found ---------------------------------------------------------------


@pytest.fixture(scope="module")
def wrong():
    """(name of a launcher in pitfalls.cu, x) -> the result."""
    functions = launchers(PITFALLS)

    def call(name, x):
        result = torch.empty(x.shape[::-1], device=device)
        getattr(functions, name)(result, x, *x.shape)
        return result

    return call


def check_wrong(wrong, name, sizes):
    check(lambda x: wrong(name, x), lambda x: x.t().contiguous(), lambda n: (torch.rand(n, n + 5, device=device),),
          sizes, 0, 0, name=name)  # fmt: skip


@on_cpu
def test_a_missing_barrier_is_found(wrong, thread_order):
    """By check(), in either order of the threads."""
    with pytest.raises(AssertionError, match="wrong result"):
        check_wrong(wrong, "no_barrier", [64])


@on_cpu
def test_a_missing_second_barrier_is_found(wrong, thread_order):
    with pytest.raises(AssertionError, match="wrong result"):
        check_wrong(wrong, "one_barrier", [96])


def test_with_both_barriers_it_is_right(wrong, thread_order):
    check_wrong(wrong, "two_barriers", [1, 32, 96, 100])


def test_a_return_before_the_barrier_is_found(wrong, thread_order):
    """Only at sizes that are no multiple of the tile: an element of the result stays unwritten."""
    x = torch.rand(64, 96, device=device)
    assert torch.equal(wrong("early_return", x), x.t())
    with pytest.raises(AssertionError, match="wrong result"):
        check_wrong(wrong, "early_return", [40])


@on_cpu
def test_a_divergent_barrier_is_found(wrong, thread_order):
    x = torch.rand(64, 96, device=device)
    assert torch.equal(wrong("divergent", x), x.t())
    with pytest.raises(RuntimeError, match=r"divergent_kernel.*__syncthreads"):
        wrong("divergent", torch.rand(40, 50, device=device))


def test_64_kib_of_shared_memory_need_the_attribute(wrong):
    x = torch.rand(200, 300, device=device)
    with pytest.raises(RuntimeError, match="invalid argument"):
        wrong("no_attribute", x)
    assert torch.equal(wrong("attribute", x), x.t())


ON_ITS_OWN = """
import sys, torch
from grader.launchers import launchers
x, out = torch.rand(100, 70, device="cuda"), torch.empty(70, 100, device="cuda")
getattr(launchers(sys.argv[1]), sys.argv[2])(out, x, *x.shape)
torch.cuda.synchronize()
"""


@needs_gpu
@pytest.mark.thorough
@pytest.mark.parametrize("tool, name, words", [
    ("racecheck", "no_barrier", "Race reported between"), ("racecheck", "one_barrier", "Race reported between"),
    ("racecheck", "two_barriers", None), ("synccheck", "divergent", "Barrier error detected"),
    ("synccheck", "two_barriers", None),
])  # fmt: skip
def test_compute_sanitizer_finds_it_on_a_gpu(wrong, tool, name, words):
    """There a wrong kernel may give a right result."""
    sanitizer = shutil.which("compute-sanitizer", path=f"{os.environ['PATH']}:{toolkit.cuda_home()}/bin")
    if sanitizer is None:
        pytest.skip("compute-sanitizer not found: it comes with a system's CUDA toolkit")
    command = [sanitizer, "--tool", tool, sys.executable, "-c", ON_ITS_OWN, PITFALLS, name]
    done = subprocess.run(list(map(str, command)), cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert "SUMMARY" in done.stdout, done.stdout + done.stderr
    assert words or done.returncode == 0, done.stderr  # synccheck may end the kernel that it reports
    found = "Race reported between" in done.stdout or "Barrier error detected" in done.stdout
    assert found == (words is not None) and (words or "") in done.stdout, done.stdout
