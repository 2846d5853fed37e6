"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "3 is 011 and 6 is 110 in binary: XOR is 1 where exactly one of them has a 1.",
    "A line of a step has 64 numbers of two bytes. There are 128 lines of a and 256 of b.",
    "Steps 1, 5 and 9 use buffer 1, in its phases 0, 1 and 2.",
    "170 tiles for 132 blocks: some block makes two. With two tiles, eight blocks share the 64 steps of one.",
]
WRONG = {
    "no_swizzle": ("PLACE = 3 is not right", {"answers.py": [("PLACE = 5", "PLACE = 3")]}),
    "numbers_for_bytes": ("BYTES = 24576 is not right", {"answers.py": [("49152", "24576")]}),
    "parity_of_the_step": ("PARITY = 1 is not right", {"answers.py": [("PARITY = 0", "PARITY = 1")]}),
    "among_all_blocks": ("DIVIDED = 4 is not right", {"answers.py": [("DIVIDED = 8", "DIVIDED = 4")]}),
}
