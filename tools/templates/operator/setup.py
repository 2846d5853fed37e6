"""How the C++ and CUDA part is compiled. pyproject.toml says what the package is."""

import os
import sys
from glob import glob

import setuptools
import torch

if int(setuptools.__version__.split(".")[0]) < 77:  # pip does not ask, with --no-build-isolation
    sys.exit(f"setuptools {setuptools.__version__} is too old. Run: pip install 'setuptools>=77'")

try:  # cuda-on-cpu, where it is installed: it builds for the CPU on a machine without a GPU
    from cuda_on_cpu.torch_extension import BuildExtension, CUDAExtension
except ModuleNotFoundError:
    from torch.utils.cpp_extension import BuildExtension, CUDAExtension

    if not torch.cuda.is_available() and "TORCH_CUDA_ARCH_LIST" not in os.environ:
        gpus = "name the GPUs to build for: TORCH_CUDA_ARCH_LIST='8.0;9.0+PTX'"
        sys.exit(f"No GPU here: install cuda-on-cpu (README.md says from where), or {gpus}")

# torch 2.11: its bytes are 2, 11, 0 ... Headers then offer what every torch from 2.11 on has, and nothing newer.
target = "-DTORCH_TARGET_VERSION=0x020b000000000000"
# torch forbids nvcc what __half and __nv_bfloat16 do by themselves, such as float(x). The kernels here need that.
half = ["-U__CUDA_NO_HALF_CONVERSIONS__", "-U__CUDA_NO_HALF_OPERATORS__", "-U__CUDA_NO_BFLOAT16_CONVERSIONS__"]


class Build(BuildExtension):
    """Without a page of Python below the compiler's error."""

    def build_extensions(self):
        try:
            super().build_extensions()
        except RuntimeError as error:
            sys.exit(f"{error}: the compiler says why, above this line")


setuptools.setup(
    ext_modules=[
        CUDAExtension(
            name="my_op._C",
            # x.cpp and x.cu would both become x.o in the same folder, so their names must differ.
            sources=sorted(glob("csrc/*.cpp") + glob("csrc/*.cu")),
            depends=glob("csrc/*.h"),
            extra_compile_args={"cxx": ["-O2", "-DUSE_CUDA", target], "nvcc": ["-O3", target, *half]},
            py_limited_api=True,  # the file is _C.abi3.so, and is not linked to torch's library for Python
        )
    ],
    cmdclass={"build_ext": Build},
    options={"bdist_wheel": {"py_limited_api": "cp310"}},  # the wheel is for Python 3.10 and all later ones
)
