"""Chooses the CUDA toolkit that compiles a .cu, by torch's CUDA version. Needs neither torch nor `common`: `make doctor`
asks the same question where torch is missing.
"""

import functools
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

USUAL = Path("/usr/local/cuda")


def candidates(cuda: str) -> Iterator[Path]:
    """Folders that may be a toolkit for torch.version.cuda. Of those of one version the first counts: the reader's own."""
    if os.environ.get("CUDA_HOME"):
        yield Path(os.environ["CUDA_HOME"])
    for place in sysconfig.get_path("purelib"), sysconfig.get_path("platlib"):
        yield Path(place) / "nvidia" / f"cu{cuda.split('.')[0]}"
    if nvcc := shutil.which("nvcc"):
        yield Path(nvcc).resolve().parents[1]
    yield USUAL


@functools.cache
def version(home: Path) -> str | None:
    """'13.0' for the nvcc in that folder, None where there is none that runs."""
    try:
        text = subprocess.run([home / "bin" / "nvcc", "--version"], capture_output=True, text=True).stdout
    except OSError:
        return None
    release = re.search(r"release (\d+\.\d+)", text)
    return release and release[1]


def choose(cuda: str, homes: Iterable[Path]) -> Path | None:
    """The first toolkit of torch's exact CUDA version, else the first of its major version, else None.

    So a CUDA_HOME of another version does not win over the toolkit that was installed for this torch.
    """
    found = [home for home in homes if version(home)]
    same = [home for home in found if version(home) == cuda]
    major = [home for home in found if version(home).split(".")[0] == cuda.split(".")[0]]
    return next(iter(same + major), None)


def install(cuda: str) -> str:
    """The command that installs such a toolkit beside torch."""
    return f"{shlex.quote(sys.executable)} -m pip install 'cuda-toolkit[nvcc,crt,nvvm,cccl]=={cuda}.*'"
