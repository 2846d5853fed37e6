"""`make gpu-sanitize` finds what is planted and misses no kernel. On a GPU a minute, for a build and two sanitizers;
without one 8 s."""

import shutil
import subprocess
import sys

import pytest

from common import device
from tests.support import ROOT
from tools.maintain import gpu_sanitize

ON_A_GPU = pytest.mark.skipif(
    device.type == "cpu" or not shutil.which("compute-sanitizer"), reason="needs a GPU and its sanitizer"
)
PLANTED = '''
import sys; sys.path.insert(0, {root!r})
import pytest, torch
from common.cpp_extension import load_inline

@pytest.mark.kernels
def test_planted():
    cuda = """
    #include <ATen/core/Tensor.h>
    __global__ void fill(float* x, int n) {{ if (threadIdx.x < n) x[threadIdx.x] = 1; }}
    void fill_ones(const at::Tensor& x, int64_t n) {{ fill<<<1, 64>>>(x.mutable_data_ptr<float>(), int(n)); }}
    """
    cpp = """
    #include <torch/csrc/Exceptions.h>
    #include <torch/csrc/utils/pybind.h>
    void fill_ones(const at::Tensor& x, int64_t n);
    """
    module = load_inline("planted", cpp, cuda, functions=["fill_ones"], no_implicit_headers=True)
    module.fill_ones(torch.empty(32, device="cuda"), {n})
    torch.cuda.synchronize()
'''


@pytest.mark.parametrize("tool", ["memcheck", "initcheck"])
def test_it_can_import_every_file_of_tests(tool):
    """It starts pytest with other options than `make test`; initcheck leaves out what TMA stores. 8 s each"""
    options = [*gpu_sanitize.PYTEST, *gpu_sanitize.LEFT_OUT.get(tool, []), "--collect-only", "tests"]
    run = subprocess.run([sys.executable, "-m", "pytest", *options], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-2000:]
    for chapter in "17_tensor_cores", "18_wgmma", "19_attention":
        assert (chapter in run.stdout) == (tool == "memcheck" or chapter == "17_tensor_cores")


@ON_A_GPU
@pytest.mark.parametrize("n, said", [(32, "1 passed"), (33, "Invalid __global__ write of size 4")])
def test_a_write_beyond_the_end_is_found(tmp_path, n, said, capsys):
    file = tmp_path / "test_planted.py"
    file.write_text(PLANTED.format(root=str(ROOT), n=n))
    assert gpu_sanitize.finds_errors("memcheck", str(file), ["fill"]) == (n > 32)
    output = capsys.readouterr().out
    assert said in output, output


@ON_A_GPU
def test_a_kernel_that_no_test_launches_is_missed(tmp_path):
    file = tmp_path / "test_nothing.py"
    file.write_text("import pytest\n\n@pytest.mark.kernels\ndef test_nothing(): pass\n")
    with pytest.raises(SystemExit, match="No test marked `kernels` launches add2_kernel"):
        gpu_sanitize.main(gpu_sanitize.TOOLS, str(file))
