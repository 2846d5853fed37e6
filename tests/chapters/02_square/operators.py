"""The rows of this chapter's operators. tests/chapters/opinfo.py says what a row is, and finds them."""

import torch

from tests.chapters.opinfo import AB, Operator, add

OPERATORS = [
    Operator("square_matrix", ("matrix",), torch.square, shape=lambda n: (n, 3), ranks=(2,)),
    Operator("square_by_columns", ("matrix",), torch.square, shape=lambda n: (n, 3), ranks=(2,)),
    Operator("custom_operation", ("input",), lambda x: 2 * x),
    Operator("add_cuda", AB, add),
]  # fmt: skip
