# What an editor or a type checker reads in place of my_kernel.*.so, which it cannot look into.
from torch import Tensor

def twice(input: Tensor) -> Tensor: ...

# your code
# end of your code
