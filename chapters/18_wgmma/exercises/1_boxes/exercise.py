"""boxes: predict places, bytes, parities and steps

Answer the questions in answers.py about boxes, buffers and tiles. No kernel runs: the lesson's rules give the numbers.
"""

from grader.checks import answer
from grader.report import show

MINUTES = 5
FAILS = "PLACE is None"


def run(mine):
    answer(mine, "PLACE", 3 ^ 6, "piece x of row y lies at place x XOR y: write both numbers in binary")
    answer(mine, "BYTES", (128 + 256) * 64 * 2, "128 lines of a and 256 of b, 64 numbers each, of two bytes")
    answer(mine, "PARITY", 9 // 4 % 2, "step 9 is the third use of its buffer, and the first use is phase 0")
    answer(mine, "WHOLE", 2 * 64, "170 tiles are more than 132, so some blocks make two")
    answer(mine, "DIVIDED", 64 // 8, "each block of a cluster takes an eighth of the steps of its tile")
    steps = range(12)
    show(
        "a ring of four buffers: which buffer each step uses, and for the end of which parity the warpgroups wait",
        "step     " + " ".join(f"{step:2}" for step in steps),
        "buffer   " + " ".join(f"{step % 4:2}" for step in steps),
        "parity   " + " ".join(f"{step // 4 % 2:2}" for step in steps),
    )
