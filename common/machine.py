"""Where kernels run: on the GPU if there is one, else on the CPU. CHAPTERS_DEVICE=cpu or =cuda decides instead."""

import os
import platform
import subprocess
import sys

import torch

from cuda_on_cpu import memory_check

from . import toolkit


def _choose() -> torch.device:
    gpu = torch.cuda.is_available() and torch.version.cuda  # torch also calls AMD's GPUs cuda
    wanted = os.environ.get("CHAPTERS_DEVICE") or ("cuda" if gpu else "cpu")
    if wanted not in ("cpu", "cuda"):
        sys.exit(f"CHAPTERS_DEVICE must be cpu or cuda, got {wanted!r}")
    return torch.device(wanted)


# A lesson's tensors are made with device=device. A machine without a GPU can also build for cuda.
device = _choose()


def has_wgmma() -> bool:
    """Whether kernels run here that use wgmma (chapter 18): a GPU of compute capability 9.0, or CUDA on CPU."""
    return device.type == "cpu" or torch.cuda.get_device_capability(device) == (9, 0)


def title(chapter: int, *subjects: str) -> None:
    """Prints a lesson's first line: what it is, on which machine, with which torch and compiler.

    Ends the program with a clear message when the lesson is to run on a GPU and torch sees none.
    """
    if hasattr(sys.stdout, "reconfigure"):  # a notebook's stdout lacks it
        sys.stdout.reconfigure(errors="replace", line_buffering=True)  # an ASCII terminal; `make chapter03 | tee log`
    if device.type == "cuda":
        if not torch.cuda.is_available():
            sys.exit("CHAPTERS_DEVICE=cuda, but torch sees no GPU. Unset it to run the lesson on the CPU.")
        where = f"{torch.cuda.get_device_name()} · torch {torch.__version__} · nvcc {toolkit.nvcc_version()}"
    else:
        where = f"CUDA on CPU ({platform.machine()}) · torch {torch.__version__} · {_host_compiler()}"
    print(f"{' · '.join([f'chapter {chapter:02}', *subjects]):<40} {where}")


def _host_compiler() -> str:
    program, *words = memory_check.compiler()
    command = [program, *words, "-dumpfullversion", "-dumpversion"]
    try:
        version = subprocess.run(command, capture_output=True, text=True).stdout
    except OSError:
        version = ""
    return f"{' '.join([os.path.basename(program), *words])} {version.split()[0] if version else 'not found'}"
