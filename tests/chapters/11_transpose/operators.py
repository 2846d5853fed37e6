"""The rows of this chapter's operators. tests/chapters/opinfo.py says what a row is, and finds them."""

from tests.chapters.opinfo import FLOATS, Operator, Scalar


def transposed(x, **_):
    return x.mT.contiguous()


TRANSPOSE_STEP = Scalar("str", "naive", ("tile", "padded", "swizzled", "wide", "strips"), ("", "Wide", "wide "),
                        "naive, tile, padded, swizzled, wide or strips")  # fmt: skip
TRANSPOSE = FLOATS | {"shape": lambda n: (2, n, 4), "itemsizes": (1, 2, 4, 8), "ranks": (2, 3), "rearranges": True,
                      "differentiable": True}  # fmt: skip

OPERATORS = [
    Operator("transpose", ("x",), transposed, **TRANSPOSE),
    Operator("transpose_step", ("x",), transposed, **TRANSPOSE, scalars={"step": TRANSPOSE_STEP}),
]  # fmt: skip

SMALL = {"LARGE": 2**11}  # what test_bench.py sets in main.py
