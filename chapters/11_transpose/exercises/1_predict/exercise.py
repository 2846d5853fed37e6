"""predict: sectors, banks and passes

No kernel runs: the addresses of the lanes give the numbers.
"""

from pathlib import Path

from common.exercises import answer, module

MINUTES = 10
HINTS = [
    "Write down the addresses of lanes 0, 1 and 2, in bytes for sectors (address / 32), in words for banks (word % 32).",
    "a[lane][5] of an array with 34 floats in a row is word 34 * lane + 5, so lanes 0 and 16 ask for one bank.",
    "5 ^ 3: 101 and 011 in binary, exclusive or.",
]
FAILS = "LOAD is None"
WRONG = {
    "padding_helps": ("COLUMN = 1 is not right", {"answers.py": [("= 2", "= 1")]}),
    "broadcast_conflicts": ("SAME = 32 is not right", {"answers.py": [("SAME = 1", "SAME = 32")]}),
}


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
