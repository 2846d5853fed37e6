"""A package with one operator, by the stable ABI: for torch 2.10 and later, and for Python 3.10 and later."""

import sys
from pathlib import Path

from setuptools import setup

root = next(folder for folder in Path(__file__).resolve().parents if (folder / "common" / "cpp_extension.py").exists())
sys.path.insert(0, str(root))
from common.cpp_extension import BuildExtension, CUDAExtension  # noqa: E402

# your code
target = "-DTORCH_TARGET_VERSION=0x020a000000000000"

setup(
    name="answer",
    version="1.0",
    packages=["answer"],
    ext_modules=[
        CUDAExtension(
            name="answer._C",
            sources=["answer.cpp"],
            extra_compile_args={"cxx": ["-O2", target], "nvcc": ["-O3", target]},
            py_limited_api=True,
        )
    ],
    cmdclass={"build_ext": BuildExtension},
    options={"bdist_wheel": {"py_limited_api": "cp39"}},
)
# end of your code
