"""grader/launchers.py: a .cu called with tensors by what its header declares. On the CPU it is compiled once, 2 s."""

import os
import subprocess
import sys

import pytest
import torch

from common import device
from common.progress import BuildError
from grader import launchers
from tests.support import ROOT, kept_folder, write

HEADER = """
#pragma once
#include <cuda_runtime.h>
#include <cstdint>
// void commented_out(float* out);
void launch_fill(float* out, float value, int64_t n, cudaStream_t stream);
void launch_copy(int64_t* out,
                 const int64_t* in, bool negate, int n);
void launch_bytes(void* out, const void* in, int64_t n, cudaStream_t stream);
void fails(const double* unused);
"""
SOURCE = """
#include "many.h"
#include <stdexcept>
__global__ void fill_kernel(float* out, float value, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = value;
}
void launch_fill(float* out, float value, int64_t n, cudaStream_t stream) {
    fill_kernel<<<unsigned(n / 256 + 1), 256, 0, stream>>>(out, value, n);
}
__global__ void copy_kernel(int64_t* out, const int64_t* in, bool negate, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = negate ? -in[i] : in[i];
}
void launch_copy(int64_t* out, const int64_t* in, bool negate, int n) { copy_kernel<<<1, 32>>>(out, in, negate, n); }
__global__ void bytes_kernel(char* out, const char* in) { out[blockIdx.x] = in[blockIdx.x]; }
void launch_bytes(void* out, const void* in, int64_t n, cudaStream_t stream) {
    bytes_kernel<<<unsigned(n), 1, 0, stream>>>((char*)out, (const char*)in);
}
void fails(const double*) { throw std::runtime_error("as announced"); }
"""


def kept(name, header, source):
    """A .cu of that name with its header, in a folder where the next run finds it compiled."""
    folder = kept_folder("launchers")
    write(folder / f"{name}.h", header)
    return write(folder / f"{name}.cu", source)


@pytest.fixture(scope="module")
def many():
    return launchers.launchers(kept("many", HEADER, SOURCE))


def test_tensors_and_numbers_arrive(many):
    assert sorted(vars(many)) == ["fails", "launch_bytes", "launch_copy", "launch_fill"]
    out = torch.empty(300, device=device)
    many.launch_fill(out, 2.5, 300)
    assert torch.equal(out, torch.full_like(out, 2.5))
    numbers = torch.arange(100, device=device)
    copied = torch.empty_like(numbers)
    many.launch_copy(copied, numbers, True, 100)
    assert torch.equal(copied, -numbers)
    many.launch_bytes(out, numbers, 800)
    assert torch.equal(out[:200].view(torch.int64), numbers)


@pytest.mark.skipif(device.type == "cuda", reason="a GPU runs all blocks")
def test_the_last_blocks_alone(many):
    out = torch.zeros(100 * 256)  # for which launch_fill() has 101 blocks
    many.launch_fill(out, 2.0, out.numel(), threads=out.numel(), only_last=True)
    assert not out[: 93 * 256].any() and (out[93 * 256 :] == 2).all()
    with pytest.raises(launchers.TooFewThreads, match="launches 25856 threads, but each of the 25857") as error:
        many.launch_fill(out, 3.0, out.numel(), threads=25857, only_last=True)
    assert error.value.threads == 25856 and not (out == 3).any()
    seven = torch.zeros(7 * 256)
    many.launch_fill(seven, 4.0, 256, threads=7 * 256, only_last=True, blocks=7)
    assert launchers.threads_launched() == 7 * 256 and (seven[:256] == 4).all() and not seven[256:].any()


@pytest.mark.parametrize(
    "arguments, error, words",
    [
        (lambda x: (x, 1.0), TypeError, r"launch_fill\(out, value, n\) takes 3 arguments, got 2"),
        (lambda x: (x.double(), 1.0, 8), TypeError, "out must be float32, got float64"),
        (lambda x: (x[::2], 1.0, 4), ValueError, "out must be contiguous"),
        (lambda x: ([1.0], 1.0, 8), TypeError, "out must be a tensor"),
        (lambda x: (x.to("meta"), 1.0, 8), ValueError, f"on the {device.type}, got meta"),
        (lambda x: (x, "1", 8), TypeError, "value must be a number of type float"),
        (lambda x: (x, 1.0, 8.5), TypeError, "n must be a number of type int64_t"),
    ],
)
def test_what_does_not_fit_is_refused(many, arguments, error, words):
    with pytest.raises(error, match=words):
        many.launch_fill(*arguments(torch.zeros(8, device=device)))


def test_an_exception_has_its_message(many):
    with pytest.raises(RuntimeError, match="as announced"):
        many.fails(None)


@pytest.mark.thorough
def test_what_cannot_be_built_is_said(tmp_path):
    (tmp_path / "odd.h").write_text("void launch_odd(std::string name);")
    (tmp_path / "odd.cu").write_text("")
    with pytest.raises(BuildError, match="takes a std::string name, which Python cannot pass"):
        launchers.launchers(tmp_path / "odd.cu")
    (tmp_path / "odd.h").write_text("void launch_odd(int n);")
    with pytest.raises(BuildError, match="(?s)odd.cu does not compile.*launch_odd"):
        launchers.launchers(tmp_path / "odd.cu")
    (tmp_path / "odd.cu").write_text('#include "odd.h"\n')
    with pytest.raises(BuildError, match="odd.cu does not define what odd.h declares"):
        launchers.launchers(tmp_path / "odd.cu")
    if device.type == "cpu":
        (tmp_path / "odd.cu").write_text('#include "odd.h"\n/* { */\nvoid launch_odd(int n) {\n    if (n) {\n}\n')
        with pytest.raises(BuildError, match=r"odd.cu does not compile.\n.*odd.cu:3: error: this { has no }"):
            launchers.launchers(tmp_path / "odd.cu")


@pytest.mark.thorough
@pytest.mark.skipif(device.type == "cuda", reason="for the CPU only")
def test_several_are_compiled_at_once(tmp_path, monkeypatch):
    """The same names in two folders do not meet, and a change is compiled again."""
    cus = []
    for value in 1, 2:
        cus.append(tmp_path / str(value) / "same.cu")
        cus[-1].parent.mkdir()
        cus[-1].with_suffix(".h").write_text("#pragma once\nvoid launch_same(float* out);\n")
        kernel = f"__global__ void same_kernel(float* out) {{ *out = {value}; }}"
        launch = "void launch_same(float* out) { same_kernel<<<1, 1>>>(out); }"
        cus[-1].write_text(f'#include <cuda_runtime.h>\n#include "same.h"\n{kernel}\n{launch}\n')
    launchers.compile_together(cus)
    monkeypatch.setattr(launchers, "_object", None)  # no compiler runs again
    out = torch.zeros(1)
    for value, cu in zip((1, 2), cus, strict=True):
        launchers.launchers(cu).launch_same(out)
        assert out.item() == value
    cus[0].write_text(cus[0].read_text().replace("= 1", "= 3"))
    with pytest.raises(TypeError):
        launchers.launchers(cus[0])


HALVES = """
import sys, torch
from grader.launchers import launchers
launchers(sys.argv[1]).launch_halves(torch.zeros(32), torch.zeros(32, dtype=torch.float16))
"""


@pytest.mark.thorough
@pytest.mark.skipif(device.type == "cuda" or sys.platform != "linux", reason="the memory check: on the CPU, on Linux")
def test_a_half_that_is_an_argument_is_seen(tmp_path):
    """10 s: a process of its own has to begin with the memory check."""
    cu = tmp_path / "halves.cu"
    cu.with_suffix(".h").write_text("#include <cuda_fp16.h>\nvoid launch_halves(float* out, const __half* x);\n")
    kernel = "__global__ void k(float* out, const __half* x) { out[threadIdx.x] = __half2float(x[threadIdx.x + 8]); }"
    launch = "void launch_halves(float* out, const __half* x) { k<<<1, 32>>>(out, x); }"
    cu.write_text(f'#include "halves.h"\n{kernel}\n{launch}\n')
    env = os.environ | {"CHAPTERS_SANITIZE": "memory", "CHAPTERS_DEVICE": "cpu", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", HALVES, cu], env=env, capture_output=True, text=True)
    assert "reads x[32] at" in done.stderr and "past the end of x" in done.stderr, done.stderr


# ---- what a launcher does, on the CPU ------------------------------------------------------------------------------------

WAYS = """
#pragma once
#include <cuda_runtime.h>
#include <cstdint>
void right(float* out, const float* in, int64_t n, cudaStream_t stream);
void default_stream(float* out, const float* in, int64_t n, cudaStream_t stream);
void second_on_default(float* out, const float* in, int64_t n, cudaStream_t stream);
void copies_on_default(float* out, const float* in, int64_t n, cudaStream_t stream);
void unchecked(float* out, const float* in, int64_t n, cudaStream_t stream);
void first_checked(float* out, const float* in, int64_t n, cudaStream_t stream);
void swallows(float* out, const float* in, int64_t n, cudaStream_t stream);
void peeks(float* out, const float* in, int64_t n, cudaStream_t stream);
void empty_grid(float* out, const float* in, int64_t n, cudaStream_t stream);
void nothing(float* out, const float* in, int64_t n, cudaStream_t stream);
void on_the_host(float* out, const float* in, int64_t n, cudaStream_t stream);
void one_behind(float* out, const float* in, int64_t n, cudaStream_t stream);
void one_before(float* out, const float* in, int64_t n, cudaStream_t stream);
void a_launch_for_each(float* out, const float* in, int64_t n, cudaStream_t stream);
void races(float* out, const float* in, int64_t n, cudaStream_t stream);
void host_copy(float* out, const float* in, int64_t n, cudaStream_t stream);
void copy_of_unknown_kind(float* out, const float* in, int64_t n, cudaStream_t stream);
void device_copy(float* out, const float* in, int64_t n, cudaStream_t stream);
void table(float* out, const float* in, int64_t n, cudaStream_t stream);
void managed(float* out, const float* in, int64_t n, cudaStream_t stream);
void registers(float* out, const float* in, int64_t n, cudaStream_t stream);
void never_freed(float* out, const float* in, int64_t n, cudaStream_t stream);
void freed(float* out, const float* in, int64_t n, cudaStream_t stream);
void on_host(float* out, const float* in, int64_t n, cudaStream_t stream);
void leaves(float* out, const float* in, int64_t n, cudaStream_t stream);
void no_block(float* out, const float* in, int64_t n, cudaStream_t stream);
void large_block(float* out, const float* in, int64_t n, cudaStream_t stream);
void long_grid(float* out, const float* in, int64_t n, cudaStream_t stream);
"""
WAYS_SOURCE = """
#include "ways.h"
#include <stdexcept>
#include <string>
#define CHECK()                                                   \\
    if (const cudaError_t error = cudaGetLastError(); error != 0) \\
    throw std::runtime_error(std::string("said so: ") + cudaGetErrorString(error))
__global__ void copy(float* out, const float* in, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}
__global__ void behind(float* out, const float* in, int64_t n) { out[threadIdx.x] = in[threadIdx.x + n]; }
__global__ void before(float* out, const float* in) { out[int(threadIdx.x) - 1] = in[threadIdx.x]; }
__global__ void neighbours(float* out, const float* in, int64_t n) {
    out[threadIdx.x] = in[threadIdx.x];
    out[(threadIdx.x + 1) % n] += 1;
}
#define ARGUMENTS float *out, const float *in, int64_t n, cudaStream_t stream
void right(ARGUMENTS) { if (n == 0) return; copy<<<n / 32 + 1, 32, 0, stream>>>(out, in, n); CHECK(); }
void default_stream(ARGUMENTS) { copy<<<n / 32 + 1, 32>>>(out, in, n); CHECK(); }
void second_on_default(ARGUMENTS) { right(out, in, n, stream); default_stream(out, in, n, stream); }
void copies_on_default(ARGUMENTS) { right(out, in, n, stream); cudaMemcpy(out, in, 4 * n, cudaMemcpyDefault); }
void unchecked(ARGUMENTS) { copy<<<n / 32 + 1, 32, 0, stream>>>(out, in, n); }
void first_checked(ARGUMENTS) { right(out, in, n, stream); unchecked(out, in, n, stream); }
void empty_grid(ARGUMENTS) { copy<<<0, 32, 0, stream>>>(out, in, n); }
void nothing(ARGUMENTS) {}
void on_the_host(ARGUMENTS) {
    right(out, in, n, stream);
    for (int64_t i = 0; i < n; i++) out[i] = in[i];
}
void one_behind(ARGUMENTS) { behind<<<1, 1, 0, stream>>>(out, in, n); CHECK(); }
void one_before(ARGUMENTS) { before<<<1, 1, 0, stream>>>(out, in); CHECK(); }
void a_launch_for_each(ARGUMENTS) { for (int64_t i = 0; i < n; i++) right(out + i, in + i, 1, stream); }
void races(ARGUMENTS) { neighbours<<<1, n, 0, stream>>>(out, in, n); CHECK(); }
static float numbers[64];
__constant__ float constants[64];
#define COPY(to, from, kind) cudaMemcpyAsync(to, from, 4 * n, kind, stream)
void host_copy(ARGUMENTS) { right(out, in, n, stream); COPY(out, numbers, cudaMemcpyHostToDevice); }
void copy_of_unknown_kind(ARGUMENTS) {
    right(out, in, n, stream);
    float here[64] = {};
    COPY(here, in, cudaMemcpyDefault);
}
void device_copy(ARGUMENTS) { right(out, in, n, stream); COPY(out, in, cudaMemcpyDeviceToDevice); }
void table(ARGUMENTS) {
    float here[64] = {};
    cudaMemcpyToSymbolAsync(constants, here, 4 * n, 0, cudaMemcpyHostToDevice, stream);
    right(out, in, n, stream);
}
void managed(ARGUMENTS) {
    float* p;
    cudaMallocManaged(&p, 4);
    right(out, in, n, stream);
    cudaFree(p);
}
void registers(ARGUMENTS) {
    float here[64];
    cudaHostRegister(here, sizeof here, 0);
    right(out, in, n, stream);
    cudaHostUnregister(here);
}
void never_freed(ARGUMENTS) {
    float* p;
    cudaMallocAsync(&p, 4, stream);
    right(out, in, n, stream);
}
void freed(ARGUMENTS) {
    float* p;
    cudaMalloc(&p, 4 * n);
    right(p, in, n, stream);
    right(out, p, n, stream);
    cudaFree(p);
}
void on_host(ARGUMENTS) {
    float here[64] = {};
    copy<<<1, 32, 0, stream>>>(out, here, n);
    CHECK();
}
__global__ void leaving(float* out, const float* in, int64_t n) {
    if (threadIdx.x >= n) return;
    __syncthreads();
    out[threadIdx.x] = in[threadIdx.x];
}
void no_block(ARGUMENTS) { copy<<<0, 32, 0, stream>>>(out, in, n); CHECK(); }
void large_block(ARGUMENTS) { copy<<<1, 1025, 0, stream>>>(out, in, n); CHECK(); }
void long_grid(ARGUMENTS) { copy<<<dim3(1, 65536), 1, 0, stream>>>(out, in, n); CHECK(); }
void leaves(ARGUMENTS) { leaving<<<1, 32, 0, stream>>>(out, in, n); CHECK(); }
void swallows(ARGUMENTS) { unchecked(out, in, n, stream); cudaGetLastError(); }
void peeks(ARGUMENTS) {
    unchecked(out, in, n, stream);
    if (cudaPeekAtLastError() != cudaSuccess) throw std::runtime_error("peeks");
}
"""
on_the_cpu = pytest.mark.skipif(device.type == "cuda", reason="a GPU does not say what a launcher does")


@pytest.fixture(scope="module")
def ways_cu():
    return kept("ways", WAYS, WAYS_SOURCE)


@pytest.fixture(scope="module")
def ways(ways_cu):
    return launchers.launchers(ways_cu)


def called(launch, n=40, **options):
    x = torch.arange(n, dtype=torch.float32)
    out = torch.empty_like(x)
    launch(out, x, n, **options)
    return torch.equal(out, x)


@on_the_cpu
@pytest.mark.parametrize(
    "name, words",
    [
        ("default_stream", "the launch of copy is on the default stream, and not on the stream that the launcher got"),
        ("second_on_default", "the launch of copy is on the default stream"),
        ("copies_on_default", r"a call such as cudaMemsetAsync\(\) is on the default stream"),
        ("empty_grid", r"empty_grid\(\) does not say that its launch has failed \(invalid configuration argument\)"),
        (
            "no_block",
            r"said so: invalid configuration argument\nThe grid is \(0, 1, 1\) blocks, .* no number may be 0$",
        ),
        ("large_block", r"a block is \(1025, 1, 1\) threads: a block has at most 1024 threads$"),
        (
            "long_grid",
            r"\(1, 65536, 1\) blocks, .*: along x a grid has at most 2\^31 - 1 blocks, along y and z 65535 each$",
        ),
        ("nothing", r"nothing\(\) launches no kernel"),
        ("a_launch_for_each", r"a_launch_for_each\(\) launches 40 kernels: does the host loop"),
    ],
)
def test_what_a_launcher_does_wrong(ways, name, words):
    with pytest.raises(RuntimeError, match=words):
        called(getattr(ways, name))
    assert called(ways.right) and called(ways.right, 0)  # no error is left


@on_the_cpu
def test_each_element_may_ask_for_a_thread(ways):
    assert called(ways.right, threads=64)
    with pytest.raises(RuntimeError, match=r"right\(\) launches 64 threads, but each of the 65 elements"):
        called(ways.right, threads=65)


@on_the_cpu
@pytest.mark.parametrize("name, reported", [("right", 1), ("first_checked", 1), ("unchecked", 0)])
def test_a_launch_that_fails_is_reported(ways, name, reported):
    """Launch by launch: so many of them report their error, and the next one does not, or there is none."""

    def call():
        called(getattr(ways, name))

    for number in range(1, reported + 1):
        assert launchers.refuse_launch(number, call)
    if name == "right":
        assert not launchers.refuse_launch(2, call)
    else:
        with pytest.raises(launchers.Unchecked, match="no kernel image is available"):
            launchers.refuse_launch(reported + 1, call)
    assert called(ways.right), "none fails any more"


@on_the_cpu
@pytest.mark.parametrize("name, words", [
    ("swallows", "returns as if nothing had happened"), ("peeks", "a later call gets the same one .no kernel image"),
])  # fmt: skip
def test_an_error_arrives_once(ways, name, words):
    with pytest.raises(launchers.Unchecked, match=words):
        launchers.refuse_launch(1, lambda: called(getattr(ways, name)))
    assert called(ways.right), "no error is left"


@on_the_cpu
def test_an_error_before_the_refused_launch_is_no_report(ways):
    with pytest.raises(RuntimeError, match="default stream"):
        launchers.refuse_launch(3, lambda: called(ways.second_on_default))


PROGRAM = """
import sys
import torch
from grader import checks
ways = checks.launchers(sys.argv[1])
def inputs(n):
    return (torch.arange(2.0 * n).view(n, 2),)
for argument in sys.argv[2:]:
    name, _, n = argument.partition("=")
    def op(x):
        out = torch.empty_like(x)
        getattr(ways, name)(out, x, x.numel())
        return out
    try:
        checks.check(op, torch.clone, inputs, (int(n or 3),))
    except checks.Wrong as error:
        print(name, error)
"""


with_the_memory_check = pytest.mark.skipif(
    device.type == "cuda" or sys.platform != "linux", reason="the memory check: on the CPU, on Linux"
)


@pytest.fixture(scope="module")
def said(ways_cu):
    """What a reader is told of some launchers, by a process of its own: it has to begin with the memory check."""
    env = os.environ | {"CHAPTERS_SANITIZE": "memory", "CHAPTERS_DEVICE": "cpu", "PYTHONPATH": str(ROOT)}
    names = "right on_the_host one_behind one_before races host_copy copy_of_unknown_kind device_copy table managed registers"
    names += " never_freed freed on_host leaves one_behind=0"
    command = [sys.executable, "-c", PROGRAM, ways_cu, *names.split()]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.replace(f"{ways_cu.parent}/", "")


@with_the_memory_check
@pytest.mark.xdist_group("said")  # one process compiles ways.cu for the memory check, once
def test_messages_name_arrays_and_elements(said):
    for words in [
        "on_the_host n = 3 (input: 3 rows, 2 columns): the host reads in[0] (row 0, column 0) at ways.cu:29; that memory",
        "reads in[6] at ways.cu:12, past the end of in (3 rows, 2 columns)",
        "writes out[-1] at ways.cu:13, before the beginning of out (3 rows, 2 columns)",
        "reads in[0] at ways.cu:12, past the end of in (0 rows, 2 columns)",
        "data race: thread (1, 0, 0) of block (0, 0, 0) writes out[1] (row 0, column 1) at ways.cu:15, and thread",
        "no __syncwarp() and no __syncthreads() is between them; 1 more like this",
    ]:
        assert words in said, said
    assert said.count("data race") == 1


@with_the_memory_check
@pytest.mark.xdist_group("said")
def test_the_work_is_that_of_kernels_in_memory_of_the_gpu(said):
    """A launcher may copy within the GPU, fill a table of constants, and use memory that it frees."""
    where = "n = 3 (input: 3 rows, 2 columns):"
    for words in [
        f"host_copy {where} the launcher copies from or to memory of the host, at ways.cu:38;",
        f"copy_of_unknown_kind {where} the launcher copies from or to memory of the host, at ways.cu:42;",
        f"managed {where} the launcher asks for memory that the host can use, at ways.cu:52;",
        f"registers {where} the launcher lets kernels use memory of the host, at ways.cu:58;",
        f"never_freed {where} the memory that the launcher allocates at ways.cu:64 is never freed",
        "at ways.cu:10: the host's memory, or that of no array",
        f"leaves {where} kernel leaving: barrier left out: 26 threads of block (0, 0, 0) returned",
    ]:
        assert words in said, said
    assert said.count("right   n = 3\n") == 4, said
