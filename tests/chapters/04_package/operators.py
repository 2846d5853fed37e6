"""The rows of this chapter's operators. tests/chapters/opinfo.py says what a row is, and finds them."""

from tests.chapters.opinfo import Operator

OPERATORS = [
    Operator("my_cuda_function", ("input",), lambda x: 2 * x),
]  # fmt: skip
