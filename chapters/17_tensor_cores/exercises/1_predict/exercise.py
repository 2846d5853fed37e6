"""predict: lanes, places and instructions

Answer the questions in answers.py about fragments, the swizzle and the number of instructions. No kernel runs: the lesson's
rules give the numbers.
"""

from grader.checks import answer
from grader.report import show

MINUTES = 5
FAILS = "LANE_OF_A is None"


def run(mine):
    answer(mine, "LANE_OF_A", 14 % 8 * 4 + 5 % 8 // 2, "rows 8 apart and columns 8 apart are in the same lane")
    answer(mine, "LANE_OF_B", 6 * 4 + 11 % 8 // 2, "a lane's pairs of b lie along a column")
    answer(mine, "PLACE", 6 ^ 13 % 8, "the place is the pack's number xor the row's number in a group of eight rows")
    answer(mine, "INSTRUCTIONS", 4 * 8 * 64, "an instruction has 16 x 8 results, and 16 elements along k")
    show(
        "the lanes that hold each element of the first 8 rows and 8 columns of a",
        *(" ".join(f"{row * 4 + column // 2:2}" for column in range(8)) for row in range(8)),
    )
