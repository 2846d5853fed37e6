"""twice(input) and halve(input): every element of a float32 tensor times 2, or times 1/2."""

import torch  # first: it loads the libraries that my_kernel is linked to

# your code
from .my_kernel import twice

__all__ = ["twice"]
# end of your code
