"""predict: warps, lanes and blocks

Answer the questions in answers.py about warps, lanes, blocks and a time. No kernel runs: the lesson has all you need.
"""

from grader.checks import answer

MINUTES = 5
FAILS = "WARP is None"


def run(mine):
    last = 70 - 1
    answer(mine, "WARP", last // 32, "warps are numbered from 0 on, and so are the threads of a block")
    answer(mine, "LANE", last % 32, "the lane is the thread's number in its warp, 0 to 31")
    answer(mine, "WARPS", 3 * -(-70 // 32), "each block is divided into warps by itself")
    answer(mine, "IDLE", -(-10 // 4) * 4 - 10, "the lesson's line `bounds` shows this grid")
    answer(mine, "BLOCKS", 132 * (2048 // 512), "how many blocks of 512 threads has one multiprocessor room for?")
    answer(mine, "MILLISECONDS", 2 * 10, "what does the lesson say of the kernels of one stream?")
