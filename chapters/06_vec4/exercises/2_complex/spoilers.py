"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "(p + qi) * (r + si) = (p * r - q * s) + (p * s + q * r)i",
    "`const float2 u = a[i];` is one load. u.x and u.y are registers then. make_float2(x, y) makes a float2.",
    "`out[i] = make_float2(x, y);` is one store of 8 bytes; `out[i].x = x; out[i].y = y;` are two of 4 bytes.",
]
WRONG = {
    "load_of_32_bits": ("expected 9", {"multiply.cu": [("v = b[i]", "v = b[unsigned(i)]")]}),
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
    "two_numbers_as_float4": (
        "n = 2: kernel multiply_kernel: misaligned address",
        {
            "multiply.cu": [
                (
                    "    const float2 u = a[i], v = b[i];\n"
                    "    out[i] = make_float2(u.x * v.x - u.y * v.y, u.x * v.y + u.y * v.x);\n",
                    "    const int64_t p = 2 * i;\n"
                    "    if (p + 1 < n) {\n"
                    "        const float4 u = reinterpret_cast<const float4*>(a)[i];\n"
                    "        const float4 v = reinterpret_cast<const float4*>(b)[i];\n"
                    "        reinterpret_cast<float4*>(out)[i] =\n"
                    "            make_float4(u.x * v.x - u.y * v.y, u.x * v.y + u.y * v.x, u.z * v.z - u.w * v.w,\n"
                    "                        u.z * v.w + u.w * v.z);\n"
                    "    } else if (p < n) {\n"
                    "        const float2 u = a[p], v = b[p];\n"
                    "        out[p] = make_float2(u.x * v.x - u.y * v.y, u.x * v.y + u.y * v.x);\n"
                    "    }\n",
                )
            ],
        },
    ),
    "whole_numbers": (
        "fractions, n = 260: wrong result",
        {
            "multiply.cu": [
                (
                    "    out[i] = make_float2(u.x * v.x - u.y * v.y, u.x * v.y + u.y * v.x);\n",
                    "    const int p = u.x, q = u.y, r = v.x, s = v.y;\n"
                    "    out[i] = make_float2(p * r - q * s, p * s + q * r);\n",
                )
            ],
        },
    ),
}
