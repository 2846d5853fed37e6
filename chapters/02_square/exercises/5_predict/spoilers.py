"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "A sector is 32 bytes, 8 floats, and begins at a multiple of 32 bytes. Draw 40 floats, and a line before each eighth.",
    "A sector that holds an element of several lanes counts once.",
]
WRONG = {
    "shift_is_free": ("the lanes read elements 1 to 32", {"answers.py": [("= 5", "= 4")]}),
    "a_sector_a_lane": ("A sector moves whole", {"answers.py": [("= 8", "= 32")]}),
    "bytes_that_are_used": ("how many bytes lie between", {"answers.py": [("= 32", "= 4")]}),
}
