"""CUDA on CPU: the same .cu on a machine without a GPU. README.md says how it works. Needs no torch."""

import os
from pathlib import Path

# Not the function translate(): its name would hide the module.
from .translate import TranslationError, names_cuda, translate_file

# The folder with cuda_runtime.h and the stand-ins for torch's CUDA headers. It must come before torch's own folders.
INCLUDE = Path(__file__).resolve().parent / "include"

# What every file of such a build is compiled with, .cpp and translated .cu alike.
CFLAGS = ["-DCUDA_ON_CPU", "-Wno-psabi"]  # g++ has a note about each kernel that takes a CUtensorMap


def cache() -> Path:
    """Where what is compiled is kept: the environment's CUDA_ON_CPU_CACHE, else ~/.cache/cuda_on_cpu."""
    return Path(os.environ.get("CUDA_ON_CPU_CACHE") or Path.home() / ".cache" / "cuda_on_cpu")


__version__ = "0.1.0"
__all__ = ["CFLAGS", "INCLUDE", "TranslationError", "cache", "names_cuda", "translate_file"]
