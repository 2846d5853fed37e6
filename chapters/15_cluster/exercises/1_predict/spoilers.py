"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "100 000 / 16 384 is a little more than 6. A cluster has 1, 2, 4, 8 or 16 blocks.",
    "The cluster has 8 blocks of 8 warps. A maximum and a sum are 8 bytes.",
    "Row 0 is phase 0 of the first mbarrier, row 2 is phase 1, row 4 is phase 2.",
]
WRONG = {
    "no_power_of_two": ("BLOCKS = 7 is not right", {"answers.py": [("BLOCKS = 8", "BLOCKS = 7")]}),
    "one_part_a_block": ("BYTES = 64 is not right", {"answers.py": [("512", "64")]}),
    "parity_of_the_row": ("PARITY = 0 is not right", {"answers.py": [("PARITY = 1", "PARITY = 0")]}),
}
