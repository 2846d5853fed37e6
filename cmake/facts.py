"""What cmake/environment.cmake needs to know of the Python that has torch: a CMake list on stdout, or why there is none.

device;where torch's CMake files are;the CUDA toolkit;architectures for nvcc
"""

import importlib.util
import os
import sys
from pathlib import Path

if os.environ.get("CHAPTERS_DEVICE") == "cpu":  # torch need not be imported, which takes 2 s
    print("cpu", Path(importlib.util.find_spec("torch").origin).parent / "share" / "cmake", sep=";")
    sys.exit()

import torch

from common import toolkit
from common.machine import device

toolkit.prepare()
facts = [device.type, torch.utils.cmake_prefix_path]
if device.type == "cuda":
    try:
        toolkit.require()
    except RuntimeError as error:
        sys.exit(str(error))
    here = ".".join(map(str, torch.cuda.get_device_capability())) if torch.cuda.is_available() else "7.5+PTX"
    facts += [toolkit.cuda_home(), (os.environ.get("TORCH_CUDA_ARCH_LIST") or here).replace(";", " ")]
print(*facts, sep=";")
