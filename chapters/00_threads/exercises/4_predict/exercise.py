"""predict: warps, lanes and blocks

Type numbers into answers.py. No kernel runs: what the lesson says of a grid gives them.
"""

from common.exercises import answer

MINUTES = 5
HINTS = [
    "Threads 0 to 31 of a block are warp 0, 32 to 63 warp 1, 64 to 95 warp 2. Threads are counted from 0 on.",
    "Warps belong to a block: the last one of a block of 70 has 6 threads, and none of the next block is in it.",
    "Kernels in one stream run one after another.",
]
FAILS = "WARP is None"
WRONG = {
    "warps_of_the_grid": ("WARPS = 7 is not right", {"answers.py": [("= 9", "= 7")]}),
    "side_by_side": ("MILLISECONDS = 10 is not right", {"answers.py": [("20\n", "10\n")]}),
}


def run(mine):
    last = 70 - 1
    answer(mine, "WARP", last // 32, "warps are numbered from 0 on, and so are the threads of a block")
    answer(mine, "LANE", last % 32, "the lane is the thread's number in its warp, 0 to 31")
    answer(mine, "WARPS", 3 * -(-70 // 32), "each block is divided into warps by itself")
    answer(mine, "IDLE", -(-10 // 4) * 4 - 10, "the lesson's line `bounds` shows this grid")
    answer(mine, "BLOCKS", 132 * (2048 // 512), "how many blocks of 512 threads has one multiprocessor room for?")
    answer(mine, "MILLISECONDS", 2 * 10, "what does the lesson say of the kernels of one stream?")
