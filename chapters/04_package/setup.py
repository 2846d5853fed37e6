"""How the C++ and CUDA part is compiled, which pyproject.toml cannot say."""

import os
import sys
from pathlib import Path

from setuptools import setup

try:
    import torch
except ModuleNotFoundError as error:
    sys.exit(
        f"{error} (in {sys.executable})\n"
        "By default pip builds in an empty environment. This builds with the torch that you have:\n"
        "    pip install --no-build-isolation ."
    )

here = Path(__file__).resolve().parent
root = next((f for f in [here, *here.parents] if (f / "common" / "cuda_check.h").exists()), None)
if root is None:
    sys.exit(
        f"{here} needs common/cuda_check.h, check_tensor.h and grid.h, in a folder common/ beside setup.py or above it"
    )
sys.path.insert(0, str(root))
# A project of your own has only headers in common/. It uses torch's own classes, which need nvcc.
try:
    from common.cpp_extension import BuildExtension, CUDAExtension
except ModuleNotFoundError:
    from torch.utils.cpp_extension import BuildExtension, CUDAExtension

flags = {"cxx": ["-O2", "-g0"], "nvcc": ["-O3"]}  # setuptools repeats the flags of Python, which was built with -g
if os.environ.get("DEBUG"):
    flags = {
        "cxx": ["-g", "-O0"],
        "nvcc": ["-g", "-G", "-O0"],
    }  # -G: cuda-gdb can step through the kernel, which becomes slow
if os.environ.get("FAST_MATH"):
    flags["nvcc"].append("--use_fast_math")

setup(
    ext_modules=[
        CUDAExtension(
            name="my_cuda_extension.my_kernel",
            sources=["package.cpp", "package_kernel.cu"],
            include_dirs=[str(root)],  # for common/cuda_check.h
            extra_compile_args=flags,
        )
    ],
    cmdclass={"build_ext": BuildExtension},
    # The .so fits only the torch release it was compiled with, such as 2.11.*. `pip check` reports any other release.
    install_requires=[f"torch=={'.'.join(torch.__version__.split('.')[:2])}.*"],
)
