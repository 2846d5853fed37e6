"""predict: the address, the shift and the pieces of a crop

Answer the questions in answers.py about the address, the shift and the pieces of a crop. No kernel runs: the strides of a
view and the five lines of rgb_to_gray_kernel give the numbers.
"""

from grader.checks import answer
from grader.report import show

MINUTES = 5
FAILS = "ROW_STRIDE is None"


def run(mine):
    stride = 200 * 3
    first = 10 * stride + 7 * 3
    shift = first % 16
    answer(mine, "ROW_STRIDE", stride, "the crop has no memory of its own: what lies between two of its rows?")
    answer(
        mine, "FIRST", first, "count bytes: those of the rows above the crop, and those to its left in its first row"
    )
    answer(mine, "SHIFT", shift, "how far past a multiple of 16 is the crop's first byte?")
    why = "the 16 results of a thread fill a piece, and a row of results begins where the one above it ends"
    answer(mine, "BEGIN", -(50 % 16), why)
    singly = [c for c in range(4) if 48 * c - shift < 0 or 48 * c - shift + 64 > 3 * 50]
    lines = ["row 0     " + " " * 2 + "=" * 50]
    for chunk in range(4):
        begin, end = 48 * chunk - shift, 48 * chunk - shift + 64
        text = "".join("#" if begin < 3 * pixel + 3 and 3 * pixel < end else " " for pixel in range(-2, 68))
        lines.append(f"chunk {chunk}   {text.rstrip():68}{'pixel by pixel' if chunk in singly else 'four loads'}")
    show("the 50 pixels of a row, and the bytes that four loads of 16 bytes would read for each chunk", *lines)
