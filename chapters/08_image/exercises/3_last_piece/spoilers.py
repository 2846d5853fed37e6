"""Hints, which `ARGS=--hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "`begin` and `end` are the thread's pixels. Which bytes does the thread load, if shift is 1?",
    "The first byte that is loaded is begin - shift. The loads end 4 bytes further on, or 8 where there are two pieces.",
    "The lesson's kernel has the same test: begin_byte and end_byte.",
]
WRONG = {
    "only_the_beginning": (
        "behind",
        {
            "invert.cu": [
                (
                    "const int64_t begin_byte = begin - shift, end_byte = begin_byte + (shift == 0 ? 4 "
                    ": 8);\n"
                    "        const bool inside = begin_byte >= 0 && end_byte <= width;",
                    "const bool inside = begin - int64_t(shift) >= 0 && end <= width;",
                )
            ]
        },
    ),
    "only_without_shift": (
        "pixel by pixel",
        {
            "invert.cu": [
                (
                    "const int64_t begin_byte = begin - shift, end_byte = begin_byte + (shift == 0 ? 4 "
                    ": 8);\n"
                    "        const bool inside = begin_byte >= 0 && end_byte <= width;",
                    "const bool inside = begin >= 0 && end <= width && shift == 0;",
                )
            ]
        },
    ),
    "only_the_last_row": (
        "bytes outside of the row",
        {"invert.cu": [("end_byte <= width;", "(end_byte <= width || (y + 1 < height && end <= width));")]},
    ),
    "only_the_end": ("bytes outside of the row", {"invert.cu": [("begin_byte >= 0 &&", "begin >= 0 &&")]}),
    "one_piece_too_few": ("behind", {"invert.cu": [("(shift == 0 ? 4 : 8)", "4")]}),
}
