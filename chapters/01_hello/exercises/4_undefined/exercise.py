"""undefined symbol: two files that do not agree

Both files compile, and the linker makes a shared library. Python cannot import it.
"""

import torch

from common.exercises import Wrong, device, extension

MINUTES = 15
MEMORY_CHECK = False
HINTS = [
    "The symbol is the name of a C++ function together with the types of its parameters: C++ may have several functions of "
    "one name. `c++filt SYMBOL`, in a shell, shows it as C++.",
    "Compare the types with those in hex.h. The compiler of hex.cpp saw no hex.cu, and believed the declaration.",
    "hello.cpp and hello.cu of the chapter include one header, so they cannot differ.",
]
FAILS = "undefined symbol"
WRONG = {
    "long_long": (
        "_Z10launch_hexPaPKax",
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
        raise Wrong(f"both files compile, the linker is done, and the loader refuses the result\n{message}") from None
    for data in b"", b"H", b"Hello World!":
        yours = hex(torch.tensor(list(data), dtype=torch.int8, device=device))
        if yours != data.hex():
            raise Wrong(f"hex of {data!r}: expected {data.hex()!r}, yours {yours!r}")
    print("right   hex of b'Hello World!' is '48656c6c6f20576f726c6421'")
