"""Hints, which `ARGS=--hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "A thread whose column is beyond the right edge still has an i below height * width. Whose element is that?",
    "i - 1 is the element to the left, unless column is 0: then it is the last one of the row above.",
    "Ask for row and column, not for i, in all three conditions.",
]
WRONG = {
    "threads_beyond_the_edge": (
        "two threads write the same element; which rows and columns are theirs?",
        {
            "blur.cu": [
                ("    if (row >= height || column >= width) return;\n", ""),
                (
                    "const int64_t i = row * width + column;",
                    "const int64_t i = row * width + column;\n    if (i >= height * width) return;",
                ),
            ]
        },
    ),
    "neighbour_of_the_next_row": ("wrong result", {"blur.cu": [("column <", "i < height *")]}),
}
