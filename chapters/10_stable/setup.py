"""What pyproject.toml cannot say: how the C++ and CUDA part is compiled, and which functions of torch it may use."""

import sys
from pathlib import Path

from setuptools import setup

here = Path(__file__).resolve().parent
needed = [f"common/{name}.h" for name in ("check_tensor_stable", "cuda_check", "grid", "stable")] + [
    "device/cache_hint.h"
]
root = next((f for f in [here, *here.parents] if all((f / header).exists() for header in needed)), None)
if root is None:
    sys.exit(f"{here} needs {', '.join(needed)}, here or in a folder above")
kernels = "chapters/09_library/bias_gelu.cu"
if not (here / kernels).exists():
    sys.exit(f"{here} lacks {kernels}. In {root}, this command builds the package with it: make chapter10 ARGS=--wheel")
sys.path.insert(0, str(root))
try:
    from common.cpp_extension import BuildExtension, CUDAExtension
except ModuleNotFoundError:  # a project of your own has only the headers; torch's own classes need nvcc
    from torch.utils.cpp_extension import BuildExtension, CUDAExtension

# torch 2.11: the bytes are 2, 11, 0 ... The headers then offer what every torch from 2.11 on has, and nothing newer.
target = "-DTORCH_TARGET_VERSION=0x020b000000000000"
# torch's flags disable the conversion float(x) of half precision. These two enable it again.
half = ["-U__CUDA_NO_HALF_CONVERSIONS__", "-U__CUDA_NO_BFLOAT16_CONVERSIONS__"]

setup(
    ext_modules=[
        CUDAExtension(
            name="bias_gelu._C",
            sources=["bias_gelu.cpp", kernels],
            include_dirs=[str(here), str(root)],  # for chapters/09_library/bias_gelu.h, and the headers above
            extra_compile_args={"cxx": ["-O2", "-g0", "-DUSE_CUDA", target], "nvcc": ["-O3", target, *half]},
            py_limited_api=True,  # the file is _C.abi3.so, and is not linked to torch's library for Python
        )
    ],
    cmdclass={"build_ext": BuildExtension},
    options={"bdist_wheel": {"py_limited_api": "cp310"}},  # the wheel is for Python 3.10 and all later ones
)
