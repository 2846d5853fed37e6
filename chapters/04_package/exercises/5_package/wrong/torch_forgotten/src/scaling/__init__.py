"""scale_(x, factor): multiplies x by a number, in-place."""

# your code
from .kernel import scale_

__all__ = ["scale_"]
# end of your code
