"""The row of this chapter's operator. tests/chapters/opinfo.py says what a row is, and finds it."""

import torch

from tests.chapters.opinfo import AB, Operator, Scalar, factors

# The other steps refuse some sizes: test_tensor_cores.py has them.
STEP = Scalar("str", "auto", ("fragments", "ldmatrix"), ("", "Stages", "wgmma"),
              "auto, fragments, ldmatrix, stages, large, small or divided")  # fmt: skip


def matmul(a, b, step="auto"):
    return (a.double() @ b.double()).to(a.dtype)


OPERATORS = [
    Operator("matmul", AB, matmul, shape=lambda n: (n, 5), shapes={"b": lambda shape: (*shape[:-2], *shape[-1:], 4)},
             fits={"b": factors}, shape_words="as many rows as `a` has columns", ranks=(2, 3), strided=True,
             scalars={"step": STEP},
             dtypes=(torch.float16, torch.bfloat16), tolerance=1e-5,
             differentiable=True, dispatched=True, stable=True, at_once=[((n, 65), {}) for n in (3000, 70, 500, 129)]),
]  # fmt: skip
