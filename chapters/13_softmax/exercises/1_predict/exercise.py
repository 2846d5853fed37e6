"""predict: lanes and parts of a row

Answer the questions in answers.py about lanes and bytes, and about the sum of two parts of a row. No kernel runs:
the lesson's rules give the numbers.
"""

import math

from grader.checks import answer
from grader.report import show

MINUTES = 5
FAILS = "LANES is None"


def run(mine):
    needed = -(-100 // 16)
    lanes = next(2**k for k in range(6) if 2**k >= needed)
    answer(mine, "LANES", lanes, "a thread keeps 16 elements, and the number of lanes is a power of two")
    answer(mine, "ROWS", 32 // lanes, "a warp has 32 lanes")
    answer(
        mine, "SUM", 2 / 4 + 1, "look at the drawing of two parts: which of the two sums is multiplied, and by what?"
    )
    answer(mine, "BYTES", 3 * 4, "how often does `twice` read an element, and how often does it write one?")
    answer(mine, "NOTHING", "nan", "what does the lesson say of a row of -infinity alone?")
    one, other = [0.0, 0.0], [math.log(4)]
    show(
        "the row 0, 0, log(4) in two parts, and together",
        *(
            f"{name:10} maximum {max(part):.3f}   sum {sum(math.exp(x - max(part)) for x in part):.3f}"
            for name, part in (("0, 0", one), ("log(4)", other), ("together", one + other))
        ),
        f"a warp with rows of 100 floats: {32 // lanes} rows, a digit for each lane",
        "".join(str(lane // lanes) for lane in range(32)),
    )
