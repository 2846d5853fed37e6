"""scale_(x, factor): multiplies x by a number, in-place."""

# your code
from .my_kernel import scale_
# end of your code

__all__ = ["scale_"]
