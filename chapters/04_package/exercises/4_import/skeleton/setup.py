"""How the C++ and CUDA part is compiled."""

import sys
from pathlib import Path

import torch  # where it is missing, this line says so
from setuptools import setup

root = next(folder for folder in Path(__file__).resolve().parents if (folder / "common" / "cuda_check.h").exists())
sys.path.insert(0, str(root))
from common.cpp_extension import BuildExtension, CUDAExtension  # without a GPU, they build for the CPU

flags = {"cxx": ["-O0", "-g0"], "nvcc": []}  # -O0: the compiler does not optimise, and is done sooner

setup(
    ext_modules=[
        CUDAExtension(
            # your code
            name="scaling.kernel",
            sources=["scaling.cpp"],
            # end of your code
            include_dirs=[str(root)],  # for common/cuda_check.h
            extra_compile_args=flags,
        )
    ],
    cmdclass={"build_ext": BuildExtension},
)
