"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "The first byte in memory, blue, is the lowest of the word: `pixel & 255`. Red is the third: `(pixel >> 16) & 255`.",
    "Green and alpha stay where they are: `pixel & 0xff00ff00` has these two, and 0 in the other bytes.",
    "`|` joins three words: that of green and alpha, red as the lowest byte, and blue 16 bits further up.",
]
WRONG = {
    "highest_byte_first": (
        "wrong result",
        {
            "swap.cu": [
                (
                    "0xff00ff00) | ((pixel >> 16) & 255) | ((pixel & 255",
                    "0x00ff00ff) | ((pixel >> 16) & 0xff00) | ((pixel & 0xff00",
                )
            ]
        },
    ),
    "alpha_forgotten": ("wrong result", {"swap.cu": [("0xff00ff00", "0xff00")]}),
    "blue_remains": ("wrong result", {"swap.cu": [("(pixel & 0xff00ff00)", "pixel")]}),
    "fixed_grid": (
        "n = 2056 (bgra: 2056 rows, 4 columns): wrong result",
        {"swap.cu": [("<<<blocks_for(n / 4, threads)", "<<<2")]},
    ),
    "one_thread": (
        "256 stores, each by one lane alone",
        {
            "swap.cu": [
                (
                    (
                        "    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;\n"
                        "    if (i >= n4) return;\n"
                        "    const uint4 pixels = bgra[i];\n"
                        "    rgba[i] = make_uint4(swapped(pixels.x), swapped(pixels.y), swapped(pixels.z), "
                        "swapped(pixels.w));\n"
                    ),
                    (
                        "    if (blockIdx.x + threadIdx.x != 0) return;\n"
                        "    for (int64_t i = 0; i < n4; i++) {\n"
                        "        const uint4 pixels = bgra[i];\n"
                        "        rgba[i] = make_uint4(swapped(pixels.x), swapped(pixels.y), swapped(pixels.z), "
                        "swapped(pixels.w));\n"
                        "    }\n"
                    ),
                )
            ]
        },
    ),
    "index_of_32_bits": (
        "n = 17179869188: 68719476752 elements, more than 2^32: ",
        {"swap.cu": [("const int64_t i = int64_t(blockIdx.x)", "const int i = blockIdx.x")]},
    ),
}
