"""C++ programs with no Python: the harness of common/*.h, with each compiler; and how fast CUDA on CPU is."""

import re
import subprocess
import sys

import pytest

from tests.cuda_on_cpu.building import WARNINGS, build, build_with_nvcc, expect_ok
from tests.support import ROOT

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize("compiler", ["g++", "clang++", "nvcc"])
@pytest.mark.parametrize("name", ["harness", "wrong_launchers"])
def test_harness(name, compiler):
    """nvcc's runs where there is a GPU. 3 s each."""
    cu = ROOT / f"tests/common/{name}.cu"
    program = build_with_nvcc(cu) if compiler == "nvcc" else build(cu, compiler, "-O0", *WARNINGS)
    if program:
        expect_ok(program)


def test_speed_of_cuda_on_cpu_can_be_measured():
    command = [sys.executable, "-m", "tools.maintain.bench_cuda_on_cpu"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["g++", "add", "sum_shuffle", "sum_tree"]
    assert all(re.search(r" \d+\.\d\d ms ", line) for line in lines[1:])
