"""The rows of this chapter's operators. tests/chapters/opinfo.py says what a row is, and finds them."""

from math import inf, nan

import numpy
import torch

from tests.chapters.opinfo import Operator, Scalar


def axpy(x, y, alpha):  # rounded once, like the kernel's fma
    return (float(numpy.float32(alpha)) * x.double() + y.double()).float()


ALPHA = Scalar("float", 1.0, (0, -2.0, 3e38, 1e-50, inf, -inf, nan, numpy.float32(0.5), torch.tensor(0.5)),
               (1e39, -1e300), "fits into float32, or is infinite or NaN")  # fmt: skip

OPERATORS = [
    Operator("axpy", ("x", "y"), axpy, scalars={"alpha": ALPHA}),
]  # fmt: skip
