"""Hints, which `ARGS=--hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "The symbol is the name of a C++ function together with the types of its parameters, because C++ may have several "
    "functions of one name. hex.cpp calls the function with these types. Which types has the function in hex.cu?",
    "Compare the types with those in hex.h. The compiler of hex.cpp saw no hex.cu, and believed the declaration.",
    "hello.cpp and hello.cu of the chapter include one header, so they cannot differ.",
]
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
