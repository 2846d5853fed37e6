"""`pip install ./cuda_on_cpu` into an environment of its own: the command, the package, and which copy is used where."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.cuda_on_cpu.building import ROOT, need
from tests.support import write

pytestmark = [pytest.mark.thorough, pytest.mark.xdist_group("installed")]
OWN = """\
#include <cstdio>
__global__ void twice(float* a, const float* b) {
    a[threadIdx.x] = 2 * __ldg(b + threadIdx.x);
}
int main(int count, char**) {
    float *a, *b;
    cudaMallocManaged(&a, 128);
    cudaMallocManaged(&b, 128);
    if (count == 1) cudaMemset(b, 0, 128);
    twice<<<1, 32>>>(a, b + count - 1);
    printf("%g\\n", a[0]);
}
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory) -> Path:
    """A virtual environment with nothing but this package in it; torch and setuptools are from here."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder)
    (site_packages(folder) / "here.pth").write_text(sysconfig.get_path("purelib"))
    shutil.rmtree(ROOT / "build/wheel-cuda_on_cpu", ignore_errors=True)  # a file that is deleted here is still there
    pip = [sys.executable, "-m", "pip", "--python", folder / "bin/python", "install", "--no-index"]
    run(*pip, "--no-build-isolation", "--no-deps", ROOT / "cuda_on_cpu", cwd=folder)
    return folder


def site_packages(environment: Path) -> Path:
    return next(environment.glob("lib/python*/site-packages"))


def run(*command, cwd: Path, fails: bool = False, **variables: str) -> str:
    """What it has printed. Nothing leads to this repository, and nothing to the cache of another test."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PIP_", "CUDA_ON_CPU", "CXX"))}
    env |= {"HOME": str(cwd), "PIP_CONFIG_FILE": os.devnull, **variables}
    command = [str(word) for word in command]
    done = subprocess.run(command, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert fails == (done.returncode != 0), done.stdout
    return done.stdout


def test_every_file_is_installed(environment):
    installed = site_packages(environment) / "cuda_on_cpu"
    here = {file.relative_to(ROOT / "cuda_on_cpu") for file in (ROOT / "cuda_on_cpu").rglob("*") if file.is_file()}
    here = {file for file in here if not any(part.endswith((".egg-info", "__pycache__")) for part in file.parts)}
    there = {file.relative_to(installed) for file in installed.rglob("*") if file.is_file() and file.suffix != ".pyc"}
    assert {str(file) for file in here - there} == {"pyproject.toml", "setup.cfg"} and not there - here


def test_the_command(environment, tmp_path):
    """Its own headers are none of the reader's: the line that uses __ldg() is. HOME has the cache, or what is told."""
    need("g++")
    write(tmp_path / "own.cu", OWN)
    command = environment / "bin/cuda-on-cpu"
    first, again = (run(command, "run", "own.cu", cwd=tmp_path) for _ in range(2))
    assert "\n0\nmemory  nothing was checked: cuda-on-cpu check, " in first.replace("\n  ", ""), first
    assert again.startswith("0\nmemory  nothing was checked: "), again
    found = run(command, "check", "own.cu", "behind", cwd=tmp_path, fails=True)
    assert "uninitialised memory: " in found or "out of bounds: " in found
    assert "        own.cu:3            a[threadIdx.x] = 2 * __ldg(b + threadIdx.x);\n" in found, found
    table = run(command, "microscope", "own.cu", cwd=tmp_path)
    assert "     3  a[threadIdx.x] = 2 * __ldg(b + threadIdx.x);\n        global load" in table
    assert list((tmp_path / ".cache/cuda_on_cpu/programs").iterdir())
    run(command, "run", "own.cu", cwd=tmp_path, CUDA_ON_CPU_CACHE=str(tmp_path / "elsewhere"))
    assert list((tmp_path / "elsewhere/programs").iterdir())


def test_an_extension(environment, tmp_path):
    write(tmp_path / "own.cu", OWN)
    text = "from cuda_on_cpu.torch_extension import BuildExtension, CUDAExtension, INCLUDE\n"
    text += (
        "made = CUDAExtension('own', ['own.cu'])\nprint(made.sources[0], str(INCLUDE) in made.include_dirs, INCLUDE)"
    )
    printed = run(environment / "bin/python", "-c", text, cwd=tmp_path, CUDA_ON_CPU="1").splitlines()[-1]
    assert printed == f"build/cuda_on_cpu/own/own.cu.cpp True {site_packages(environment) / 'cuda_on_cpu/include'}"
    assert "cuda_on_cpu::launch" in (tmp_path / "build/cuda_on_cpu/own/own.cu.cpp").read_text()


def test_in_the_repository_its_own_copy_is_used(environment, tmp_path):
    """By what starts in the root, and by a lesson that starts anywhere."""
    where = "import cuda_on_cpu; print(cuda_on_cpu.__file__)"
    lesson = f"import runpy; runpy.run_path({str(ROOT / 'chapters/03_add2/main.py')!r}, run_name='lesson'); {where}"
    own = f"{ROOT / 'cuda_on_cpu/__init__.py'}\n"
    python = environment / "bin/python"
    assert run(python, "-c", where, cwd=ROOT) == own
    assert run(python, "-c", lesson, cwd=tmp_path, CHAPTERS_DEVICE="cpu") == own
    assert run(python, "-c", where, cwd=tmp_path) == f"{site_packages(environment) / 'cuda_on_cpu/__init__.py'}\n"
