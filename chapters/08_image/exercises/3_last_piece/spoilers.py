"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "`begin` and `end` are the thread's pixels. Which bytes does the thread load, if shift is 1?",
    "The first byte that is loaded is begin - shift. The loads end 4 bytes further on, or 8 where there are two pieces.",
    "The lesson's kernel has the same test: begin_byte and end_byte.",
]
WRONG = {
    "only_the_beginning": (
        "past the end",
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
    "only_the_end": ("before the beginning of in", {"invert.cu": [("begin_byte >= 0 &&", "begin >= 0 &&")]}),
    "one_piece_too_few": ("past the end", {"invert.cu": [("(shift == 0 ? 4 : 8)", "4")]}),
    "narrow_loads": (
        "4096 of 4096 pixels go pixel by pixel",
        {
            "invert.cu": [
                (
                    (
                        "            const unsigned* pieces = reinterpret_cast<const unsigned*>(pixels + begin - "
                        "shift);\n"
                        "            const unsigned four = shift == 0 ? pieces[0] : __funnelshift_r(pieces[0], "
                        "pieces[1], 8 * shift);\n"
                    ),
                    (
                        "            unsigned four = 0;\n"
                        "            for (int k = 0; k < 4; k++) four |= unsigned(pixels[begin + k]) << (8 * k);\n"
                    ),
                ),
                (
                    (
                        "const int64_t begin_byte = begin - shift, end_byte = begin_byte + (shift == 0 ? 4 : 8);\n"
                        "        const bool inside = begin_byte >= 0 && end_byte <= width;"
                    ),
                    "const bool inside = begin >= 0 && end <= width;",
                ),
            ]
        },
    ),
    "index_of_32_bits": (
        "one row, width = 4294967309: 4294967309 elements, more than 2^32: ",
        {"invert.cu": [("const int64_t begin_byte", "const int begin_byte")]},
    ),
    "only_aligned_results": (
        "width = 2047: 2054 of 4094 pixels go pixel by pixel",
        {
            "invert.cu": [
                (
                    "begin_byte >= 0 && end_byte <= width;",
                    "uintptr_t(results) % 4 == 0 && begin_byte >= 0 && end_byte <= width;",
                )
            ]
        },
    ),
    "rows_of_one_grid": (
        "70000 rows of 5 pixels: 4465 rows are wrong",
        {
            "invert.cu": [
                (
                    "for (int64_t y = blockIdx.y; y < height; y += gridDim.y) {",
                    "if (const int64_t y = blockIdx.y; y < height) {",
                )
            ]
        },
    ),
    "row_of_32_bits": (
        "the last blocks write element 1048575",
        {
            "invert.cu": [
                ("in + y * row_stride", "in + unsigned(y) * unsigned(row_stride)"),
                ("out + y * width", "out + unsigned(y) * unsigned(width)"),
            ]
        },
    ),
}
