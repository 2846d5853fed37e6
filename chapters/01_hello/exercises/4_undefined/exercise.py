"""undefined symbol: two files that do not agree

Both files compile, and the linker makes a shared library. Python cannot import it.
"""

import re
import subprocess

import torch

from grader.checks import Wrong, device, extension

MINUTES = 15
MEMORY_CHECK = False
FAILS = "launch_hex(signed char*, signed char const*, int, CUstream_st*)"


def run(mine):
    try:
        hex = extension(mine, ["hex.cpp", "hex.cu"]).hex
    except ImportError as error:
        message = str(error).rpartition("/")[2]
        if symbol := re.search(r"undefined symbol: (\w+)", message):
            in_cpp = subprocess.run(["c++filt", symbol[1]], capture_output=True, text=True).stdout.strip()
            message += f"\nin C++, as c++filt shows it: {in_cpp}"
        raise Wrong(f"both files compile, the linker is done, and the loader refuses the result\n{message}") from None
    for data in b"", b"H", b"Hello World!":
        yours = hex(torch.tensor(list(data), dtype=torch.int8, device=device))
        if yours != data.hex():
            raise Wrong(f"hex of {data!r}: expected {data.hex()!r}, yours {yours!r}")
    print("right   hex of b'Hello World!' is '48656c6c6f20576f726c6421'")
