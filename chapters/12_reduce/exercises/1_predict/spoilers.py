"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "tree has a thread for each element, in blocks of 256, and each block adds once.",
    "__shfl_down_sync returns the value of the lane `distance` further on, or the lane's own where there is none. "
    "Both lanes add what they get to what they hold.",
    "A float has 24 bits for its digits. From which number on is x + 1 the same float as x?",
]
WRONG = {
    "zero_beyond_the_warp": ("LANE_20 = 20 is not right", {"answers.py": [("40", "20")]}),
    "floats_count_on": ("ONES = 33554432 is not right", {"answers.py": [("*24", "*25")]}),
}
