"""predict: atomics, lanes and digits

Answer the questions in answers.py: how many atomics are there, what do lanes hold, and where does a total stop growing? No
kernel runs. The lesson's lines give the numbers.
"""

from grader.checks import answer
from grader.report import show

MINUTES = 5
FAILS = "ATOMICS is None"


def run(mine):
    answer(mine, "ATOMICS", -(-(10**6) // 256), "how many blocks of 256 threads are there? The last one is not full")
    answer(mine, "LANE_3", 3 + 19, "which lane is 16 further on, and what does it hold?")
    answer(mine, "LANE_20", 20 + 20, "lane 36 does not exist: the lesson says what __shfl_down_sync returns then")
    total = 2**24  # a float holds this and not this + 1
    answer(mine, "ONES", total, "each atomic rounds the total to a float: look at the section What goes wrong")
    fixed = ["last_block", "chunks"]
    answer(mine, "SAME_BITS", fixed, "in which kernels does the order of the additions depend on which block is first?")
    show("warp_sum(), where lane k begins with k: the lanes whose sums go on, after each level", *levels())


def levels():
    lanes, distance = list(range(32)), 32
    lines = ["begin      " + "".join(f"{value:5}" for value in lanes[:12]) + "  ... 31"]
    while distance := distance // 2:
        lanes = [value + (lanes[i + distance] if i + distance < 32 else value) for i, value in enumerate(lanes)]
        dots = "  ..." if distance > 12 else ""
        lines.append(f"+{distance:<2} away   " + "".join(f"{value:5}" for value in lanes[: min(distance, 12)]) + dots)
    return lines
