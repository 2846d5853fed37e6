"""The rows of this chapter's operators. tests/chapters/opinfo.py says what a row is, and finds them."""

from tests.chapters.opinfo import FLOATS, Operator, Scalar
from tests.support import chapter

main = chapter("99_my_op")
FACTOR = Scalar("float", 0.3, (0, -2.0, 1e-50, float("inf"), float("nan")), (), "any number")

OPERATORS = [
    Operator("my_op", ("x",), main.reference, scalars={"factor": FACTOR}, tolerance=main.TOLERANCE, **FLOATS,
             differentiable=True),
]  # fmt: skip
