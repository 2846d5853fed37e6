"""predict: blocks, elements and bytes of a launch

Answer the questions in answers.py about the blocks, elements and bytes of a launch, and about the order of two kernels. No
kernel runs.
"""

from grader.checks import answer

MINUTES = 5
FAILS = "BLOCKS is None"


def run(mine):
    blocks, threads, n = -(-1000 // 256), 256, 1000
    answer(mine, "BLOCKS", blocks, "a block has 256 threads, and a thread gets one element: how many blocks have any?")
    answer(mine, "IDLE", blocks * threads - n, "the grid has BLOCKS * 256 threads, and 1000 of them have an element")
    taken = len(range(0, n, 2 * threads))
    answer(mine, "ELEMENTS", taken, "the loop's step is the number of threads in the whole grid, not in a block")
    answer(mine, "BYTES", 3 * 4 * 2**20, "the kernel reads two arrays and writes a third; a float has 4 bytes")
    answer(mine, "FIRST", "b", "look at the drawing at the lesson's beginning: what decides when a kernel runs?")
