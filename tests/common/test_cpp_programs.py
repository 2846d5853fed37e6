"""C++ programs with no Python: the harness of common/*.h, and CUDA on CPU's own programs as nvcc and a GPU see them."""

import re
import shutil
import subprocess
import sys

import pytest
import torch
from support import ROOT

from common import cuda_on_cpu, toolkit

HARNESS = [ROOT / "tests/common/harness.cu", ROOT / "tests/common/wrong_launchers.cu"]
SPEED = ROOT / "tests/cuda_on_cpu/programs/speed.cu"  # gives kernels the host's memory: for the CPU only
PORTABLE = sorted(p for p in SPEED.parent.glob("*.cu") if p != SPEED)
INCLUDES = [f"-I{ROOT}", f"-I{SPEED.parent}"]


def output(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.parametrize("program", HARNESS, ids=lambda p: p.stem)
@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_harness_on_cpu(compiler, program, tmp_path):
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} not found: apt-get install {compiler.replace('clang++', 'clang')}")
    cuda_on_cpu.translate_file(program, tmp_path / "harness.cpp")
    flags = ["-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", *cuda_on_cpu.CFLAGS, f"-I{cuda_on_cpu.INCLUDE}"]
    output(compiler, *flags, *INCLUDES, tmp_path / "harness.cpp", "-o", tmp_path / "harness", "-pthread")
    assert output(tmp_path / "harness") == "ok\n"


@pytest.mark.skipif(toolkit.cuda_home() is None, reason="no nvcc of torch's CUDA version on this machine")
@pytest.mark.parametrize("program", [*HARNESS, *PORTABLE], ids=lambda p: p.stem)
def test_nvcc_compiles_it_and_a_gpu_runs_it(program, tmp_path):
    nvcc = toolkit.cuda_home() / "bin" / "nvcc"
    if torch.cuda.is_available():
        output(nvcc, "-arch=native", *INCLUDES, program, "-o", tmp_path / "program")
        assert output(tmp_path / "program") == "ok\n"
    else:
        output(nvcc, "-arch=sm_90", *INCLUDES, "-c", program, "-o", tmp_path / "program.o")


def test_speed_of_cuda_on_cpu_can_be_measured():
    lines = output(sys.executable, ROOT / "tools" / "bench_cuda_on_cpu.py").splitlines()
    assert [line.split()[0] for line in lines] == ["g++", "add", "sum_shuffle", "sum_tree"]
    assert all(re.search(r" \d+\.\d\d ms ", line) for line in lines[1:])
