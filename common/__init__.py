"""What the chapters share: building an operator, checking it and timing it, with a GPU or without one.

from common import bench, check, device, title
from common.cpp_extension import load
"""

import importlib.util
import os
import re
import shutil
import sys


def _require_packages() -> None:
    """Ends a lesson that a Python without torch has started, as `python chapters/03_add2/main.py` may: with one line that
    says how to start it."""
    missing = [name for name in ("torch", "numpy", "setuptools") if not importlib.util.find_spec(name)]
    if not importlib.util.find_spec("ninja") and not shutil.which("ninja"):  # conda's and Debian's is a program only
        missing.append("ninja")
    if missing:
        lesson = re.search(r"chapters/(\d\d)_\w+/main\.py$", os.path.abspath(sys.argv[0]))
        make, program = (f"chapter{lesson[1]}", lesson[0]) if lesson else ("setup", "...")
        sys.exit(f"This Python has no {', '.join(missing)}. Run: make {make}   (or .venv/bin/python {program})")


_require_packages()

from .checking import check  # noqa: E402
from .device import device, title  # noqa: E402
from .timing import autograd_of, bench  # noqa: E402

__all__ = ["autograd_of", "bench", "check", "device", "title"]
