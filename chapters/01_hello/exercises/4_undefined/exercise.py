"""undefined symbol: two files that do not agree

Both files compile, and the linker makes a shared library. Python cannot import it.
"""

import re
import subprocess

import torch

from common.exercises import Wrong, device, extension

MINUTES = 15
MEMORY_CHECK = False
HINTS = [
    "The symbol is the name of a C++ function together with the types of its parameters, because C++ may have several "
    "functions of one name. hex.cpp calls the function with these types. Which types has the function in hex.cu?",
    "Compare the types with those in hex.h. The compiler of hex.cpp saw no hex.cu, and believed the declaration.",
    "hello.cpp and hello.cu of the chapter include one header, so they cannot differ.",
]
FAILS = "launch_hex(signed char*, signed char const*, int, CUstream_st*)"
WRONG = {
    "long_long": (
        "launch_hex(signed char*, signed char const*, long long, CUstream_st*)",
        {
            "hex.cpp": [
                (
                    '#include "hex.h"',
                    "void launch_hex(int8_t* out, const int8_t* in, long long n, cudaStream_t stream);",
                )
            ]
        },
    ),
    "not_called_so_in_c": (
        "undefined symbol: launch_hex",
        {
            "hex.cpp": [
                (
                    '#include "hex.h"',
                    'extern "C" void launch_hex(int8_t* out, const int8_t* in, int64_t n, cudaStream_t stream);',
                )
            ]
        },
    ),
}


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
