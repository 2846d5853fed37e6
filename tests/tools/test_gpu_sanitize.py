"""`make gpu-sanitize`: it finds what is planted, and misses no kernel."""

import importlib.util
import shutil
import subprocess
import sys

import pytest
import torch
from support import ROOT

from common import device

spec = importlib.util.spec_from_file_location("gpu_sanitize", ROOT / "tools/gpu_sanitize.py")
gpu_sanitize = importlib.util.module_from_spec(spec)
spec.loader.exec_module(gpu_sanitize)

PLANTED = '''
import pytest, torch
from common.cpp_extension import load_inline

@pytest.mark.kernels
def test_planted():
    cuda = """
    #include <ATen/core/Tensor.h>
    __global__ void too_far(float* x, int n) { if (threadIdx.x < n + %d) x[threadIdx.x] = 1; }
    void fill_ones(const at::Tensor& x) { too_far<<<1, 64>>>(x.mutable_data_ptr<float>(), int(x.numel())); }
    """
    cpp = """
    #include <torch/csrc/Exceptions.h>
    #include <torch/csrc/utils/pybind.h>
    void fill_ones(const at::Tensor& x);
    """
    module = load_inline("planted_%d", cpp, cuda, functions=["fill_ones"], no_implicit_headers=True)
    module.fill_ones(torch.empty(32, device="cuda"))
    torch.cuda.synchronize()
'''


def test_every_kernel_has_a_name():
    names = gpu_sanitize.kernels()
    assert {"hello_kernel", "custom_kernel", "add_kernel_aligned_middle", "rgbToGrayKernel"} <= names
    text = "".join(file.read_text() for file in ROOT.glob("chapters/*/*.cu"))
    assert len(names) == text.count("__global__ void ")


@pytest.mark.skipif(torch.cuda.is_available(), reason="about a machine without a GPU")
def test_without_a_gpu_it_says_what_to_do():
    done = subprocess.run([sys.executable, ROOT / "tools/gpu_sanitize.py"], capture_output=True, text=True)
    assert done.returncode == 1 and "needs a GPU" in done.stderr and "make sanitizeNN" in done.stderr


@pytest.mark.skipif(
    device.type == "cpu" or not shutil.which("compute-sanitizer"), reason="needs a GPU and its sanitizer"
)
@pytest.mark.parametrize("too_many", [0, 1])
def test_a_write_beyond_the_end_is_found(tmp_path, too_many, capsys):
    file = tmp_path / "test_planted.py"
    file.write_text(f"import sys; sys.path.insert(0, {str(ROOT)!r})\n" + PLANTED % (too_many, too_many))
    assert gpu_sanitize.finds_errors("memcheck", str(file), ["too_far"]) == bool(too_many)
    said = capsys.readouterr().out
    assert ("Invalid __global__ write of size 4" if too_many else "1 passed") in said, said


@pytest.mark.skipif(
    device.type == "cpu" or not shutil.which("compute-sanitizer"), reason="needs a GPU and its sanitizer"
)
def test_a_kernel_that_no_test_launches_is_missed(tmp_path, monkeypatch):
    file = tmp_path / "test_nothing.py"
    file.write_text("import pytest\n\n@pytest.mark.kernels\ndef test_nothing(): pass\n")
    with pytest.raises(SystemExit, match="No test marked `kernels` launches add2_kernel"):
        gpu_sanitize.main([], str(file))
