"""Small mistakes in chapter 99, and the tests that must fail because of each.

Each row names a piece of code as it stands: when you change that code, change the row. Add rows for your own formula.
"""

from tools.maintain.mutants import Mutant

HERE, OP = "chapters/99_my_op", "99_my_op.my_op"
CU, MAIN = f"{HERE}/my_op.cu", f"{HERE}/main.py"
RIGHT = "tests/chapters/test_operators.py::test_right_at_awkward_sizes"
T = "tests/chapters/99_my_op/test_my_op.py::test_"

MUTANTS = [
    Mutant(CU, "if (i < n) out[i]", "out[i]", f"{RIGHT}[forward-{OP}]", why="a write beyond the end"),
    Mutant(MAIN, "torch._check(x.is_contiguous(), lambda", "torch._check(True, lambda",
           T + "refused_with_memory_and_without"),
    Mutant(MAIN, "grad = grad.contiguous()", "grad = grad", T + "gradient"),
]  # fmt: skip
