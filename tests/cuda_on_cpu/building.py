"""Programs of this room: compiled when they are not up to date, and run. Needs no torch."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from cuda_on_cpu import programs
from tests.support import ROOT

PROGRAMS = ROOT / "tests" / "cuda_on_cpu" / "programs"
KEPT = ROOT / "build" / "tests" / "cuda_on_cpu"  # what this run compiles and the next one finds

WARNINGS = ["-Wall", "-Wextra", "-Werror"]
COMPILERS = {
    "g++": ["g++", "-std=c++17"],
    "clang++": ["clang++", "-std=c++20"],
    "aarch64": ["aarch64-linux-gnu-g++", "-std=c++17", "-static"],
}
PACKAGES = {  # of Debian and Ubuntu, where the name is another than the program's
    "clang++": "clang",
    "aarch64-linux-gnu-g++": "g++-aarch64-linux-gnu",
    "qemu-aarch64": "qemu-user",
}


def both_orders(test):
    """Runs the test in both thread orders, in one process: the second run finds what the first has compiled."""
    return pytest.mark.parametrize("reverse", [False, True])(pytest.mark.xdist_group(test.__name__)(test))


def need(program: str) -> None:
    if not shutil.which(program):
        pytest.skip(f"{program} not found: apt-get install {PACKAGES.get(program, program)}")


def build(names: str | Path | list[str], compiler: str, *flags: str, out: str = "") -> Path:
    """The compiled programs/<name>.cu (or several in one, or that .cu), with these flags; compiled only when something has
    changed.

    `out` tells builds of the same program with different flags apart.
    """
    command, *standard = COMPILERS[compiler]
    need(command)
    names = names if isinstance(names, list) else [names]
    cus = [PROGRAMS / f"{name}.cu" if isinstance(name, str) else name for name in names]
    program = KEPT / "programs" / compiler / (out or cus[0].stem)
    programs.build(cus, program, [command], [*standard, "-O1", *flags, f"-I{PROGRAMS}", f"-I{ROOT}"])
    return program


def build_with_nvcc(cu: Path) -> Path | None:
    """The program, where there is a GPU. Else nvcc only does its own part of the work: -ptx leaves out the host's compiler."""
    import torch

    from common import device, toolkit

    if toolkit.cuda_home() is None:
        pytest.skip("no nvcc of torch's CUDA version on this machine")
    made = KEPT / "nvcc" / cu.stem
    made.parent.mkdir(parents=True, exist_ok=True)
    on_gpu = device.type == "cuda"
    if wgmma := "hopper_wgmma.h" in cu.read_text():  # of Hopper alone
        on_gpu = on_gpu and torch.cuda.get_device_capability() == (9, 0)
    kind = [f"-arch={'sm_90a' if wgmma else 'native'}", "-O1"] if on_gpu else [f"-arch=sm_90{'a' * wgmma}", "-ptx"]
    command = [toolkit.cuda_home() / "bin/nvcc", *kind, f"-I{PROGRAMS}", f"-I{ROOT}", cu, "-o", made]
    done = run(*command)
    assert done.returncode == 0, done.stdout + done.stderr
    return made if on_gpu else None


def expect_ok(*command) -> None:
    """That program prints ok, and nothing else, in both thread orders. (A GPU has none, and runs it twice.)"""
    for reverse in (False, True):
        result = run(*command, reverse=reverse)
        assert (result.returncode, result.stdout) == (0, "ok\n"), f"{reverse=} {result.stdout}{result.stderr}"


def run(*command, reverse: bool = False, **environment: str) -> subprocess.CompletedProcess:
    env = {**os.environ, "CUDA_REVERSE": str(int(reverse)), **environment}
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, env=env, timeout=60)


def line_of(name: str, mark: str) -> int:
    """The number of the line that ends in `// LINE mark`."""
    lines = (PROGRAMS / f"{name}.cu").read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if line.endswith(f"// LINE {mark}"))
