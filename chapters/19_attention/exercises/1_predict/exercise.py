"""predict: bytes, tiles and corrections

Answer the questions in answers.py about scores that are not stored, tiles that are skipped, and sums that shrink. No kernel
runs: the lesson's rules give the numbers.
"""

import math

from grader.checks import answer
from grader.report import show

MINUTES = 5
FAILS = "BYTES is None"


def run(mine):
    answer(
        mine, "BYTES", 2 * 4 * 1024**2, "a score is two bytes, and each head has one for each pair of a query and a key"
    )
    answer(mine, "TILES", 2 + 4 + 6 + 8, "queries 128 * i to 128 * i + 127 see 128 * (i + 1) keys")
    answer(mine, "CORRECTIONS", 2, "a sum shrinks where a tile's maximum exceeds those of all tiles before")
    answer(mine, "SUM", 10 * 0.25 + 3, "old weights are too large by exp(difference of the maxima)")
    scores = [1.0, 3.0, 2.0, 5.0]
    maximum, total, lines = -math.inf, 0.0, []
    for score in scores:
        larger = max(maximum, score)
        total, maximum = total * math.exp(maximum - larger) + math.exp(score - larger), larger
        lines.append(f"score {score}: maximum {maximum}, sum {total:.4f}")
    show("an online softmax, score by score", *lines)
