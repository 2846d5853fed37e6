"""Finds what compiles a .cu: the CUDA toolkit whose version is torch's own, and ninja.

torch looks at CUDA_HOME, then for nvcc on the PATH. That misses the toolkit that pip installs beside torch, and takes a
toolkit of another CUDA version without a word until the build fails. So this module chooses, and sets CUDA_HOME before
torch.utils.cpp_extension reads it.
"""

import functools
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import torch

from .progress import BuildError


def _candidates():
    """Folders that may be a CUDA toolkit. Among those of one version the first counts: the reader's own choice."""
    if os.environ.get("CUDA_HOME"):
        yield Path(os.environ["CUDA_HOME"])
    for place in sysconfig.get_path("purelib"), sysconfig.get_path("platlib"):
        yield Path(place) / "nvidia" / f"cu{torch.version.cuda.split('.')[0]}"
    if nvcc := shutil.which("nvcc"):
        yield Path(nvcc).resolve().parents[1]
    yield Path("/usr/local/cuda")


@functools.cache
def _version(home: Path) -> str | None:
    """'13.0' for the nvcc in that folder, None where there is none that runs."""
    try:
        text = subprocess.run([home / "bin" / "nvcc", "--version"], capture_output=True, text=True).stdout
    except OSError:
        return None
    release = re.search(r"release (\d+\.\d+)", text)
    return release and release[1]


@functools.cache
def cuda_home() -> Path | None:
    """The toolkit to build with: one of torch's exact CUDA version, else of its major version, else None.

    So a CUDA_HOME of another version does not win over the toolkit that was installed for this torch.
    """
    if torch.version.cuda is None:
        return None
    found = [home for home in _candidates() if _version(home)]
    same = [home for home in found if _version(home) == torch.version.cuda]
    major = [home for home in found if _version(home).split(".")[0] == torch.version.cuda.split(".")[0]]
    return next(iter(same + major), None)


def nvcc_version() -> str:
    """The version of the nvcc that builds the lessons, as '13.0', or 'not found'."""
    home = cuda_home()
    return _version(home) if home else "not found"


def require() -> None:
    """Raises BuildError, with the command that helps, when no .cu can be built for a GPU."""
    if torch.version.cuda is None:
        raise BuildError(f"torch {torch.__version__} is built without CUDA, so there is no GPU to build for")
    if cuda_home() is None:
        found = "".join(f"\n{home} has nvcc {_version(home)}" for home in _candidates() if _version(home))
        raise BuildError(
            f"torch {torch.__version__} needs an nvcc of CUDA {torch.version.cuda}, and there is none{found}\n"
            f"{sys.executable} -m pip install 'cuda-toolkit[nvcc,crt,nvvm,cccl]=={torch.version.cuda}.*'"
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
