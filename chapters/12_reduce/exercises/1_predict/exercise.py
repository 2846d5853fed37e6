"""predict: atomics, lanes and digits

No kernel runs: the lesson's lines give the numbers.
"""

from grader.checks import answer

MINUTES = 5
FAILS = "ATOMICS is None"


def run(mine):
    answer(mine, "ATOMICS", -(-(10**6) // 256), "how many blocks of 256 threads are there? The last one is not full")
    answer(mine, "LANE_3", 3 + 19, "which lane is 16 further on, and what does it hold?")
    answer(mine, "LANE_20", 20 + 20, "lane 36 does not exist: the lesson says what __shfl_down_sync returns then")
    total = 2**24  # a float holds this and not this + 1
    answer(mine, "ONES", total, "each atomic rounds the total to a float: look at the end of the section The run")
    fixed = ["last_block", "chunks"]
    answer(mine, "SAME_BITS", fixed, "in which kernels does the order of the additions depend on which block is first?")
