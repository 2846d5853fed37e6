"""predict: blocks, bytes and parities of a cluster

Answer the questions in answers.py about the blocks, bytes and parities of a cluster. No kernel runs: the lesson's rules give
the numbers.
"""

from grader.checks import answer
from grader.report import show

MINUTES = 5
FAILS = "BLOCKS is None"


def run(mine):
    blocks = next(2**k for k in range(5) if 2**k * 256 * 64 >= 100_000)
    answer(mine, "BLOCKS", blocks, "a block keeps 256 x 64 elements, and the number of blocks is a power of two")
    answer(mine, "PACKS", 25_000 // blocks, "a pack has 16 bytes, and each block takes the same number of packs")
    answer(mine, "BYTES", blocks * 8 * 8, "each warp of the cluster sends two floats to this block, also its own warps")
    answer(mine, "PARITY", 6 // 2 % 2, "rows 0, 2, 4 and 6 use the first mbarrier: which phase of it is row 6?")
    rows = range(8)
    show(
        "the rows of a cluster: on which mbarrier each waits, for the end of which phase, of which parity",
        "row        " + "  ".join(str(row) for row in rows),
        "mbarrier   " + "  ".join(str(row % 2) for row in rows),
        "phase      " + "  ".join(str(row // 2) for row in rows),
        "parity     " + "  ".join(str(row // 2 % 2) for row in rows),
    )
