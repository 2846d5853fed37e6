"""What the chapters share: building an operator, checking it and timing it, with a GPU or without one.

from common import bench, check, device, title
from common.cpp_extension import load
"""

import importlib
import os
import sys
from pathlib import Path

# Imported when asked for: tools that need no torch import other modules of this package.
_HOME = {"autograd_of": "timing", "bench": "timing", "check": "checking", "device": "machine", "title": "machine"}
__all__ = list(_HOME)

os.environ.setdefault("CUDA_ON_CPU_CACHE", str(Path(__file__).resolve().parents[1] / "build" / "cuda_on_cpu"))


def __getattr__(name):
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    except ImportError as error:
        if error.name != "torch":
            raise
        sys.exit(
            f"{sys.executable} cannot import torch: {error}\n"
            "Run `make setup` once; then `make chapter03` finds the right Python, or start .venv/bin/python."
        )
