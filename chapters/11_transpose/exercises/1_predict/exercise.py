"""predict: sectors, banks and passes

No kernel runs: the addresses of the lanes give the numbers.
"""

from pathlib import Path

from grader.checks import answer, module

MINUTES = 10
FAILS = "LOAD is None"


def run(mine):
    counts = module(Path(__file__).resolve().parents[2] / "counts.py")
    lanes = range(32)
    answer(mine, "LOAD", counts.sectors([*lanes], 1), "32 neighbours of 1 byte: how many bytes is that?")
    answer(
        mine, "STORE", counts.sectors([1024 * i for i in lanes], 1), "how far apart in the result do two lanes store?"
    )
    column = counts.passes([4 * (34 * i + 5) for i in lanes], 4)
    answer(mine, "COLUMN", column, "count the lanes whose words, 34 * lane + 5, lie in the same bank as that of lane 0")
    diagonal = counts.passes([4 * (32 * i + i) for i in lanes], 4)
    answer(mine, "DIAGONAL", diagonal, "which word of the array is a[lane][lane], and in which bank does it lie?")
    answer(mine, "SAME", counts.passes([4 * (32 * 3 + 5)] * 32, 4), "how many different words do the lanes ask for?")
    answer(mine, "PLACE", 5 ^ 3, "look at the line of the kernel swizzled that writes to shared memory")
