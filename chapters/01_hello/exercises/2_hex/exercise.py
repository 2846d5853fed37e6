"""hex: look letters up in a table in constant memory

Thread i reads byte i and writes the two letters that show it in hexadecimal: for H, which is 72, the letters 48. It finds
the digits in a table in constant memory. The check also passes texts with an accent, and grids with more threads than bytes.
"""

import torch

from grader.checks import (
    Wrong,
    check,
    device,
    found_by_cuda,
    last_element,
    launchers,
    many,
    orders,
    seen,
    work_is_divided,
)

MINUTES = 15
FAILS = "yours '??'"


def run(mine):
    launch = launchers(mine / "hex.cu").launch_hex

    def hex(x):
        out = torch.empty(2 * x.numel(), dtype=torch.int8, device=device)
        launch(out, x, x.numel())
        return out

    def letters(x):
        return torch.tensor(
            list(bytes(x.cpu().view(torch.uint8).tolist()).hex().encode()), dtype=torch.int8, device=device
        )

    for text in "H", "Hi", "Hello World!", "Señor":
        data = text.encode()
        x = torch.tensor(list(data), dtype=torch.uint8).view(torch.int8).to(device)
        for remark in orders():
            out = torch.full((2 * len(data),), ord("?"), dtype=torch.int8, device=device)
            try:
                launch(out, x, len(data))
            except RuntimeError as error:
                raise Wrong(f"{text!r}{remark}: {found_by_cuda(error)}") from None
            yours = bytes(out.cpu().view(torch.uint8).tolist()).decode("latin1")
            if yours != data.hex():
                raise Wrong(f"{text!r}{remark}: expected {data.hex()!r}, yours {yours!r}")
    hundred = torch.zeros(100, dtype=torch.int8, device=device)
    work_is_divided(lambda: hex(hundred), 200, itemsize=1, warps=4)
    rows = seen(lambda: hex(hundred))
    if rows and not any(row.space == "constant" for row in rows):
        raise Wrong("the kernel reads nothing in constant memory: the table `digits` is there")
    check(hex, letters, lambda n: (torch.randint(-128, 128, (n,), dtype=torch.int8, device=device),))
    n = 2**32 + 10
    out, x = many(2 * n, torch.int8), many(n, torch.int8)
    last_element(launch, out, x, n, expected=ord("0"), where=f"n = {n}", may_loop=False, threads=n)
