"""predict: sectors, banks and passes

Answer the questions in answers.py: how many sectors does a warp touch, and how many passes does it take? No kernel runs. The
addresses of the lanes give the numbers.
"""

from pathlib import Path

from grader.checks import answer, module
from grader.report import show

MINUTES = 5
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
    answer(mine, "PLACE", 5 ^ 3, "look at the line of the kernel swizzled that writes to shared memory")
    show(
        "how many words of each bank, 0 to 31, a warp asks for; # is more than 9",
        f"a[lane][5] of a[32][34]      {words([34 * i + 5 for i in lanes])}",
        f"a[lane][lane] of a[32][32]   {words([33 * i for i in lanes])}",
        f"a[3][5] for all lanes        {words([32 * 3 + 5])}",
        f"a[lane][5] of a[32][32]      {words([32 * i + 5 for i in lanes])}, which is why there is `padded`",
    )


def words(places):
    counts = [len({place for place in places if place % 32 == bank}) for bank in range(32)]
    drawn = "".join("." if count == 0 else str(count) if count < 10 else "#" for count in counts)
    return f"{drawn}   {max(counts)} pass{'es' * (max(counts) > 1)}"
