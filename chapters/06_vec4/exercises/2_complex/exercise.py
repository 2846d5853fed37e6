"""complex: multiply complex numbers with loads of 8 bytes

Two loads of 4 bytes give the same result, and touch each sector twice.
"""

import torch

from common.exercises import Wrong, check, device, drawn, launchers, seen

MINUTES = 15
HINTS = [
    "(p + qi) * (r + si) = (p * r - q * s) + (p * s + q * r)i",
    "`const float2 u = a[i];` is one load. u.x and u.y are registers then. make_float2(x, y) makes a float2.",
    "`out[i] = make_float2(x, y);` is one store of 8 bytes; `out[i].x = x; out[i].y = y;` are two of 4 bytes.",
]
FAILS = "? is not written"
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
}


def some(n):
    return torch.complex(*torch.randint(-9, 9, (2, n), device=device).float())


def run(mine):
    launch = launchers(mine / "multiply.cu").launch_multiply

    def multiply(a, b):
        out = torch.empty_like(a)
        launch(out, a, b, a.numel())
        return out

    check(multiply, lambda a, b: a * b, lambda n: (some(n), some(n)))
    rows = seen(lambda: multiply(some(1024), some(1024)))
    for row in rows:
        if row.sectors > row.least_sectors:
            raise Wrong(
                f"multiply.cu:{row.line}: a {row.kind} of {row.width} bytes a thread: a warp touches "
                f"{row.sectors_per_request:g} sectors, and {row.least_sectors_per_request:g} could hold its bytes\n"
                + drawn(row)
            )
    if rows:
        print("right   each load and store of a warp touches as few sectors as can be")
