"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "Threads 0 to 31 of a block are warp 0, 32 to 63 warp 1, 64 to 95 warp 2. Threads are counted from 0 on.",
    "A warp belongs to one block: the last warp of a block of 70 has 6 threads, and no thread of the next block.",
    "Kernels in one stream run one after another.",
]
WRONG = {
    "warps_of_the_grid": ("WARPS = 7 is not right", {"answers.py": [("= 9", "= 7")]}),
    "side_by_side": ("MILLISECONDS = 10 is not right", {"answers.py": [("20\n", "10\n")]}),
}
