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


@pytest.mark.skipif(toolkit.cuda_home() is None, reason="no nvcc of torch's CUDA version on this machine")
@pytest.mark.parametrize(
    "source, kernels, access",
    [
        ("06_vec4/vec4.cu", r"add_kernel_vec4|unrolledI6float4", "ld|st"),
        ("09_library/bias_gelu.cu", r"_kernelI\wLi[24]E", "st"),  # a pack of the bias may reach into the next row
        ("13_softmax/softmax.cu", r"_kernelI.*Li[48]E", "ld|st"),
        ("13_softmax/rms_norm.cu", r"_kernelI.*Li[48]E", "ld|st"),
    ],
    ids=["vec4", "bias_gelu", "softmax", "rms_norm"],
)
def test_a_pack_is_one_access(source, kernels, access, tmp_path):
    """nvcc may make four accesses of one: C++ does not tell it to make one. Results stay right, but on an H200 chapter 13's
    cluster lost a tenth of its speed, and its half types two thirds. 3 s each."""
    ptx, file = tmp_path / "ptx", ROOT / "chapters" / source
    output(toolkit.cuda_home() / "bin" / "nvcc", "-std=c++17", "-arch=sm_90", *INCLUDES, "-ptx", file, "-o", ptx)
    entries = {entry.partition("(")[0]: entry for entry in ptx.read_text().split(".entry ")[1:]}
    names = [name for name in entries if re.search(kernels, name) and "Li1ELi" not in name]
    assert names
    for name in names:
        kinds = set(re.findall(rf"(?:{access})\.global[.:\w]*", entries[name]))
        assert kinds and all(re.search(r"v4\.\w32|v2\.\w64", kind) for kind in kinds), (name, kinds)


def test_speed_of_cuda_on_cpu_can_be_measured():
    lines = output(sys.executable, "-m", "tools.maintain.bench_cuda_on_cpu").splitlines()
    assert [line.split()[0] for line in lines] == ["g++", "add", "sum_shuffle", "sum_tree"]
    assert all(re.search(r" \d+\.\d\d ms ", line) for line in lines[1:])
