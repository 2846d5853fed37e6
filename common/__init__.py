"""What the chapters share: building an operator, checking it and timing it, with a GPU or without one.

from common import bench, check, device, title
from common.cpp_extension import load
"""

import sys

try:
    import torch  # noqa: F401
except ImportError as error:
    sys.exit(
        f"{sys.executable} cannot import torch: {error}\n"
        "Run `make setup` once; then `make chapter03` finds the right Python, or start .venv/bin/python."
    )

from .checking import check
from .device import device, title
from .timing import autograd_of, bench

__all__ = ["autograd_of", "bench", "check", "device", "title"]
