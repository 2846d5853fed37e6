"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "Which banks hold pack 0 of rows 0 to 7? A row of eight packs has 128 bytes.",
    "ldmatrix reads the same pack of eight rows at a time. These eight packs should lie at eight different places.",
    "The lesson's place() does it: an xor with the number of the row.",
]
WRONG = {
    "by_row_8": ("passes of shared memory", {"turn.cu": [("pack ^ row % 8", "pack ^ row / 8")]}),
    "half_of_the_rows": ("passes of shared memory", {"turn.cu": [("pack ^ row % 8", "pack ^ row % 4")]}),
    "out_of_the_row": ("wrong result", {"turn.cu": [("pack ^ row % 8", "(pack + row) % 7")]}),
}
