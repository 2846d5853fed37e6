"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "The lesson's drawing shows lane 5: a[1][2], a[9][2], a[1][10] and a[9][10], each with its right neighbour. Lane 6 holds "
    "what is two columns further right.",
    "a[14][5] is in the lane of a[6][5], which is lane 6 * 4 + 5 / 2. Of b, rows and columns change places.",
    "13 % 8 is 5, and 6 ^ 5 is 110 xor 101 in binary. 64 x 64 results are 4 x 8 instructions for each 16 along k.",
]
WRONG = {
    "as_if_a_had_8_rows": ("LANE_OF_A = 58 is not right", {"answers.py": [("LANE_OF_A = 26", "LANE_OF_A = 58")]}),
    "b_like_a": ("LANE_OF_B = 15 is not right", {"answers.py": [("LANE_OF_B = 25", "LANE_OF_B = 15")]}),
    "row_of_the_tile": ("PLACE = 11 is not right", {"answers.py": [("PLACE = 3", "PLACE = 11")]}),
    "16_columns": ("INSTRUCTIONS = 1024 is not right", {"answers.py": [("2048", "1024")]}),
}
