"""What CUDA on CPU adds to a build with torch: AddressSanitizer, and stand-ins for torch's CUDA headers."""

import subprocess
import sys

import pytest

from common import device
from common.cpp_extension import CUDAExtension, load
from cuda_on_cpu import torch_extension
from tests.support import ROOT, chapter, kept_folder, write

cpu_only = pytest.mark.skipif(device.type == "cuda", reason="about the CPU's build; CHAPTERS_DEVICE=cpu runs it")


# Chapter 03's kernel on n floats, bound with Python's header only: that compiles in a second, add2.cpp in half a minute.
LESSON = f"""
import sys
from pathlib import Path

sys.path.insert(0, {str(ROOT)!r})
from common.cpp_extension import load

here = Path(__file__).parent
sources = [here / name for name in ("add2.cu", "wrong.cu", "binding.cpp")]
module = load("sanitized", sources, extra_include_paths=[{str(ROOT)!r}], build_directory=str(here / "build"))
module.add(1000, False)
print("added", flush=True)  # AddressSanitizer ends the process at once
module.add(1000, True)
"""
BINDING = """
#include <Python.h>

#include <memory>

#include "add2.h"
#include "wrong.h"

static PyObject* add(PyObject*, PyObject* args) {
    int n, wrong;
    if (!PyArg_ParseTuple(args, "ip", &n, &wrong)) return nullptr;
    std::unique_ptr<float[]> a(new float[n]()), b(new float[n]()), c(new float[n]());
    (wrong ? launch_wrong : launch_add2)(c.get(), a.get(), b.get(), n, nullptr);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"add", add, METH_VARARGS, nullptr}, {}};
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "sanitized", nullptr, -1, methods};
PyMODINIT_FUNC PyInit_sanitized() { return PyModule_Create(&definition); }
"""


@cpu_only
@pytest.mark.thorough
def test_sanitize_finds_a_write_out_of_bounds(tmp_path):
    """`make sanitize03` in small: the kernel as it is, then one that writes one element too far. 18 s, torch and all."""
    here = chapter("03_add2").here
    source, header = (here / "add2.cu").read_text(), (here / "add2.h").read_text()
    assert "i < n; i += stride" in source
    line = next(i for i, text in enumerate(source.splitlines(), 1) if "i += stride" in text)
    wrong = source.replace("i < n; i += stride", "i <= n; i += stride").replace("add2", "wrong")
    files = {"main.py": LESSON, "binding.cpp": BINDING, "add2.cu": source, "add2.h": header, "wrong.cu": wrong}
    for name, text in (files | {"wrong.h": header.replace("add2", "wrong")}).items():
        write(tmp_path / name, text)
    command = [sys.executable, "-m", "tools.lesson", "sanitize", tmp_path / "main.py"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.endswith("added\n"), done.stderr[-3000:]
    assert done.returncode != 0 and "AddressSanitizer: heap-buffer-overflow" in done.stderr
    assert f"wrong.cu:{line}" in done.stderr


SOURCE = """
    #include <ATen/cuda/CUDAContext.h>
    #include <c10/cuda/CUDAException.h>
    #include <c10/cuda/CUDAGuard.h>
    #include <pybind11/pybind11.h>

    __global__ void kernel() {}

    void launch(int blocks) {
        const c10::cuda::CUDAGuard guard(at::Device(at::kCPU));
        const at::cuda::OptionalCUDAGuard same(at::Device(at::kCPU));
        const cudaStream_t stream = at::cuda::getCurrentCUDAStream();
        kernel<<<blocks, 1, 0, c10::cuda::getCurrentCUDAStream().stream()>>>();
        C10_CUDA_KERNEL_LAUNCH_CHECK();
        C10_CUDA_CHECK(cudaStreamSynchronize(stream));
        AT_CUDA_CHECK(cudaGetLastError());
    }

    __global__ void half_of_them_wait() {
        if (threadIdx.x < 16) __syncthreads();
        else __shfl_sync(0xffffffff, 1, 0);
    }

    PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
        m.def("launch", launch);
        m.def("deadlock", [] { half_of_them_wait<<<1, 32>>>(); });
    }
"""


@cpu_only
@pytest.mark.thorough
def test_errors_of_launches_are_python_exceptions():
    """With the stand-ins for torch's CUDA headers; and the next launch works. One compilation of 12 s."""
    folder = kept_folder("launches")
    module = load("launches", [str(write(folder / "launches.cu", SOURCE))], build_directory=str(folder / "build"))
    line = next(i for i, text in enumerate(SOURCE.splitlines(), 1) if "__syncthreads" in text)
    module.launch(1)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="invalid configuration argument"):
            module.launch(0)
        module.launch(1)
        where = rf"deadlock in kernel half_of_them_wait, block \(0, 0, 0\).*launches.cu:{line}"
        with pytest.raises(RuntimeError, match=where):
            module.deadlock()
        module.launch(1)


@cpu_only
def test_cuda_extension_translates(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in "add2.cu", "add2.cpp":
        (tmp_path / name).write_text((chapter("03_add2").here / name).read_text())
    flags = {"cxx": ["-g"], "nvcc": ["-lineinfo", "-DWIDTH=4", "-I", "headers"]}
    extension = CUDAExtension("add2", ["add2.cpp", "add2.cu"], extra_compile_args=flags)
    assert extension.sources == ["add2.cpp", "build/cuda_on_cpu/add2/add2.cu.cpp"]
    text = (tmp_path / extension.sources[1]).read_text()
    assert "cuda_on_cpu::launch" in text and "#define WIDTH 4\n" in text
    assert "-g" in extension.extra_compile_args
    assert not {"-lineinfo", "-DWIDTH=4"} & set(extension.extra_compile_args)
    assert extension.include_dirs[0].endswith("cuda_on_cpu/include") and "headers" in extension.include_dirs


@cpu_only
def test_named_gpus_ask_for_nvcc(monkeypatch):
    """In a package of one's own, as for a wheel that is built where no GPU is."""
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)  # the CPU half of `make test` beside a GPU
    monkeypatch.setattr(torch_extension.torch_extension, "CUDAExtension", lambda *args, **kwargs: "torch's own")
    monkeypatch.setattr(torch_extension, "cpu_extension", lambda *args, **kwargs: "for the CPU")
    for wish, gpus, made in ("", "", "for the CPU"), ("", "9.0", "torch's own"), ("1", "9.0", "for the CPU"):
        monkeypatch.setenv("CUDA_ON_CPU", wish)
        monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", gpus)
        assert torch_extension.CUDAExtension("own", ["own.cu"]) == made


@pytest.mark.thorough
@cpu_only
def test_a_cu_has_the_macros_of_nvcc(tmp_path, monkeypatch):
    """torch's, which forbid a half to become a float by itself, and those of the flags for nvcc."""
    monkeypatch.chdir(tmp_path)
    source = "#include <cuda_fp16.h>\n__global__ void kernel(float* a, __half h) { a[0] = N * TWICE(h); }\n"
    (tmp_path / "half.cu").write_text(source)
    allows = "-U__CUDA_NO_HALF_CONVERSIONS__"
    for flags, error in {
        ("-DN=2", "'-DTWICE(x)=2 * float(x)'"): "__half",
        ("-D N", "-D", "'TWICE(x)=2 * float(x)'", allows): "",
        ("-D N", "-DTWICE(x)=float(x)", allows, "-UTWICE"): "TWICE",
    }.items():
        (cpp,) = CUDAExtension("half", ["half.cu"], extra_compile_args={"nvcc": list(flags)}).sources
        command = ["g++", "-std=c++17", "-DCUDA_ON_CPU", f"-I{ROOT}/cuda_on_cpu/include", "-fsyntax-only", cpp]
        done = subprocess.run(command, capture_output=True, text=True)
        assert (done.returncode != 0) == bool(error) and error in done.stderr, done.stderr
        assert "half.cu:2:" in done.stderr or not error
