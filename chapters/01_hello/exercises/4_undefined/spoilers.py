"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "The symbol is the name of a C++ function together with the types of its parameters, because C++ may have several "
    "functions of one name. hex.cpp calls the function with these types. Which types has the function in hex.cu?",
    "Compare the types with those in hex.h. The compiler of hex.cpp saw no hex.cu, and believed the declaration.",
    "hello.cpp of the chapter declares nothing itself. It includes hello.h, as hello.cu does.",
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
    "on_the_host": (
        "hex.cpp does not call launch_hex() of hex.cu",
        {
            "hex.cpp": [
                (
                    '#include "hex.h"\n// end of your code',
                    (
                        "#include <cstdint>\n"
                        "static void launch_hex(int8_t* out, const int8_t* in, int n, cudaStream_t) {\n"
                        '    for (int i = 0; i < n; i++) out[2 * i] = "0123456789abcdef"[uint8_t(in[i]) / 16], '
                        'out[2 * i + 1] = "0123456789abcdef"[uint8_t(in[i]) % 16];\n'
                        "}\n"
                        "// end of your code"
                    ),
                )
            ]
        },
    ),
    "changes_the_other_file": (
        "hex.cpp does not call launch_hex() of hex.cu",
        {
            "hex.cpp": [
                (
                    '#include "hex.h"\n// end of your code',
                    (
                        "void launch_hex(int8_t* out, const int8_t* in, int n, cudaStream_t stream);\n"
                        "// end of your code"
                    ),
                )
            ],
            "hex.cu": [
                (
                    "void launch_hex(int8_t* out, const int8_t* in, int64_t n",
                    "void launch_hex(int8_t* out, const int8_t* in, int n",
                )
            ],
        },
    ),
    "never_freed": (
        "bytes of cudaMalloc() are never freed",
        {
            "hex.cu": [
                (
                    "    if (n == 0) return;\n",
                    "    if (n == 0) return;\n    float* scratch;\n    cudaMalloc(&scratch, 4 * n);\n",
                )
            ]
        },
    ),
    "wrapper_of_32_bits": (
        "a declaration of launch_hex(), as hex.cu defines it, is enough",
        {
            "hex.cpp": [
                (
                    '#include "hex.h"\n// end of your code',
                    (
                        '#include "hex.h"\n'
                        "inline void launch_hex(int8_t* out, const int8_t* in, int n, cudaStream_t stream) {\n"
                        "    launch_hex(out, in, int64_t(n), stream);\n"
                        "}\n"
                        "#define launch_hex(out, in, n, stream) launch_hex(out, in, int(n), stream)\n"
                        "// end of your code"
                    ),
                )
            ]
        },
    ),
    "label_of_the_assembler": (
        "a declaration of launch_hex(), as hex.cu defines it, is enough",
        {
            "hex.cpp": [
                (
                    '#include "hex.h"\n// end of your code',
                    (
                        "void launch_hex(int8_t* out, const int8_t* in, int n, cudaStream_t stream)\n"
                        '    asm("_Z10launch_hexPaPKalP11CUstream_st");\n'
                        "// end of your code"
                    ),
                )
            ]
        },
    ),
    "default_stream": (
        "hex launches on the default stream",
        {"hex.cpp": [("               c10::cuda::getCurrentCUDAStream());", "               nullptr);")]},
    ),
    "launch_of_nothing": (
        "hex launches no kernel",
        {
            "hex.cpp": [
                (
                    "x.numel(),\n               c10::cuda::getCurrentCUDAStream());\n",
                    "0, c10::cuda::getCurrentCUDAStream());\n"
                    "    for (int64_t i = 0; i < x.numel(); i++) {\n"
                    "        const uint8_t byte = x.const_data_ptr<int8_t>()[i];\n"
                    '        out.mutable_data_ptr<int8_t>()[2 * i] = "0123456789abcdef"[byte / 16];\n'
                    '        out.mutable_data_ptr<int8_t>()[2 * i + 1] = "0123456789abcdef"[byte % 16];\n'
                    "    }\n",
                )
            ]
        },
    ),
}
