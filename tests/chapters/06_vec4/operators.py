"""The rows of this chapter's operators. tests/chapters/opinfo.py says what a row is, and finds them."""

from tests.chapters.opinfo import AB, AT_ONCE, Operator, Scalar, add, any_float
from tests.support import operators

LOADS = Scalar("int", 8, (1, 2, 4), (0, 3, -8, 2**32 + 1), "1, 2, 4 or 8")
WIDTH = Scalar("int", 1, (), (0, 2, -4, 2**32 + 1), "1; with 4: as add_vec4")
RESERVED = Scalar("int", 0, (1, 1024, 64 * 1024), (-1, 2**20 + 1, 2**32), "bytes that a block may have")
FLOAT4 = {"shape": lambda n: (n, 4), "sizes": (0, 1, 63, 64, 65, 2**16 + 3), "multiple": 4, "aligned": True}

OPERATORS = [
    Operator("add_scalar", AB, add),
    Operator("add_grid_stride", AB, add),
    Operator("add_unrolled", AB, add, scalars={"loads": LOADS, "width": WIDTH, "reserved": RESERVED},
             at_once=[((1000,), {"reserved": 4 * n}) for n in AT_ONCE]),
    Operator("add_unrolled", AB, add, scalars={"width": Scalar("int", 4)}, **FLOAT4, variant="width=4"),
    Operator("add_vec4", AB, add, **FLOAT4),
    Operator("add_forward", AB, add, **any_float),
    Operator("add_forward", (*AB, "out"), add, **any_float, writes="out", optional=("out",), variant="out"),
    Operator("threads_per_sm", (), lambda **kwargs: operators("06_vec4").threads_per_sm(**kwargs),
             scalars={"loads": LOADS, "width": Scalar("int", 1, (4,), WIDTH.wrong, "1 or 4"), "reserved": RESERVED}),
]  # fmt: skip

SMALL = {"LARGE": 2**11}  # what test_bench.py sets in main.py
