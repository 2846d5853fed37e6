# What an editor or a type checker reads in place of my_kernel.*.so, which it cannot look into.
from torch import Tensor

def twice(input: Tensor) -> Tensor: ...

# your code
def halve(input: Tensor) -> Tensor: ...

# end of your code
