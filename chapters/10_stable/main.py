"""Chapter 10: the operator of chapter 09 by torch's stable ABI, as a package that is built once.

python chapters/10_stable/main.py                 build the library alone, check, time
python chapters/10_stable/main.py --wheel         build the package, look into it, import it in every Python that is here
python chapters/10_stable/main.py --build-times   what it takes to compile a binding by each of the ways
python chapters/10_stable/main.py --sizes 10 26   time 2^10 and 2^26 elements
"""

import argparse
import functools
import importlib.util
import sys
from pathlib import Path

import torch

here = Path(__file__).resolve().parent
root = here.parents[1]
sys.path.insert(0, str(root))  # so that `common` is found, wherever you start this file from

from common import bench, check, device, title
from common.cpp_extension import load

TARGET = "-DTORCH_TARGET_VERSION=0x020b000000000000"  # as in setup.py
COLUMNS = 256


@functools.cache  # an operator is entered in the dispatcher once
def build():
    """The library without a package, rebuilt on every change; and its part in Python."""
    load(
        name="bias_gelu_stable",
        sources=[str(here / "bias_gelu.cpp"), str(here / "bias_gelu_kernel.cu")],
        extra_include_paths=[str(root)],
        extra_cflags=["-O2", "-DUSE_CUDA", TARGET],
        extra_cuda_cflags=[TARGET],
        is_python_module=False,
    )
    library, registration = (python_part(name) for name in ("library", "registration"))
    library.register(registration.device_type)
    return torch.ops.chapter10


def python_part(name):
    """A module of src/bias_gelu. `import bias_gelu` would look for the package's own library."""
    spec = importlib.util.spec_from_file_location(f"bias_gelu_{name}", here / "src" / "bias_gelu" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
