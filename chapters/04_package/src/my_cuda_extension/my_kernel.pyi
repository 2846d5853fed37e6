# What an editor or a type checker reads in place of my_kernel.*.so, which it cannot look into.
from torch import Tensor

def my_cuda_function(input: Tensor) -> Tensor: ...
