"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "A crop is a view: from one of its rows to the next it is as far as in img, whose rows have 200 pixels of 3 bytes.",
    "Ten rows and seven pixels lie in front of the crop. With begin = 0, `p` is the crop's first byte, and `shift` is the "
    "remainder of its address divided by 16.",
    "Row 1 of the results begins at byte 50 = 3 * 16 + 2, so the thread's 16 results begin 2 bytes before the row.",
]
WRONG = {
    "stride_of_a_copy": ("ROW_STRIDE = 150 is not right", {"answers.py": [("600", "150")]}),
    "pixels_for_bytes": ("FIRST = 2007 is not right", {"answers.py": [("6021", "2007")]}),
}
