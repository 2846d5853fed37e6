"""scale_(x, factor): multiplies x by a number, in-place."""

# your code
import torch  # first: it loads the libraries that the module is linked to
from .kernel import scale_

__all__ = ["scale_"]
# end of your code
