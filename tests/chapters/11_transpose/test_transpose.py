"""Chapter 11: every kernel at every size and dtype, what torch.compile and autograd ask for, the counts, the pitfalls. 15 s"""

import collections
import ctypes
import itertools
import os
import re
import shutil
import subprocess
import sys

import pytest
import torch

import cuda_on_cpu
from common import check, device, toolkit
from common.cpp_extension import load
from tests.chapters.operator_cases import try_all
from tests.support import ROOT, chapter, kept_folder, operators, ptx_of, write

CHAPTER = "11_transpose"
STEPS = ["naive", "tile", "padded", "swizzled", "rows", "wide"]
INTEGERS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}  # by their size
each_step = pytest.mark.parametrize("step", STEPS)
each_size = pytest.mark.parametrize("size", INTEGERS)
PER_THREAD = 2  # CUDA's cudaStreamPerThread
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
    tall, wide = chapter(CHAPTER, "counts").tile(step, size)[:2]
    around = [(0, 5), (5, 0), (1, 1), (1, 70), (70, 1), (tall, wide), (tall - 1, wide + 1), (7, 32), (32, 7)]
    around += [(tall + 16, 16), (16, wide + 16), (tall + 1, 3), (3, wide + 1)]

    def case(*shape):
        x = numbered(*shape, size=size)
        result = ops.transpose_step(x, step)
        assert result.is_contiguous() and torch.equal(result, x.mT)

    shapes = around + [(n, *shape) for n in (0, 1, 3) for shape in around[2:8]]
    try_all({shape: lambda shape=shape: case(*shape) for shape in shapes})


@pytest.mark.kernels
@each_size
def test_rows_at_every_shift(ops, size, thread_order):
    """A row of the result begins at each place of a sector, in the first matrix and in those after it; the last tile is full,
    almost full, and almost empty."""
    tall, wide = chapter(CHAPTER, "counts").tile("rows", size)[:2]
    sector = 32 // size
    for rows in [tall - 1, tall, tall + 1, *[2 * tall + more for more in (1 - sector, 3 - sector, -1, 3)]]:
        x = numbered(2, rows, wide + 1, size=size)
        assert torch.equal(ops.transpose_step(x, "rows"), x.mT), rows


@pytest.mark.kernels
@each_size
def test_rows_at_every_place_of_a_word(ops, size, thread_order):
    """Where the matrix and its rows begin within a word; the second tile of a column lies inside the matrix."""
    tall, wide = chapter(CHAPTER, "counts").tile("rows", size)[:2]
    for start, more in itertools.product(range(max(1, 4 // size)), repeat=2):
        shape = 2, 2 * tall + 5, wide + more
        x = numbered(torch.Size(shape).numel() + start, size=size)[start:].view(shape)
        assert torch.equal(ops.transpose_step(x, "rows"), x.mT), (start, more)


@pytest.mark.kernels
@each_step
def test_between_margins(ops, step, thread_order):
    """check() has margins around the tensors, and NaN in what is not written."""
    op, sizes = lambda x: ops.transpose_step(x, step), (0, 1, 33, 64, 100)
    check(op, lambda x: x.mT.contiguous(), lambda n: (torch.rand(2, n, 68, device=device),), sizes, 0, 0, name=step)
    check(op, lambda x: x.mT.contiguous(), lambda n: (torch.rand(n, n + 1, device=device),), sizes, 0, 0, name=step)


@pytest.mark.kernels
@pytest.mark.parametrize("size", [1, 2])
def test_words_between_margins(ops, size, thread_order):
    """As many columns as one tile and two of them, since the last words of a tile belong to the next."""
    tall, wide = chapter(CHAPTER, "counts").tile("rows", size)[:2]
    op, sizes = lambda x: ops.transpose_step(x, "rows"), (tall, 2 * tall, 3 * tall + 1)
    for width in wide, 2 * wide:
        check(op, lambda x: x.mT.contiguous(), lambda n, width=width: (numbered(n, width, size=size),), sizes, 0, 0)


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
        for shape in (32, 16), (32, 17), (17, 32), (2, 16, 48):
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


@needs_gpu
@pytest.mark.xdist_group("large")
@pytest.mark.parametrize("shape, dtype", [
    ((2**16 + 1, 2**15 + 3), torch.uint8), ((2**16, 2**15 + 16), torch.uint8), ((2**16 + 16, 2**15), torch.bfloat16),
    ((3, 2**15 + 1, 2**15), torch.uint8), ((2**31 + 5, 2), torch.uint8), ((2, 2**31 + 5), torch.uint8),
    ((2**31 + 5, 1, 1), torch.uint8), ((2**31 + 5, 2, 2), torch.uint8), ((2**14, 2**17 + 4), torch.float32),
])  # fmt: skip
def test_more_than_2_to_the_31_elements(ops, shape, dtype):
    """Also more tiles than a grid has blocks: (2^31 + 5, 2, 2)."""
    nbytes = torch.Size(shape).numel() * dtype.itemsize
    if torch.cuda.mem_get_info()[0] < 4 * nbytes + 2**31:
        pytest.skip(f"needs {(4 * nbytes + 2**31) / 2**30:.0f} GiB of GPU memory")
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
    with pytest.raises(RuntimeError, match="step must be naive, tile, padded, swizzled, rows or wide, got fast"):
        ops.transpose_step(torch.ones(2, 3, device=where), "fast")


# ---- the counts ------------------------------------------------------------------------------------------------------

# A type that the kernels move like any other, and that prints the addresses from which and to which it is copied.
TRACED = r"""
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#include <cuda_runtime.h>

template <class Pack>
static void traced_store(Pack* to, Pack value);
#define __stcs traced_store
#include "transpose.cu"

static const char *input, *output;
static int64_t bytes, first_in, first_out;

static void print(char kind, const void* p) {
    const char here = 0, *address = static_cast<const char*>(p);
    if (blockIdx.x != 1) return;
    if (std::abs(address - &here) < 100000) return;  // a variable of this thread
    const int64_t in = address - input, out = address - output;
    const unsigned thread = threadIdx.y * blockDim.x + threadIdx.x;
    if (0 <= in && in < bytes) return void(std::printf("load %u %ld\n", thread, long(in - first_in)));
    if (0 <= out && out < bytes) return void(std::printf("store %u %ld\n", thread, long(out - first_out)));
    std::printf("shared-%s %u %ld\n", kind == 'r' ? "load" : "store", thread, long(address));
}

template <class Integer>
struct Traced {
    Integer value;
    Traced() = default;
    Traced(const Traced& other) : value(other.value) { print('r', &other); }
    Traced(Integer value) : value(value) {}
    template <class Other>
    explicit Traced(const Traced<Other>& other) : value(Integer(other.value)) {  // an element becomes a part of a word
        print('r', &other);
    }
    Traced& operator=(const Traced& other) {
        print('r', &other);
        print('w', this);
        value = other.value;
        return *this;
    }
    explicit operator uint32_t() const { return value; }
    Traced operator<<(int bits) const { return Integer(value << bits); }
    Traced& operator|=(Traced other) { return value |= other.value, *this; }
};

template <class Pack>
static void traced_store(Pack* to, Pack value) {
    print('w', to);
    *to = value;
}

template <class Word, class T>
static void rows_launcher(T* out, const T* in, int64_t matrices, int64_t rows, int64_t columns, cudaStream_t stream) {
    launch_tiles<LongTile<T>>(transpose_rows_kernel<T, Word>, row_threads<T>, out, in, matrices, rows, columns, stream);
}

template <class Integer, class Word = Integer>
static void trace() {
    using T = Traced<Integer>;
    struct { const char* step; int tall; decltype(&launch_transpose<T>) launch; } steps[] = {
        {"naive", side, launch_transpose_naive<T>}, {"tile", side, launch_transpose_tile<T>},
        {"padded", side, launch_transpose_padded<T>}, {"swizzled", side, launch_transpose_swizzled<T>},
        {"rows", LongTile<T>::tall, rows_launcher<Traced<Word>, T>}, {"wide", WideTile<T>::tall, launch_transpose<T>}};
    for (const auto& step : steps)
        for (int more = 0; more < (step.launch == launch_transpose<T> ? 1 : 2); more++) {
            const int side = 3 * step.tall + more;  // of the matrix: block 1 has the tile below the first
            bytes = side * side * sizeof(T), first_in = step.tall * side * sizeof(T), first_out = step.tall * sizeof(T);
            input = static_cast<const char*>(std::aligned_alloc(512, (bytes + 511) / 512 * 512));
            output = static_cast<const char*>(std::aligned_alloc(512, (bytes + 511) / 512 * 512));
            std::printf("step %zu/%d %s\n", sizeof(T), side, step.step);
            step.launch((T*)output, (const T*)input, 1, side, side, nullptr);
        }
}

int main() {
    trace<uint8_t, uint32_t>();
    trace<uint16_t, uint32_t>();
    trace<uint32_t>();
    trace<uint64_t>();
}
"""


@pytest.fixture(scope="module")
def traces():
    """{(size of an element, side of the matrix, step): {access: {thread: its addresses}}}, as the kernels themselves
    compute them for the second block."""
    folder, here = kept_folder("11_transpose_traced"), ROOT / "chapters" / CHAPTER
    source = write(folder / "traced.cu", TRACED)
    cuda_on_cpu.translate_file(source, folder / "traced.cpp", [here, ROOT])
    flags = ["-std=c++17", "-O1", *cuda_on_cpu.CFLAGS, "-I", cuda_on_cpu.INCLUDE, "-I", here, "-I", ROOT, "-pthread"]
    subprocess.run(["g++", *map(str, flags), folder / "traced.cpp", "-o", folder / "traced"], check=True)
    found = {}
    for line in subprocess.run([folder / "traced"], capture_output=True, text=True, check=True).stdout.splitlines():
        kind, number, value = line.split()
        if kind == "step":
            size, side = map(int, number.split("/"))
            accesses = found[size, side, value] = collections.defaultdict(lambda: collections.defaultdict(list))
        else:
            accesses[kind.replace("-", " ")][int(number)].append(int(value))
    return found


@pytest.mark.thorough
@each_size
@each_step
def test_the_addresses_that_are_counted_are_the_kernels(traces, step, size):
    """And where the rows of the result begin within a sector. 10 s, for the compiler"""
    counts = chapter(CHAPTER, "counts")
    tall, _, _, pack = counts.tile(step, size)
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
    ("padded", 4, [4, 4, 1, 1]), ("swizzled", 2, [2, 2, 1, 1]), ("rows", 8, [8, 8, 2, 2]), ("wide", 4, [16, 16, 4, 4]),
])  # fmt: skip
def test_counts(step, size, counted):
    assert [found for found, _ in chapter(CHAPTER, "counts").count(step, size).values()] == counted


def test_only_naive_and_tile_ask_for_more_than_they_need():
    counts = chapter(CHAPTER, "counts")
    for step, size in itertools.product(STEPS, INTEGERS):
        wasteful = {access for access, (found, fewest) in counts.count(step, size).items() if found > fewest}
        short = {"rows": {"shared load"}} if size < 4 else {}  # 4096 is a multiple of a word's elements
        assert wasteful == ({"naive": {"store"}, "tile": {"shared load"}} | short).get(step, set()), (step, size)


def test_where_rows_begin_within_a_sector_only_rows_stores_whole_sectors():
    counts = chapter(CHAPTER, "counts")
    for step, size in itertools.product(STEPS[1:5], INTEGERS):
        counted = counts.count(step, size, pitch=4097)
        found, fewest = counted["store"]
        assert (found == fewest) == (step == "rows"), (step, size)
        if step == "rows":
            assert counted["shared load"] == (max(1, size // 4),) * 2, "nor has it bank conflicts"


def test_nvcc_makes_one_store_of_a_pack(tmp_path):
    """And one load. Of an assignment of the pack, nvcc 13.0 makes several stores."""
    kernels = ptx_of(ROOT / "chapters" / CHAPTER / "transpose.cu", tmp_path)
    for letter, size in zip("htjm", INTEGERS, strict=True):  # uint8_t to uint64_t
        (body,) = (code for name, code in kernels.items() if f"transpose_wide_kernelI{letter}" in name)
        accesses = re.findall(r"(ld|st)\.global\S*?(\.v\d)?\.\w(\d+)\s", body)
        widths = [(kind, int(bits) // 8 * int(v[2:] or 1)) for kind, v, bits in accesses]
        assert sorted(widths) == [("ld", 16)] * (16 // size) + [("st", 16)] * (16 // size), size


# ---- pitfalls: each is made here on purpose, and found ---------------------------------------------------------------

WRONG = r"""
#include <cuda_runtime.h>

#include <cstdint>
#include <string>

#include "common/cuda_check.h"

constexpr int side = 32;

// Without the barrier a thread reads what another one has not written yet.
__global__ void no_barrier_kernel(float* out, const float* in, int64_t rows, int64_t columns) {
    __shared__ float tile[side][side + 1];
    const int64_t row = blockIdx.y * side, column = blockIdx.x * side;
    const int x = threadIdx.x, y = threadIdx.y;
    if (row + y < rows && column + x < columns) tile[y][x] = in[(row + y) * columns + column + x];
    if (column + y < columns && row + x < rows) out[(column + y) * rows + row + x] = tile[x][y];
}

// The tiles of a column, one after another: without a second barrier a thread fills the tile while others still read it.
template <bool second_barrier>
__global__ void several_tiles_kernel(float* out, const float* in, int64_t rows, int64_t columns) {
    __shared__ float tile[side][side + 1];
    const int64_t column = blockIdx.x * side;
    const int x = threadIdx.x, y = threadIdx.y;
    for (int64_t row = 0; row < rows; row += side) {
        if (row + y < rows && column + x < columns) tile[y][x] = in[(row + y) * columns + column + x];
        __syncthreads();
        if (column + y < columns && row + x < rows) out[(column + y) * rows + row + x] = tile[x][y];
        if (second_barrier) __syncthreads();
    }
}

// A thread with no element to read may have one to write.
__global__ void early_return_kernel(float* out, const float* in, int64_t rows, int64_t columns) {
    __shared__ float tile[side][side + 1];
    const int64_t row = blockIdx.y * side, column = blockIdx.x * side;
    const int x = threadIdx.x, y = threadIdx.y;
    if (row + y >= rows || column + x >= columns) return;
    tile[y][x] = in[(row + y) * columns + column + x];
    __syncthreads();
    if (column + y < columns && row + x < rows) out[(column + y) * rows + row + x] = tile[x][y];
}

// At the edge, some threads of a warp wait at the one barrier, others at the other.
__global__ void divergent_kernel(float* out, const float* in, int64_t rows, int64_t columns) {
    __shared__ float tile[side][side + 1];
    const int64_t row = blockIdx.y * side, column = blockIdx.x * side;
    const int x = threadIdx.x, y = threadIdx.y;
    if (row + y < rows && column + x < columns) {
        tile[y][x] = in[(row + y) * columns + column + x];
        __syncthreads();
    } else {
        __syncthreads();
    }
    if (column + y < columns && row + x < rows) out[(column + y) * rows + row + x] = tile[x][y];
}

// A tile of 128 x 128 floats is 64 KiB. Each thread moves 16 elements.
__global__ void large_tile_kernel(float* out, const float* in, int64_t rows, int64_t columns) {
    extern __shared__ float large[];
    const int64_t row = blockIdx.y * 128, column = blockIdx.x * 128;
    for (int i = threadIdx.y * side + threadIdx.x; i < 128 * 128; i += side * side)
        if (row + i / 128 < rows && column + i % 128 < columns)
            large[i] = in[(row + i / 128) * columns + column + i % 128];
    __syncthreads();
    for (int i = threadIdx.y * side + threadIdx.x; i < 128 * 128; i += side * side)
        if (column + i / 128 < columns && row + i % 128 < rows)
            out[(column + i / 128) * rows + row + i % 128] = large[i % 128 * 128 + i / 128];
}

// Returns what went wrong with the launch, or "".
extern "C" const char* wrong_transpose(const char* name, float* out, const float* in, int64_t rows, int64_t columns,
                                       cudaStream_t stream) {
    static std::string words;
    words = name;
    const dim3 grid(unsigned((columns + side - 1) / side), unsigned((rows + side - 1) / side)), block(side, side);
    const dim3 large((grid.x + 3) / 4, (grid.y + 3) / 4);
    try {
        if (words == "no barrier") no_barrier_kernel<<<grid, block, 0, stream>>>(out, in, rows, columns);
        if (words == "one barrier") several_tiles_kernel<false><<<grid.x, block, 0, stream>>>(out, in, rows, columns);
        if (words == "two barriers") several_tiles_kernel<true><<<grid.x, block, 0, stream>>>(out, in, rows, columns);
        if (words == "early return") early_return_kernel<<<grid, block, 0, stream>>>(out, in, rows, columns);
        if (words == "divergent") divergent_kernel<<<grid, block, 0, stream>>>(out, in, rows, columns);
        if (words == "large, attribute")
            CHECK_CUDA(cudaFuncSetAttribute(large_tile_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
        if (words.substr(0, 5) == "large") large_tile_kernel<<<large, block, 65536, stream>>>(out, in, rows, columns);
        CHECK_LAUNCH();
        CHECK_CUDA(cudaDeviceSynchronize());
        words = "";
    } catch (const std::exception& error) {
        words = error.what();
    }
    return words.c_str();
}
"""


@pytest.fixture(scope="module")
def wrong():
    """A function (name of a kernel, x) -> the result; raises RuntimeError with what went wrong with the launch."""
    folder = kept_folder(f"11_transpose_wrong_{device.type}")
    source = write(folder / "wrong_transpose.cu", WRONG)
    load("wrong_transpose", [source], extra_include_paths=[str(ROOT)], build_directory=str(folder),
         is_python_module=False)  # fmt: skip
    function = ctypes.CDLL(str(folder / "wrong_transpose.so")).wrong_transpose
    function.restype, function.argtypes = (
        ctypes.c_char_p,
        [ctypes.c_char_p] + [ctypes.c_void_p] * 2 + [ctypes.c_int64] * 2 + [ctypes.c_void_p],
    )

    def call(name, x):
        result = torch.empty(x.shape[::-1], device=device)
        # On the CPU any stream will do but the default one, on which check() lets no kernel be launched.
        stream = torch.cuda.current_stream().cuda_stream if device.type == "cuda" else PER_THREAD
        if words := function(name.encode(), result.data_ptr(), x.data_ptr(), *x.shape, stream):
            raise RuntimeError(words.decode())
        return result

    return call


def check_wrong(wrong, name, sizes):
    check(lambda x: wrong(name, x), lambda x: x.t().contiguous(), lambda n: (torch.rand(n, n + 5, device=device),),
          sizes, 0, 0, name=name)  # fmt: skip


@on_cpu
def test_a_missing_barrier_is_found(wrong, thread_order):
    """By check(), in either order of the threads."""
    with pytest.raises(AssertionError, match="wrong result"):
        check_wrong(wrong, "no barrier", [64])


@on_cpu
def test_a_missing_second_barrier_is_found(wrong, thread_order):
    with pytest.raises(AssertionError, match="wrong result"):
        check_wrong(wrong, "one barrier", [96])


def test_with_both_barriers_it_is_right(wrong, thread_order):
    check_wrong(wrong, "two barriers", [1, 32, 96, 100])


def test_a_return_before_the_barrier_is_found(wrong, thread_order):
    """Only at sizes that are no multiple of the tile: an element of the result stays unwritten."""
    x = torch.rand(64, 96, device=device)
    assert torch.equal(wrong("early return", x), x.t())
    with pytest.raises(AssertionError, match="wrong result"):
        check_wrong(wrong, "early return", [40])


@on_cpu
def test_a_divergent_barrier_is_found(wrong, thread_order):
    x = torch.rand(64, 96, device=device)
    assert torch.equal(wrong("divergent", x), x.t())
    with pytest.raises(RuntimeError, match=r"divergent_kernel.*__syncthreads"):
        wrong("divergent", torch.rand(40, 50, device=device))


def test_64_kib_of_shared_memory_need_the_attribute(wrong):
    x = torch.rand(200, 300, device=device)
    with pytest.raises(RuntimeError, match="invalid argument"):
        wrong("large", x)
    assert torch.equal(wrong("large, attribute", x), x.t())


ON_ITS_OWN = """
import ctypes, sys, torch
function = ctypes.CDLL(sys.argv[1]).wrong_transpose
function.restype = ctypes.c_char_p
x = torch.rand(100, 70, device="cuda")
out = torch.empty(70, 100, device="cuda")
pointers = map(ctypes.c_void_p, (out.data_ptr(), x.data_ptr()))
error = function(sys.argv[2].encode(), *pointers, *map(ctypes.c_int64, x.shape), ctypes.c_void_p(0))
assert error == b"", error
"""


@needs_gpu
@pytest.mark.thorough
@pytest.mark.parametrize("tool, name, words", [
    ("racecheck", "no barrier", "Race reported between"), ("racecheck", "one barrier", "Race reported between"),
    ("racecheck", "two barriers", None), ("synccheck", "divergent", "Barrier error detected"),
    ("synccheck", "two barriers", None),
])  # fmt: skip
def test_compute_sanitizer_finds_it_on_a_gpu(wrong, tool, name, words):
    """There a wrong kernel may give a right result."""
    sanitizer = shutil.which("compute-sanitizer", path=f"{os.environ['PATH']}:{toolkit.cuda_home()}/bin")
    if sanitizer is None:
        pytest.skip("compute-sanitizer not found: it comes with a system's CUDA toolkit")
    library = kept_folder(f"11_transpose_wrong_{device.type}") / "wrong_transpose.so"
    command = [sanitizer, "--tool", tool, sys.executable, "-c", ON_ITS_OWN, library, name]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=600)
    assert "SUMMARY" in done.stdout, done.stdout + done.stderr
    assert words or done.returncode == 0, done.stderr  # synccheck may end the kernel that it reports
    found = "Race reported between" in done.stdout or "Barrier error detected" in done.stdout
    assert found == (words is not None) and (words or "") in done.stdout, done.stdout
