"""my_cuda_function(input): every element of a float32 tensor times 2."""

import torch  # noqa: F401  first: it loads libc10.so and the other libraries that my_kernel calls

from .my_kernel import my_cuda_function

__version__ = "0.1.0"  # pyproject.toml takes it from here
__all__ = ["my_cuda_function"]
