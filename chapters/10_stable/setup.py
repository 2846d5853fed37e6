"""What pyproject.toml cannot say: how the C++ and CUDA part is compiled, and what it may use."""

import sys
from pathlib import Path

from setuptools import setup

here = Path(__file__).resolve().parent
root = next((f for f in [here, *here.parents] if (f / "common" / "check_input_stable.h").exists()), None)
if root is None:
    sys.exit(
        f"{here} needs common/cache_hint.h, cuda_check.h, check_input_stable.h and grid.h, in common/ here or above"
    )
kernels = "chapters/09_library/bias_gelu.cu"
if not (here / kernels).exists():
    sys.exit(f"{here} lacks {kernels}. In {root}, this command builds the package with it: make chapter10 ARGS=--wheel")
sys.path.insert(0, str(root))
try:
    from common.cpp_extension import BuildExtension, CUDAExtension
except ModuleNotFoundError:  # a project of your own has only those headers of common/: torch's own, which need nvcc
    from torch.utils.cpp_extension import BuildExtension, CUDAExtension

# torch 2.11: its bytes are 2, 11, 0 ... Headers then offer what every torch from 2.11 on has, and nothing newer.
target = "-DTORCH_TARGET_VERSION=0x020b000000000000"

setup(
    ext_modules=[
        CUDAExtension(
            name="bias_gelu._C",
            sources=["bias_gelu.cpp", kernels],
            include_dirs=[str(here), str(root)],  # for chapters/09_library/bias_gelu.h, and common/check_input_stable.h
            extra_compile_args={"cxx": ["-O2", "-g0", "-DUSE_CUDA", target], "nvcc": ["-O3", target]},
            py_limited_api=True,  # the file is _C.abi3.so, and is not linked to torch's library for Python
        )
    ],
    cmdclass={"build_ext": BuildExtension},
    options={"bdist_wheel": {"py_limited_api": "cp310"}},  # the wheel is for Python 3.10 and all later ones
)
