"""Hints, which `ARGS=--hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "The function is plain C++: a std::string and an int come in, a std::string goes out. main.py of the chapter has the "
    "argument of load_inline() with the names that Python sees.",
    "std::toupper(letter) leaves alone what is no small letter. std::string(3, '!') is \"!!!\".",
    '`std::string shout(std::string text, int marks) { ... }`, and `functions=["shout"],`',
]
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
