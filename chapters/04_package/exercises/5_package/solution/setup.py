"""How the C++ and CUDA part is compiled. The headers in common/ are in the folder `root`."""

import sys
from pathlib import Path

import torch
from setuptools import setup

root = next(folder for folder in Path(__file__).resolve().parents if (folder / "common" / "cuda_check.h").exists())
sys.path.insert(0, str(root))
from common.cpp_extension import BuildExtension, CUDAExtension  # without a GPU, they build for the CPU

flags = {"cxx": ["-O0", "-g0"], "nvcc": []}  # for extra_compile_args; -O0: the compiler is done sooner

# your code
setup(
    ext_modules=[
        CUDAExtension(
            name="scaling.kernel",
            sources=["scaling.cpp", "scaling_kernel.cu"],
            include_dirs=[str(root)],
            extra_compile_args=flags,
        )
    ],
    cmdclass={"build_ext": BuildExtension},
    install_requires=[f"torch=={'.'.join(torch.__version__.split('.')[:2])}.*"],
)
# end of your code
