"""build(name) compiles a function in C++ and returns the module `name` that has it."""

from common.cpp_extension import load_inline

CPP = r"""
#include <torch/csrc/Exceptions.h>  // for the binding that load_inline adds

#include <cctype>
#include <string>

// The text in capitals, followed by so many exclamation marks: shout("hello", 2) is "HELLO!!".
// your code
std::string shout(std::string text, int marks) {
    for (char& letter : text) letter = char(std::toupper((unsigned char)letter));
    return text + std::string(marks, '!');
}
// end of your code
"""


def build(name):
    return load_inline(
        name=name,
        cpp_sources=[CPP],
        # your code
        functions=["shout"],
        # end of your code
        no_implicit_headers=True,
    )
