"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "(p + qi) * (r + si) = (p * r - q * s) + (p * s + q * r)i",
    "`const float2 u = a[i];` is one load. u.x and u.y are registers then. make_float2(x, y) makes a float2.",
    "`out[i] = make_float2(x, y);` is one store of 8 bytes; `out[i].x = x; out[i].y = y;` are two of 4 bytes.",
]
WRONG = {
    "wrong_sign": ("wrong result", {"multiply.cu": [("x -", "x +")]}),
    "part_by_part": (
        "touches 8 sectors, and 4 could hold its bytes",
        {
            "multiply.cu": [
                (
                    "const float2 u = a[i], v = b[i];\n"
                    "    out[i] = make_float2(u.x * v.x - u.y * v.y, u.x * v.y + u.y * v.x);",
                    "out[i].x = a[i].x * b[i].x - a[i].y * b[i].y;\n    out[i].y = a[i].x * b[i].y + a[i].y * b[i].x;",
                )
            ]
        },
    ),
    "index_as_int": (
        "4294967306 elements, more than 2^32: kernel multiply_kernel",
        {
            "multiply.cu": [("const int64_t i = int64_t(blockIdx.x)", "const int i = blockIdx.x")],
        },
    ),
    "one_thread": (
        "1024 stores, each by one lane alone",
        {
            "multiply.cu": [
                ("    if (i >= n) return;\n", ("    if (i > 0) return;\n    for (int64_t i = 0; i < n; i++) {\n")),
                ("u.y * v.x);\n", ("u.y * v.x);\n    }\n")),
            ],
        },
    ),
    "stores_twice": (
        "1024 elements, and 2048 stores",
        {
            "multiply.cu": [("    out[i] = make", ("    out[i] = make_float2(0, 0);\n    out[i] = make"))],
        },
    ),
}
