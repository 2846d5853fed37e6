"""Drives CMake for a lesson: configures the repository's CMakeLists.txt once, builds targets, shows the progress."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from . import progress, toolkit
from .cpp_extension import SANITIZE, SANITIZE_LINK, extension_folder, writable
from .machine import device

ROOT = Path(__file__).resolve().parents[1]


def build(name: str, sources: list[str], targets: list[str], root: Path = ROOT, folder: Path | None = None) -> Path:
    """Builds these targets of root's CMakeLists.txt, and returns the build folder.

    name and sources are for what the reader sees. Unless given, the folder is one for this torch, Python and device.
    """
    toolkit.prepare()  # for ninja
    if device.type == "cuda":
        toolkit.require()
    cmake = program("cmake", "cmake>=3.30")
    ninja = program("ninja", "ninja")
    folder = folder or extension_folder("cmake")
    with progress.watch(name, sources, writable(folder)):
        # Configured once; then ninja runs cmake by itself when a CMakeLists.txt has changed. The memory check's library has
        # another name when its sources have changed.
        if not _is_configured(folder, root) or SANITIZE:
            options = ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}", f"-DPython_EXECUTABLE={sys.executable}"]
            if SANITIZE:
                options += [f"-DCMAKE_CXX_FLAGS={' '.join(SANITIZE)}"]
                link = " ".join(SANITIZE_LINK)
                options += [f"-DCMAKE_{kind}_LINKER_FLAGS={link}" for kind in ("SHARED", "MODULE", "EXE")]
            _run(cmake, "-S", root, "-B", folder, *options)
        _run(cmake, "--build", folder, "--target", *targets)
    return folder


def _is_configured(folder: Path, root: Path) -> bool:
    """Whether CMake's files there can be used. Removes them where root was moved since."""
    cache = folder / "CMakeCache.txt"
    if cache.exists() and f"CMAKE_HOME_DIRECTORY:INTERNAL={root}\n" not in cache.read_text(errors="replace"):
        for entry in folder.iterdir():
            if entry.name != ".in_use":  # our lock
                shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
    return (folder / "build.ninja").exists()


def program(name: str, package: str) -> str:
    """A program that pip has put beside this Python, or one on the PATH."""
    found = shutil.which(name, path=os.path.dirname(sys.executable)) or shutil.which(name)
    if not found:
        raise progress.BuildError(
            f"{name} not found. This installs it:\n    {sys.executable} -m pip install '{package}'"
        )
    return found


def _run(*command) -> None:
    environment = os.environ | {"CHAPTERS_DEVICE": device.type}
    done = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )
    if done.returncode != 0:
        raise progress.BuildFailure(done.stdout)
