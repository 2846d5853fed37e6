"""The rows of this chapter's operators. tests/chapters/opinfo.py says what a row is, and finds them."""

from tests.chapters.opinfo import Operator

OPERATORS = [
    Operator("hello", (), lambda: "Hello World!"),
    Operator("hello_gpu", (), lambda: "Hello World!"),
]  # fmt: skip
