"""predict: the address, the shift and the pieces of a crop

No kernel runs: the strides of a view and the five lines of rgb_to_gray_kernel give the numbers.
"""

from grader.checks import answer

MINUTES = 10
FAILS = "ROW_STRIDE is None"


def run(mine):
    stride = 200 * 3
    first = 10 * stride + 7 * 3
    shift = first % 16
    answer(mine, "ROW_STRIDE", stride, "the crop has no memory of its own: what lies between two of its rows?")
    answer(
        mine, "FIRST", first, "count bytes: those of the rows above the crop, and those to its left in its first row"
    )
    answer(mine, "SHIFT", shift, "how far behind a multiple of 16 is the crop's first byte?")
    why = "the 16 results of a thread fill a piece, and a row of results begins where the one above it ends"
    answer(mine, "BEGIN", -(50 % 16), why)
    singly = [c for c in range(4) if 48 * c - shift < 0 or 48 * c - shift + 64 > 3 * 50]
    answer(
        mine,
        "SINGLY",
        singly,
        "where do the four pieces of each thread begin and end, in bytes from the row's beginning?",
    )
