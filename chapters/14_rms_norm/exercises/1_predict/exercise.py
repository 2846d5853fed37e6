"""predict: the bytes of one call and of two, and what a gradient costs

Answer the questions in answers.py: what do two calls and one call move, and what does the gradient cost? No kernel runs.
Sizes and the lesson's rules give the numbers.
"""

from grader.checks import answer
from grader.report import show

MINUTES = 5
FAILS = "SEPARATE is None"


def run(mine):
    answer(mine, "SEPARATE", 5, "the addition reads two tensors and writes one; what does the norm read and write?")
    answer(mine, "FUSED", 4, "which of the five is needed only because the norm is a call of its own?")
    answer(mine, "SPEEDUP", 1.25, "both kernels are as fast as memory: time is bytes divided by a speed")
    answer(mine, "BACKWARD", 4, "grad, grad_sum and sum are read, and how many gradients of this size are written? "
           "x and residual have the same one")  # fmt: skip
    answer(mine, "SAVED", "sum", "which tensor do both gradients need, that the operator returns anyway?")
    show(
        "what goes through memory, a bar for each tensor of 65536 x 4096",
        "two calls   x         residual  sum       sum       y",
        f"{'':12}{'########  ' * 5}",
        "one call    x         residual  sum       y",
        f"{'':12}{'########  ' * 4}",
    )
