"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "Two loops within the loop of the skeleton: one that only loads, into two arrays of four floats, and one that stores.",
    "The outer loop's first element and its step count groups of four: both become four "
    "times what they are, but threadIdx.x "
    "stays as it is, because neighbouring threads take neighbours.",
    "Element k of a thread is first + k * blockDim.x. The array may end within the four, "
    "so each load and store has its test.",
]
WRONG = {
    "two_and_two": (
        "at most 2 pairs",
        {
            "add.cu": [
                (
                    "const int64_t stride = int64_t(gridDim.x) * blockDim.x * 4;\n"
                    "    for (int64_t first = int64_t(blockIdx.x) * blockDim.x * 4 + threadIdx.x; first "
                    "< n; first += stride) {\n"
                    "        float x[4] = {}, y[4] = {};\n"
                    "        for (int k = 0; k < 4; k++) {",
                    "const int64_t stride = int64_t(gridDim.x) * blockDim.x * 2;\n"
                    "    for (int64_t first = int64_t(blockIdx.x) * blockDim.x * 2 + threadIdx.x; first "
                    "< n; first += stride) {\n"
                    "        float x[2] = {}, y[2] = {};\n"
                    "        for (int k = 0; k < 2; k++) {",
                ),
                ("< 4;", "< 2;"),
            ]
        },
    ),
    "b_at_the_end": (
        "thread 0 stores c[0] before it loads b[256]",
        {"add.cu": [("x[k] = a[i], y[k] = b[i];", "x[k] = a[i];"), ("x[k] + y[k]", "x[k] + b[i]")]},
    ),
    "neighbours": (
        "touches 16 sectors",
        {
            "add.cu": [
                (
                    "int64_t(blockIdx.x) * blockDim.x * 4 + threadIdx.x",
                    "4 * (int64_t(blockIdx.x) * blockDim.x + threadIdx.x)",
                ),
                (
                    "const int64_t i = first + k * int(blockDim.x);\n            if (i < n) x[k] = a[i], y[k] = b[i];",
                    "if (first + k < n) x[k] = a[first + k], y[k] = b[first + k];",
                ),
                (
                    "const int64_t i = first + k * int(blockDim.x);\n            if (i < n) c[i] = x[k] + y[k];",
                    "if (first + k < n) c[first + k] = x[k] + y[k];",
                ),
            ]
        },
    ),
    "no_test_in_the_loads": ("out of bounds", {"add.cu": [("if (i < n) x", "x")]}),
    "old_step": ("4096 elements, and", {"add.cu": [(".x * 4;", ".x;")]}),
    "index_of_32_bits": (
        "i has 32 bits, and n has 64",
        {
            "add.cu": [
                (
                    "            const int64_t i = first + k * int(blockDim.x);\n            if (i < n) c[i]",
                    "            const int i = first + k * int(blockDim.x);\n            if (i < n) c[i]",
                )
            ]
        },
    ),
    "cast_to_int": (
        "n = 4294967306, in a grid as large: 4294967306 elements, more than 2^32",
        {
            "add.cu": [
                (
                    "            const int64_t i = first + k * int(blockDim.x);\n            if (i < n) x[k]",
                    "            const int64_t i = int(first + k * int(blockDim.x));\n            if (i < n) x[k]",
                )
            ]
        },
    ),
    "from_the_last_on": (
        "at most 1 pair in flight, 4 are expected: thread 255 stores c[1023] before it loads a[767]",
        {
            "add.cu": [
                (
                    "        float x[4] = {}, y[4] = {};\n"
                    "        for (int k = 0; k < 4; k++) {\n"
                    "            const int64_t i = first + k * int(blockDim.x);\n"
                    "            if (i < n) x[k] = a[i], y[k] = b[i];\n"
                    "        }\n"
                    "        for (int k = 0; k < 4; k++) {\n"
                    "            const int64_t i = first + k * int(blockDim.x);\n"
                    "            if (i < n) c[i] = x[k] + y[k];\n",
                    "        for (int k = 3; k >= 0; k--) {\n"
                    "            const int64_t i = first + k * int(blockDim.x);\n"
                    "            if (i < n) c[i] = a[i] + b[i];\n",
                )
            ]
        },
    ),
    "array_of_int": (
        "n = 2: wrong result",
        {"add.cu": [("float x[4] = {}, y[4] = {};", "int x[4] = {}, y[4] = {};")]},
    ),
}
