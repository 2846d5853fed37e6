"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "Write down the addresses of lanes 0, 1 and 2, in bytes for sectors (address / 32), in words for banks (word % 32).",
    "a[lane][5] of an array with 34 floats in a row is word 34 * lane + 5, so lanes 0 and 16 ask for one bank.",
    "5 ^ 3: 101 and 011 in binary, exclusive or.",
]
WRONG = {
    "padding_helps": ("COLUMN = 1 is not right", {"answers.py": [("= 2", "= 1")]}),
    "a_column": ("DIAGONAL = 32 is not right", {"answers.py": [("DIAGONAL = 1", "DIAGONAL = 32")]}),
}
