"""predict: the address, the shift and the pieces of a crop

No kernel runs: the strides of a view and the five lines of rgb_to_gray_kernel give the numbers.
"""

from common.exercises import answer

MINUTES = 10
HINTS = [
    "A crop is a view: from one of its rows to the next it is as far as in img, whose rows have 200 pixels of 3 bytes.",
    "Ten rows and seven pixels lie in front of the crop. With begin = 0, `p` is the crop's first byte, and `shift` is the "
    "remainder of its address divided by 16.",
    "Row 1 of the results begins at byte 50 = 3 * 16 + 2, so the thread's 16 results begin 2 bytes before the row.",
    "With this shift, chunk c loads the bytes from 48 * c - shift on, four pieces of 16 bytes. Which of them leave 0 to 150?",
]
FAILS = "ROW_STRIDE is None"
WRONG = {
    "stride_of_a_copy": ("ROW_STRIDE = 150 is not right", {"answers.py": [("600", "150")]}),
    "pixels_for_bytes": ("FIRST = 2007 is not right", {"answers.py": [("6021", "2007")]}),
    "only_the_first": ("SINGLY = [0, 3] is not right", {"answers.py": [("2, 3", "3")]}),
}


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
