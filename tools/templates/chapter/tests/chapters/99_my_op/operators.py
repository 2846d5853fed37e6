"""The rows of this chapter's operators. tests/chapters/opinfo.py says what a row is, and finds them."""

from tests.chapters.opinfo import FLOATS, Operator, Scalar


def reference(x, factor):  # in float32, rounded once
    return (factor * x.float()).to(x.dtype)


FACTOR = Scalar("float", 0.3, (0, -2.0, 1e-50, float("inf"), float("nan")), (), "any number")

OPERATORS = [
    Operator("my_op", ("x",), reference, scalars={"factor": FACTOR}, **FLOATS,
             differentiable=True, linear=True),  # linear: remove this when backward() needs x
]  # fmt: skip
