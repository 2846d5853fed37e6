"""The rows of this chapter's operators. tests/chapters/opinfo.py says what a row is, and finds them."""

import torch

from tests.chapters.opinfo import AB, Operator, add

OPERATORS = [
    Operator("square_matrix", ("matrix",), torch.square, shape=lambda n: (n, 3), ranks=(2,)),
    Operator("square_by_columns", ("matrix",), torch.square, shape=lambda n: (n, 3), ranks=(2,)),
    Operator("custom_operation", ("input",), lambda x: 2 * x, build="notes/inline_kernel:build"),
    Operator("add_cuda", AB, add, build="notes/inline_cuda_add:build"),
]  # fmt: skip

SMALL = {"SIDES": [8], "LARGE": 2**11}  # what test_bench.py sets in main.py
