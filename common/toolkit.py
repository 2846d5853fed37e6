"""Finds what compiles a .cu: the CUDA toolkit whose version is torch's own, and ninja.

torch looks at CUDA_HOME, then for nvcc on the PATH. That misses the toolkit that pip installs beside torch, and takes a
toolkit of another CUDA version without a word until the build fails. So find_cuda.py chooses, and this module sets
CUDA_HOME before torch.utils.cpp_extension reads it.
"""

import functools
import os
import shlex
import shutil
import sys
from pathlib import Path

import torch

from . import find_cuda
from .progress import BuildError


def _candidates() -> list[Path]:
    return list(find_cuda.candidates(torch.version.cuda))


@functools.cache
def cuda_home() -> Path | None:
    """The toolkit to build with: one of torch's exact CUDA version, else of its major version, else None."""
    if torch.version.cuda is None:
        return None
    return find_cuda.choose(torch.version.cuda, _candidates())


def nvcc_version() -> str:
    """The version of the nvcc that builds the lessons, as '13.0', or 'not found'."""
    home = cuda_home()
    return find_cuda.version(home) if home else "not found"


def require() -> None:
    """Raises BuildError, with the command that helps, when no .cu can be built for a GPU."""
    if torch.version.cuda is None:
        raise BuildError(f"torch {torch.__version__} is built without CUDA, so there is no GPU to build for")
    if cuda_home() is None:
        there = [home for home in _candidates() if find_cuda.version(home)]
        found = "".join(f"\n{home} has nvcc {find_cuda.version(home)}" for home in there)
        raise BuildError(
            f"torch {torch.__version__} needs an nvcc of CUDA {torch.version.cuda}, and there is none{found}\n"
            f"{find_cuda.install(torch.version.cuda)}"
        )


def prepare() -> None:
    """Lets torch.utils.cpp_extension find the toolkit and ninja. Call it before importing that module."""
    if home := cuda_home():
        os.environ["CUDA_HOME"] = str(home)
        nvcc = str(home / "bin" / "nvcc")
        if shlex.quote(nvcc) != nvcc:  # torch before 2.15 does not quote it
            os.environ.setdefault("PYTORCH_NVCC", shlex.quote(nvcc))
    scripts = os.path.dirname(sys.executable)  # pip puts ninja there; an environment need not be activated to be used
    if not shutil.which("ninja") and os.path.exists(os.path.join(scripts, "ninja")):
        os.environ["PATH"] = scripts + os.pathsep + os.environ.get("PATH", "")
