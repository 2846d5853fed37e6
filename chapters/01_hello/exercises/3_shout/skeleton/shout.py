"""build(name) compiles a function in C++ and returns the module `name` that has it."""

from common.cpp_extension import load_inline

CPP = r"""
#include <torch/csrc/Exceptions.h>  // for the binding that load_inline adds

#include <cctype>
#include <string>

// The text in capitals, followed by so many exclamation marks: shout("hello", 2) is "HELLO!!".
// your code
// end of your code
"""


def build(name):
    return load_inline(
        name=name,
        cpp_sources=[CPP],
        # your code
        # end of your code
        no_implicit_headers=True,
    )
