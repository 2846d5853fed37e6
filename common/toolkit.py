"""Finds what compiles a .cu: the CUDA toolkit whose version is torch's own, and ninja.

torch looks at CUDA_HOME, then for nvcc on the PATH. That misses the toolkit that pip installs beside torch, and takes a
toolkit of another CUDA version without a word until the build fails. So find_cuda.py chooses, and this module sets
CUDA_HOME before torch.utils.cpp_extension reads it.
"""

import contextlib
import functools
import hashlib
import os
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

import torch

from . import find_cuda
from .progress import BuildError

COMPLETED = Path(__file__).resolve().parents[1] / "build" / "cuda"  # toolkits of links: see _completed()


def _candidates() -> list[Path]:
    return list(find_cuda.candidates(torch.version.cuda))


@functools.cache
def cuda_home() -> Path | None:
    """The toolkit to build with: one of torch's exact CUDA version, else of its major version, else None."""
    if torch.version.cuda is None:
        return None
    home = find_cuda.choose(torch.version.cuda, _candidates())
    return home and _completed(home)


def _completed(home: Path) -> Path:
    """That toolkit; or a folder of links to all that it has, where it lacks the names that linkers look for.

    -lcudart means libcudart.so, and NVIDIA's packages on PyPI have libcudart.so.13 only. The reader's Python is not ours
    to change, so the missing links lie in build/cuda/, in a folder that any build takes for a toolkit. Its name changes
    with the toolkit's files.
    """
    home = home.absolute()
    if (home / "lib" / "libcudart.so").exists() or not any(home.glob("lib/libcudart.so.*")):
        return home
    # nvcc looks for its neighbours in bin/.., and for a bin/ that is itself a link, .. would be the toolkit again.
    entries = [entry for entry in home.iterdir() if entry.name not in ("bin", "lib")]
    entries += [*home.glob("bin/*"), *home.glob("lib/*")]
    links = {str(entry.relative_to(home)): entry for entry in entries}
    for library in sorted(home.glob("lib/lib*.so.*")):
        links.setdefault(f"lib/{library.name.partition('.so.')[0]}.so", library)
    folder = COMPLETED / hashlib.sha256(repr(sorted(links.items())).encode()).hexdigest()[:12]
    # Where build/ cannot be written, the build says so. Two processes may get here at once: each makes a folder of its
    # own, and the first to rename it wins.
    with contextlib.suppress(OSError):
        COMPLETED.mkdir(parents=True, exist_ok=True)
        if not folder.exists():
            with tempfile.TemporaryDirectory(dir=COMPLETED) as making:
                for name, target in links.items():
                    link = Path(making, "toolkit", name)
                    link.parent.mkdir(parents=True, exist_ok=True)
                    link.symlink_to(target)
                os.rename(Path(making, "toolkit"), folder)
    return folder if folder.exists() else home


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
    if not os.environ.get("CXX", "c++").strip():
        del os.environ["CXX"]  # torch would start a compiler without a name
    scripts = os.path.dirname(sys.executable)  # pip puts ninja there; an environment need not be activated to be used
    if not shutil.which("ninja") and os.path.exists(os.path.join(scripts, "ninja")):
        os.environ["PATH"] = scripts + os.pathsep + os.environ.get("PATH", "")
