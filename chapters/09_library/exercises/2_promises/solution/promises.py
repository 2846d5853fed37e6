"""Five operators, registered in Python: the same schemas and functions as with TORCH_LIBRARY in C++.

x: float32, two dimensions, contiguous. Each breaks a promise. Fix it, and keep what the operator computes.
"""

import torch
from torch.library import register_fake

library = torch.library.Library("exercise", "DEF")


def register(device_type):
    key = device_type.upper()  # the dispatch key: CPU or CUDA

    # x = x / 2, in place. It returns nothing.
    # your code
    library.define("halve_(Tensor(a!) x) -> ()")
    register_fake("exercise::halve_", lambda x: None)

    def halve_(x):
        x.mul_(0.5)

    library.impl("halve_", halve_, key)
    # end of your code

    # The place of the largest element in each row.
    # your code
    library.define("largest(Tensor x) -> Tensor")
    register_fake("exercise::largest", lambda x: x.new_empty(x.shape[0], dtype=torch.int64))

    def largest(x):
        return x.argmax(1)

    library.impl("largest", largest, key)
    # end of your code

    # x, rotated by a quarter: the last row becomes the first column.
    # your code
    library.define("rotated(Tensor x) -> Tensor")
    register_fake("exercise::rotated", lambda x: x.new_empty(x.shape[1], x.shape[0]))

    def rotated(x):
        return x.t().flip(1).contiguous()

    library.impl("rotated", rotated, key)
    # end of your code

    # factor * x
    # your code
    library.define("scaled(Tensor x, float factor) -> Tensor")
    register_fake("exercise::scaled", lambda x, factor: torch.empty_like(x))

    def scaled(x, factor):
        if factor == 1:
            return x.clone()  # nothing to compute
        return x * factor

    library.impl("scaled", scaled, key)
    # end of your code

    # The first n rows, 0 <= n <= x.shape[0].
    # your code
    library.define("head(Tensor x, int n) -> Tensor")
    register_fake("exercise::head", lambda x, n: x.new_empty(n, x.shape[1]))

    def head(x, n):
        return x[:n].clone()

    library.impl("head", head, key)
    # end of your code
