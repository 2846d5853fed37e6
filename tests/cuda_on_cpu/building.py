"""Programs of this room: compiled when they are not up to date, and run. Needs no torch."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from cuda_on_cpu import CFLAGS, INCLUDE, translate_file

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAMS = HERE / "programs"
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


def state_of(command: list[str], cpps: list[Path]) -> str:
    """Changes with the command, the compiler, the translated sources and every header that they may include."""
    digest = hashlib.sha256("\0".join(command).encode())
    compiler = os.stat(shutil.which(command[0]))
    digest.update(f"{compiler.st_size} {compiler.st_mtime_ns}".encode())
    for file in [*cpps, *sorted(p for p in [*INCLUDE.rglob("*"), *PROGRAMS.glob("*.h")] if p.is_file())]:
        digest.update(file.read_bytes())
    return digest.hexdigest()


def build(names: str | list[str], compiler: str, *flags: str, out: str = "") -> Path:
    """The compiled programs/<name>.cu (or several in one), with these flags; compiled only when something has changed.

    `out` tells builds of the same program with different flags apart.
    """
    names = [names] if isinstance(names, str) else names
    need(COMPILERS[compiler][0])
    folder = KEPT / compiler / (out or Path(names[0]).name)
    folder.mkdir(parents=True, exist_ok=True)
    cpps = [folder / f"{Path(name).name}.cpp" for name in names]
    for name, cpp in zip(names, cpps, strict=True):
        translate_file(PROGRAMS / f"{name}.cu", cpp)
    program, state_file = folder / "program", folder / "state"
    command = [*COMPILERS[compiler], "-O1", "-g", *flags, *CFLAGS, f"-I{INCLUDE}", f"-I{PROGRAMS}", "-pthread"]
    command += map(str, cpps)
    state = state_of(command, cpps)
    if not (program.exists() and state_file.exists() and state_file.read_text() == state):
        # Under another name first: a test in another process may do the same now.
        new = folder / f"program.{os.getpid()}"
        result = subprocess.run([*command, "-o", str(new)], capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
        new.replace(program)
        state_file.write_text(state)
    return program


def run(*command, reverse: bool = False, **environment: str) -> subprocess.CompletedProcess:
    env = {**os.environ, "CUDA_REVERSE": str(int(reverse)), **environment}
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, env=env, timeout=60)


def line_of(name: str, mark: str) -> int:
    """The number of the line that ends in `// LINE mark`."""
    lines = (PROGRAMS / f"{name}.cu").read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if line.endswith(f"// LINE {mark}"))
