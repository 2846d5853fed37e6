"""C++ programs with no Python: the harness of common/*.h, and CUDA on CPU's own programs as nvcc sees them."""

import re
import shutil
import subprocess
import sys

import pytest
import torch

import cuda_on_cpu
from common import toolkit
from tests.support import ROOT

pytestmark = pytest.mark.thorough
HARNESS = [ROOT / "tests/common/harness.cu", ROOT / "tests/common/wrong_launchers.cu"]
SPEED = ROOT / "tests/cuda_on_cpu/programs/speed.cu"  # measures, and checks nothing
PORTABLE = sorted(p for p in SPEED.parent.glob("*.cu") if p != SPEED)
INCLUDES = [f"-I{ROOT}", f"-I{SPEED.parent}"]


def output(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.skipif(not shutil.which("clang++"), reason="clang++ not found: apt-get install clang")
@pytest.mark.parametrize("program", HARNESS, ids=lambda p: p.stem)
def test_harness_with_clang(program, tmp_path):
    """ctest runs these programs with g++, and on a GPU (tests/CMakeLists.txt). 3 s each."""
    cuda_on_cpu.translate_file(program, tmp_path / "harness.cpp")
    flags = ["-std=c++17", "-O0", "-Wall", "-Wextra", "-Werror", *cuda_on_cpu.CFLAGS, f"-I{cuda_on_cpu.INCLUDE}"]
    output("clang++", *flags, *INCLUDES, tmp_path / "harness.cpp", "-o", tmp_path / "harness", "-pthread")
    assert output(tmp_path / "harness") == "ok\n"


@pytest.mark.skipif(torch.cuda.is_available(), reason="ctest compiles them with nvcc and runs them on the GPU")
@pytest.mark.skipif(toolkit.cuda_home() is None, reason="no nvcc of torch's CUDA version on this machine")
@pytest.mark.parametrize("program", [*HARNESS, *PORTABLE], ids=lambda p: p.stem)
def test_nvcc_takes_it(program, tmp_path):
    """nvcc's own part of the work: -ptx leaves out the host's compiler, which ctest runs. 1 s each."""
    output(toolkit.cuda_home() / "bin" / "nvcc", "-arch=sm_90", *INCLUDES, "-ptx", program, "-o", tmp_path / "ptx")


def test_speed_of_cuda_on_cpu_can_be_measured():
    lines = output(sys.executable, "-m", "tools.maintain.bench_cuda_on_cpu").splitlines()
    assert [line.split()[0] for line in lines] == ["g++", "add", "sum_shuffle", "sum_tree"]
    assert all(re.search(r" \d+\.\d\d ms ", line) for line in lines[1:])
