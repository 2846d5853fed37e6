"""What the chapters share: building an operator, checking it and timing it, with a GPU or without one.

from common import bench, check, device, title
from common.cpp_extension import load
"""

import importlib.util
import os
import re
import shutil
import sys
from pathlib import Path

# Imported when asked for: tools that need no torch import other modules of this package.
_HOME = {"autograd_of": "timing", "bench": "timing", "check": "checking", "device": "machine", "title": "machine"}
_HOME |= {"Contest": "contest", "has_wgmma": "machine", "rounded_once": "checking"}
__all__ = list(_HOME)

# Where builds go. tools/maintain/docs.py names another folder, to record them from clean.
BUILD = Path(os.environ.get("CHAPTERS_BUILD") or Path(__file__).resolve().parents[1] / "build")
os.environ.setdefault("CUDA_ON_CPU_CACHE", str(BUILD / "cuda_on_cpu"))


def __getattr__(name):
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    _require_packages()
    from . import progress

    sys.excepthook = progress.excepthook  # before torch is imported, which takes seconds: somebody may press Ctrl-C
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)


def _require_packages() -> None:
    """Ends a lesson that was started by a Python without torch, with one line that says how to start it."""
    missing = [name for name in ("torch", "numpy", "setuptools") if not importlib.util.find_spec(name)]
    if not importlib.util.find_spec("ninja") and not shutil.which("ninja"):  # conda's and Debian's is a program only
        missing.append("ninja")
    if missing:
        lesson = re.search(r"chapters/(\d\d)_\w+/main\.py$", os.path.abspath(sys.argv[0]))
        make, program = (f"chapter{lesson[1]}", lesson[0]) if lesson else ("setup", "...")
        sys.exit(f"This Python has no {', '.join(missing)}. Run: make {make}   (or .venv/bin/python {program})")
