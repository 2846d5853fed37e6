"""What CUDA on CPU adds to a build with torch: AddressSanitizer, and stand-ins for torch's CUDA headers."""

import subprocess
import sys

import pytest
from support import ROOT, chapter, kept_folder, write

from common import device
from common.cpp_extension import CUDAExtension, load

cpu_only = pytest.mark.skipif(device.type == "cuda", reason="about the CPU's build; CHAPTERS_DEVICE=cpu runs it")


@cpu_only
@pytest.mark.parametrize("wrong", [False, True])
def test_sanitize_finds_a_write_out_of_bounds(wrong):
    """`make sanitize03`, with the kernel as it is, and with one that writes one element too far."""
    root = kept_folder(f"sanitize_{'wrong' if wrong else 'right'}")
    folder = root / "chapters" / "03_add2"
    for file in chapter("03_add2").here.iterdir():
        if file.is_file() and not (wrong and file.name == "add2.cu"):
            write(folder / file.name, file.read_text())
    if not (root / "common").is_symlink():
        (root / "common").symlink_to(ROOT / "common")
    source = (chapter("03_add2").here / "add2.cu").read_text()
    assert "i < n; i += stride" in source
    if wrong:
        write(folder / "add2.cu", source.replace("i < n; i += stride", "i <= n; i += stride"))
    line = next(i for i, text in enumerate(source.splitlines(), 1) if "i += stride" in text)
    command = [sys.executable, ROOT / "tools" / "sanitize.py", folder / "main.py", "--sizes", "10"]
    done = subprocess.run(command, capture_output=True, text=True)
    if wrong:
        assert done.returncode != 0
        assert "AddressSanitizer: heap-buffer-overflow" in done.stderr and f"add2.cu:{line}" in done.stderr
    else:
        assert done.returncode == 0, done.stderr[-3000:]
        assert "ok, largest error 0" in done.stdout


@cpu_only
def test_stand_ins_for_torchs_cuda_headers():
    source = """
        #include <ATen/cuda/CUDAContext.h>
        #include <c10/cuda/CUDAException.h>
        #include <c10/cuda/CUDAGuard.h>
        #include <torch/csrc/Exceptions.h>

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

        PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("launch", torch::wrap_pybind_function(launch)); }
    """
    folder = kept_folder("stand_ins")
    module = load("stand_ins", [str(write(folder / "stand_ins.cu", source))], build_directory=str(folder / "build"))
    module.launch(1)
    with pytest.raises(RuntimeError, match="invalid configuration argument"):
        module.launch(0)
    module.launch(1)


@cpu_only
def test_a_deadlock_is_a_python_exception_and_the_next_launch_works():
    source = """
        #include <cuda_runtime.h>
        #include <pybind11/pybind11.h>

        __global__ void half_of_them_wait() {
            if (threadIdx.x < 16) __syncthreads();
            else __shfl_sync(0xffffffff, 1, 0);
        }
        __global__ void fine() { __syncthreads(); }

        PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
            m.def("deadlock", [] { half_of_them_wait<<<1, 32>>>(); });
            m.def("fine", [] { fine<<<2, 64>>>(); });
        }
    """
    folder = kept_folder("deadlock")
    module = load("deadlock", [str(write(folder / "deadlock.cu", source))], build_directory=str(folder / "build"))
    for _ in range(2):
        with pytest.raises(
            RuntimeError, match=r"deadlock in kernel half_of_them_wait, block \(0, 0, 0\).*deadlock.cu:6"
        ):
            module.deadlock()
        module.fine()


@cpu_only
def test_cuda_extension_translates(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "add2.cu").write_text((chapter("03_add2").here / "add2.cu").read_text())
    extension = CUDAExtension(
        "add2", ["add2.cpp", "add2.cu"], extra_compile_args={"cxx": ["-g"], "nvcc": ["-lineinfo"]}
    )
    assert extension.sources == ["add2.cpp", "build/cuda_on_cpu/add2/add2.cu.cpp"]
    assert "cuda_on_cpu::launch" in (tmp_path / extension.sources[1]).read_text()
    assert "-g" in extension.extra_compile_args and "-lineinfo" not in extension.extra_compile_args
    assert extension.include_dirs[0].endswith("cuda_on_cpu/include")
