"""CUDA on CPU: the same .cu on a machine without a GPU. README.md says how it works. Needs no torch."""

from pathlib import Path

from .translate import TranslationError, names_cuda, translate, translate_file

# The folder with cuda_runtime.h and the stand-ins for torch's CUDA headers. It must come before torch's own folders.
INCLUDE = Path(__file__).resolve().parent / "include"

# What every file of such a build is compiled with, .cpp and translated .cu alike.
CFLAGS = ["-DCUDA_ON_CPU"]

__all__ = ["CFLAGS", "INCLUDE", "TranslationError", "names_cuda", "translate", "translate_file"]
