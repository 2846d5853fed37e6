"""shout: a function in C++ that Python can call

The reader writes the function, and tells load_inline() which name Python sees.
"""

from common.exercises import Wrong, module, place, refuses

MINUTES = 15
MEMORY_CHECK = False
HINTS = [
    "The function is plain C++: a std::string and an int come in, a std::string goes out. main.py of the chapter has the "
    "argument of load_inline() with the names that Python sees.",
    "std::toupper(letter) leaves alone what is no small letter. std::string(3, '!') is \"!!!\".",
    '`std::string shout(std::string text, int marks) { ... }`, and `functions=["shout"],`',
]
FAILS = "PyInit_"
WRONG = {
    "not_in_functions": ("PyInit_", {"shout.py": [('        functions=["shout"],\n', "")]}),
    "own_binding": (
        "load_inline() writes the binding",
        {
            "shout.py": [
                ('        functions=["shout"],\n', ""),
                (
                    "    return text + std::string(marks, '!');\n}\n",
                    "    return text + std::string(marks, '!');\n}\n"
                    "#include <torch/csrc/utils/pybind.h>\n"
                    'PYBIND11_MODULE(shout, m) { m.def("shout", &shout); }\n',
                ),
            ]
        },
    ),
    "other_name": ("wrap_pybind_function(shout)", {"shout.py": [("string shout(", "string shouted(")]}),
    "every_character": ("shout('Hello World', 1)", {"shout.py": [("std::toupper(letter)", "letter - 32")]}),
}


def run(mine):
    try:
        built = module(mine / "shout.py").build(place(mine).name)
    except ImportError as error:
        if "PyInit_" not in str(error):
            raise
        raise Wrong(
            f"the compilers and the linker are done, and Python cannot import the result\n{error}\n"
            "A binding defines this function. load_inline() writes the binding for the functions that an argument names, "
            "as in main.py of the chapter"
        ) from None
    for text, marks, expected in ("hello", 2, "HELLO!!"), ("Hello World", 1, "HELLO WORLD!"), ("", 0, ""):
        if (yours := built.shout(text, marks)) != expected:
            raise Wrong(f"shout({text!r}, {marks}): expected {expected!r}, yours {yours!r}")
    refuses(lambda: built.shout(3, 1), TypeError, "shout", "shout(3, 1)")
    print("right   shout('hello', 2) is 'HELLO!!'; the binding refuses shout(3, 1) without a line of yours")
