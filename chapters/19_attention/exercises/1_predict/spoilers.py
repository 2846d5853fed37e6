"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "1024 x 1024 scores a head, two bytes each.",
    "The first block sees 128 keys, two tiles; the last one sees all 512.",
    "Only a maximum that is larger than all before makes old weights too large: 7 after 2, and one more.",
    "The old sum shrinks to a quarter before the new weights are added.",
]
WRONG = {
    "one_head": ("BYTES = 2097152 is not right", {"answers.py": [("8388608", "2097152")]}),
    "no_tile_skipped": ("TILES = 32 is not right", {"answers.py": [("TILES = 20", "TILES = 32")]}),
    "equal_ones_too": ("CORRECTIONS = 3 is not right", {"answers.py": [("CORRECTIONS = 2", "CORRECTIONS = 3")]}),
    "all_shrinks": ("SUM = 3.25 is not right", {"answers.py": [("SUM = 5.5", "SUM = 3.25")]}),
}
