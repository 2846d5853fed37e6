"""scale_(x, factor): multiplies x by a number, in-place."""

# your code
import torch  # first: it loads the libraries that my_kernel is linked to
from .my_kernel import scale_
# end of your code

__all__ = ["scale_"]
