"""The diagnoses of tools/doctor.py: functions of a Machine that return a Finding, in the order in which they are printed.

The one line of a function's docstring says why the diagnosis matters; the root README shows that line.
"""

from . import builds, gpu

DIAGNOSES = [
    *(builds.torch, builds.build_isolation, builds.ninja, builds.compiler, builds.python_headers),
    *(builds.hidden_modules, builds.memory, builds.disk, builds.locks, builds.old_extensions),
    *(gpu.nvcc, gpu.nvcc_compiler, gpu.libcudart, gpu.CUDA_HOME),
    *(gpu.torch_and_gpu, gpu.architecture, gpu.TORCH_CUDA_ARCH_LIST),
]
