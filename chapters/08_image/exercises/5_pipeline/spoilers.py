"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "First a thread for a pixel and a grid over columns and rows: out[(c * height + y) * "
    "width + x] gets byte c of pixel x of "
    "row y, or of pixel width - 1 - x where flip is true. All checks but the last then hold.",
    "Then give a thread four pixels: 12 bytes of img, and a float4 in each of the three planes. Of out all addresses are "
    "multiples of 16 bytes, because width is a multiple of 4.",
    "Load the 12 bytes as aligned words of 4 bytes: three, or four if the address of the first byte is not a multiple of 4. "
    "`__funnelshift_r(words[k], words[k + 1], 8 * shift)` then moves them to the front.",
    "Where these words would leave the row, fill the words byte by byte: words[k / 4] |= unsigned(p[k]) << (8 * (k % 4)).",
    "With flip, the four pixels of out from x on are those of img from width - 4 - x on, and the last of them comes first.",
]
WRONG = {
    "flips_groups_only": ("flip = True", {"prepare.cu": [("flip ? byte(9 - 3 * k + c) : byte", "byte")]}),
    "rows_without_gaps": ("wrong result", {"prepare.cu": [("y * row_stride", "3 * y * width")]}),
    "last_word": (
        "past the end",
        {"prepare.cu": [("shift && begin - shift + (shift == 0 ? 12 : 16) <= 3 * width", "shift")]},
    ),
    "beside_a_row": (
        "bytes outside of the row",
        {
            "prepare.cu": [
                ("begin >= shift && begin", "(y > 0 || begin >= shift) && (y + 1 < height || begin"),
                ("<= 3 * width) {", "<= 3 * width)) {"),
            ]
        },
    ),
    "a_block_for_each_row": (
        "height = 70000, width = 4: launch_prepare failed: invalid configuration argument",
        {"prepare.cu": [("unsigned(std::min(height, int64_t(65535)))", "unsigned(height)")]},
    ),
    "rows_of_one_grid": (
        "height = 70000, width = 4: 4465 rows are wrong, the first of them row 65535",
        {
            "prepare.cu": [
                (
                    "int64_t y = blockIdx.y; y < height; y += gridDim.y",
                    "int64_t y = blockIdx.y; y < height; y += height",
                )
            ]
        },
    ),
    "thread_for_a_pixel": (
        "6 loads and stores for 32 pixels",
        {
            "prepare.cu": [
                (
                    "// The 12 bytes at p, in the first three words. They lie in three aligned words, or "
                    "in four.\n"
                    "__device__ void load_12_bytes(unsigned (&words)[4], const uint8_t* p, unsigned shift) {\n"
                    "    const unsigned* pieces = reinterpret_cast<const unsigned*>(p - shift);\n"
                    "    for (int k = 0; k < 3; k++) words[k] = pieces[k];\n"
                    "    if (shift != 0) words[3] = pieces[3];\n"
                    "    for (int k = 0; k < 3; k++) words[k] = __funnelshift_r(words[k], words[k + 1], "
                    "8 * shift);\n"
                    "}\n"
                    "\n"
                    "// A thread computes four pixels of a row, with a float4 in each plane.\n",
                    "",
                ),
                (
                    "4 * (int64_t(blockIdx.x) * blockDim.x + threadIdx.x);  // in out",
                    "int64_t(blockIdx.x) * blockDim.x + threadIdx.x;",
                ),
                (
                    "    const int64_t begin = 3 * (flip ? width - 4 - x : x);  // in img, in bytes from "
                    "the row's beginning\n",
                    "",
                ),
                (
                    "const uint8_t* p = img + y * row_stride + begin;\n"
                    "        const unsigned shift = uintptr_t(p) % 4;\n"
                    "        unsigned words[4] = {};\n"
                    "        if (begin >= shift && begin - shift + (shift == 0 ? 12 : 16) <= 3 * width) {\n"
                    "            load_12_bytes(words, p, shift);\n"
                    "        } else {\n"
                    "            for (int k = 0; k < 12; k++) words[k / 4] |= unsigned(p[k]) << (8 * (k "
                    "% 4));\n"
                    "        }\n"
                    "        const auto byte = [&](int k) { return (words[k / 4] >> (8 * (k % 4))) & 255; };\n"
                    "        for (int c = 0; c < 3; c++) {\n"
                    "            float v[4];\n"
                    "            for (int k = 0; k < 4; k++) v[k] = (float(flip ? byte(9 - 3 * k + c) : "
                    "byte(3 * k + c)) - mean) * scale;\n"
                    "            *reinterpret_cast<float4*>(out + (c * height + y) * width + x) = "
                    "make_float4(v[0], v[1], v[2], v[3]);\n"
                    "        }",
                    "const uint8_t* p = img + y * row_stride + 3 * (flip ? width - 1 - x : x);\n"
                    "        for (int c = 0; c < 3; c++) out[(c * height + y) * width + x] = (p[c] - "
                    "mean) * scale;",
                ),
                ("4 * threads", "threads"),
            ]
        },
    ),
    "one_block_wide": (
        "flip = False, width = 528: wrong result",
        {"prepare.cu": [("blocks_for(width, 4 * threads), unsigned", "1, unsigned")]},
    ),
    "index_of_32_bits": (
        "the last blocks write element 23",
        {
            "prepare.cu": [
                (
                    "out + (c * height + y) * width + x",
                    "out + (unsigned(c) * unsigned(height) + unsigned(y)) * unsigned(width) + unsigned(x)",
                )
            ]
        },
    ),
    "place_of_32_bits": (
        "width = 4294967304: 12884901912 elements, more than 2^32: ",
        {"prepare.cu": [("const int64_t begin =", "const int begin =")]},
    ),
    "numbers_typed_in": (
        "flip = True, width = 4: wrong result",
        {"prepare.cu": [("- mean) * scale", "- 128) * 0.0625f")]},
    ),
    "rows_of_whole_pixels": (
        "a thread uses bytes outside of the row",
        {"prepare.cu": [("y * row_stride", "y * (row_stride - row_stride % 3)")]},
    ),
    "capped_grid": (
        "width = 4294967304: 12884901912 elements, more than 2^32, 2048 threads, and each computes 12 elements",
        {"prepare.cu": [("grid(blocks_for(width, 4 * threads)", "grid(std::min(blocks_for(width, 4 * threads), 16u)")]},
    ),
    "fixed_grid_of_two_turns": (
        "The launcher starts 512 threads",
        {
            "prepare.cu": [
                (
                    (
                        "    const int64_t x = 4 * (int64_t(blockIdx.x) * blockDim.x + threadIdx.x);  // in out\n"
                        "    if (x >= width) return;\n"
                    ),
                    (
                        "    const int64_t step = 4 * gridDim.x * blockDim.x;\n"
                        "    for (int64_t x = 4 * (int64_t(blockIdx.x) * blockDim.x + threadIdx.x);\n"
                        "         x < width && x < 2 * step; x += step) {\n"
                    ),
                ),
                ("        }\n    }\n}\n\nvoid launch", "        }\n    }\n    }\n}\n\nvoid launch"),
                ("blocks_for(width, 4 * threads)", "2"),
            ]
        },
    ),
    "whole_mean": (
        "flip = False, mean = 123.675, scale = 0.017, width = 8: wrong result",
        {
            "prepare.cu": [
                ("const auto byte =", ("const int m = int(mean);\n        const auto byte =")),
                ("- mean)", "- m)"),
            ]
        },
    ),
    "height_of_0": (
        "width = 8, height = 0: ",
        {"prepare.cu": [("if (height == 0 || width == 0) return;", "if (width == 0) return;")]},
    ),
    "two_kernels": (
        "launches more than one kernel",
        {
            "prepare.cu": [
                ("    CHECK_LAUNCH();", ("    CHECK_LAUNCH();\n    const int64_t h = 0;")),
                ("int64_t y = blockIdx.y; y < height;", "int64_t y = int64_t(blockIdx.y) * 2 + first; y < height;"),
                ("y += gridDim.y)", "y += 2 * gridDim.y)"),
                (
                    ("bool flip, float mean, float scale) {\n    const int64_t x"),
                    ("bool flip, float mean, float scale, int first) {\n    const int64_t x"),
                ),
                (
                    (
                        "    prepare_kernel<<<grid, threads, 0, stream>>>(out, img, height, width, row_stride, flip, "
                        "mean, scale);"
                    ),
                    (
                        "    for (int first = 0; first < 2; first++)\n"
                        "        prepare_kernel<<<grid, threads, 0, stream>>>(out, img, height, width, row_stride, "
                        "flip, mean, scale, first);"
                    ),
                ),
            ]
        },
    ),
    "row_stride_of_32_bits": (
        "2 rows, width = 4294967304",
        {"prepare.cu": [("y * row_stride + begin", "y * unsigned(row_stride) + begin")]},
    ),
}
