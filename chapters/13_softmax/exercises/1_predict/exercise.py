"""predict: lanes, threads and parts of a row

No kernel runs: the lesson's rules give the numbers.
"""

from grader.checks import answer

MINUTES = 10
FAILS = "LANES is None"


def run(mine):
    needed = -(-100 // 16)
    lanes = next(2**k for k in range(6) if 2**k >= needed)
    answer(mine, "LANES", lanes, "a thread keeps 16 elements, and the number of lanes is a power of two")
    answer(mine, "ROWS", 32 // lanes, "a warp has 32 lanes")
    answer(mine, "THREADS", -(-1000 // 16 // 32) * 32, "a thread keeps 16 elements, and a block has whole warps")
    answer(
        mine, "SUM", 2 / 4 + 1, "look at the drawing of two parts: which of the two sums is multiplied, and by what?"
    )
    answer(mine, "BYTES", 3 * 4, "how often does online read an element, and how often does it write one?")
    answer(mine, "NOTHING", "nan", "look at the last pitfall of the lesson")
