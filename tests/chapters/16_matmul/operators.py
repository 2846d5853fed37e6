"""The row of this chapter's operator. tests/chapters/opinfo.py says what a row is, and finds it."""

from tests.chapters.opinfo import AB, Operator, Scalar, factors

STEP = Scalar("str", "auto", ("naive", "tile", "registers", "stages", "large", "small", "tall", "divided"),
              ("", "Naive", "wgmma"),
              "auto, naive, tile, registers, stages, large, small, tall or divided")  # fmt: skip


def matmul(a, b, step="auto"):
    return (a.double() @ b.double()).to(a.dtype)


OPERATORS = [
    Operator("matmul", AB, matmul, shape=lambda n: (n, 5), shapes={"b": lambda shape: (*shape[:-2], *shape[-1:], 4)},
             fits={"b": factors}, shape_words="as many rows as `a` has columns", ranks=(2, 3), strided=True,
             scalars={"step": STEP},
             tolerance=1e-5, differentiable=True, dispatched=True, stable=True,
             at_once=[((n, 65), {}) for n in (3000, 70, 500, 129)]),
]  # fmt: skip
