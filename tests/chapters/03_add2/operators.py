"""The rows of this chapter's operators. tests/chapters/opinfo.py says what a row is, and finds them."""

import numpy
import torch

from tests.chapters.opinfo import AB, Operator, Scalar, add


def add_n(c, a, b, n):
    return torch.cat([(a + b).flatten()[:n], c.flatten()[n:]]).view(c.shape)


N = Scalar("int", lambda c, *_: c.numel() if isinstance(c, torch.Tensor) and not c.is_nested else 0,
           (0, 1, numpy.int64(2), torch.tensor(3)), (-1, 17, 2**40, -(2**63)), "0 to the tensors' size")  # fmt: skip

OPERATORS = [
    Operator("add2", AB, add),
    Operator("torch_launch_add2", ("c", "a", "b"), add_n, scalars={"n": N}, writes="c"),
    Operator("vector_add", AB, add, build="build_notes"),
    Operator("custom_operation", ("input",), lambda x: 2 * x, build="build_notes"),
]  # fmt: skip

SMALL = {"SIZES": [16]}  # what test_bench.py sets in main.py
