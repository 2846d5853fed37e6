"""gelu(x + bias), as torch.ops.chapter10.bias_gelu.

The library beside this file does not use Python. torch loads it, and it enters its operators in the dispatcher. That is why
one file serves every Python from 3.10 on and every torch from 2.11 on.
"""

from pathlib import Path

import torch

__version__ = "0.1.0"

torch.ops.load_library(Path(__file__).with_name("_C.abi3.so"))
from . import library, registration  # noqa: E402  both need the operators. library.py is chapter 09's

library.register("chapter10", registration.device_type)
