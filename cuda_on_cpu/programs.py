"""Builds a program of one or several .cu with a main(): as it is, or so that the memory check sees each access."""

from __future__ import annotations

import concurrent.futures
import hashlib
import os
import shlex
import subprocess
from collections.abc import Iterable
from pathlib import Path

from . import CFLAGS, INCLUDE, cache, memory_check, translate_file


def compiler() -> list[str]:
    """The command of the compiler: the environment's CXX, else g++, which the microscope needs."""
    return memory_check.compiler("g++")


def flags() -> list[str]:
    """More flags for it: the environment's CXXFLAGS."""
    return shlex.split(os.environ.get("CXXFLAGS", ""))


def place(cu: Path) -> Path:
    """Where the program of that .cu is built; the folder exists."""
    folder = cache() / "programs"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{cu.stem}_{hashlib.sha256(os.fsencode(cu.resolve())).hexdigest()[:8]}"


def build(
    cus: list[Path], program: Path, compiler: list[str], flags: Iterable[str] = (), *, checked: bool = False
) -> None:
    """Compiles a program of these .cu, as many at a time as there are cores.

    Raises TranslationError, or subprocess.CalledProcessError where the compiler has printed what is wrong.
    """
    more = memory_check.cflags(compiler) if checked else ["-O2", "-g"]
    link = memory_check.ldflags(compiler) if checked else []

    def compiled(cu: Path) -> Path:
        made = program.with_name(f"{program.name}_{cu.stem}.o")
        cpp = made.with_suffix(".cpp")
        translate_file(cu, cpp, [Path(flag[2:]) for flag in flags if flag.startswith("-I")])
        own = ["-std=c++17", *CFLAGS, f"-I{INCLUDE}", f"-I{cu.resolve().parent}", "-pthread"]
        subprocess.run([*compiler, *own, *flags, *more, "-c", cpp, "-o", made], check=True)
        return made

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compiled, cus))
    subprocess.run([*compiler, *objects, "-o", program, "-pthread", *link], check=True)
