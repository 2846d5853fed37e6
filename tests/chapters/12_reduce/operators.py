"""The rows of this chapter's operators. tests/chapters/opinfo.py says what a row is, and finds them."""

from dataclasses import replace

import torch

from tests.chapters.opinfo import AT_ONCE, FLOATS, Operator, Scalar, any_float


def sum_of_all(x, **_):
    return x.double().sum().to(x.dtype)


def histogram(x, bins, **_):
    x = x.flatten().long()
    return torch.bincount(x[(x >= 0) & (x < bins)], minlength=bins)


DETERMINISTIC = Scalar("bool", False, (True,), (), "True or False")
SUM_STEP = Scalar("str", "last_block", ("atomic", "tree", "shuffle", "packs", "chunks"), ("", "Tree", "block"),
                  "atomic, tree, shuffle, packs, last_block or chunks")  # fmt: skip
GRID = Scalar("int", 0, (1, 2, 100), (-1, 2**16 + 1, 2**32), "0 to 65536")
BINS = Scalar("int", 200, (1, 256, 1000, 20_000, 100_000), (0, -1, 2**31, 2**40), "1 to 2^31 - 1")
BINS_STEP = Scalar("str", "copies", ("global", "shared"), ("", "Global", "best"), "global, shared or copies")
SUM = FLOATS | any_float | {"tolerance": 2e-6, "reduces": True, "differentiable": True, "partial_from": 2**17}
COUNTS = {"dtypes": (torch.uint8, torch.int32), "reduces": True, "dispatched": True, "stable": True}

OPERATORS = [
    Operator("sum", ("x",), sum_of_all, **SUM, scalars={"deterministic": DETERMINISTIC}),
    Operator("sum_by", ("x",), sum_of_all, **SUM, scalars={"step": SUM_STEP, "blocks": GRID}),
    Operator("histogram", ("x",), histogram, **COUNTS, scalars={"bins": BINS},
             at_once=[((5000,), {"bins": n}) for n in AT_ONCE]),
    Operator("histogram_by", ("x",), histogram, **COUNTS,
             scalars={"bins": replace(BINS, right=(1, 256, 20_000)), "step": BINS_STEP}),
]  # fmt: skip

SMALL = {"LARGE": 2**11}  # what test_bench.py sets in main.py
