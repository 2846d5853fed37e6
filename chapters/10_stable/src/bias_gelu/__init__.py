"""bias_gelu(x, bias) = gelu(x + bias), as torch.ops.chapter10.bias_gelu.

The library knows no Python: torch loads it, and it enters its operators in torch's dispatcher. So one file serves every
Python, and every torch from 2.11 on.
"""

from pathlib import Path

import torch

__version__ = "0.1.0"

torch.ops.load_library(Path(__file__).with_name("_C.abi3.so"))
from . import registration  # noqa: E402, F401  it needs the operators
