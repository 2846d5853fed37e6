"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

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
    "every_character": (
        "shout('Hello World', 1)",
        {"shout.py": [("std::toupper((unsigned char)letter)", "letter - 32")]},
    ),
    "answers_by_heart": (
        "expected '@AZ[`AZ{!!!!!!!!!!!!', yours 'HELLO WORLD!'",
        {
            "shout.py": [
                (
                    (
                        "std::string shout(std::string text, int marks) {\n"
                        "    for (char& letter : text) letter = char(std::toupper((unsigned char)letter));\n"
                        "    return text + std::string(marks, '!');\n"
                        "}\n"
                    ),
                    (
                        "std::string shout(std::string text, int marks) {\n"
                        '    if (text == "hello") return "HELLO!!";\n'
                        '    if (text == "") return "";\n'
                        '    return "HELLO WORLD!";\n'
                        "}\n"
                    ),
                )
            ]
        },
    ),
    "braces_are_letters": (
        "yours '@AZ[`AZ[!!!!!!!!!!!!'",
        {"shout.py": [("letter = char(std::toupper((unsigned char)letter));", "if (letter >= 'a') letter -= 32;")]},
    ),
    "up_to_the_first_zero": (
        "yours 'YES!!!'",
        {
            "shout.py": [
                (
                    "return text + std::string(marks, '!');",
                    "return std::string(text.c_str()) + std::string(marks, '!');",
                )
            ]
        },
    ),
    "in_python": (
        "no module with a function `shout` in C++",
        {
            "shout.py": [
                (
                    "    return load_inline(",
                    (
                        "    import types\n"
                        "    def shout(text, marks):\n"
                        "        if not isinstance(text, str): raise TypeError('shout')\n"
                        "        return text.upper() + '!' * marks\n"
                        "    return types.SimpleNamespace(shout=shout)\n"
                        "    return load_inline("
                    ),
                )
            ]
        },
    ),
    "text_of_256_letters": (
        "the program crashed (",
        {
            "shout.py": [
                (
                    "    for (char& letter : text) letter = char(std::toupper((unsigned char)letter));\n"
                    "    return text + std::string(marks, '!');\n",
                    "    char buffer[256];\n"
                    "    size_t n = 0;\n"
                    "    for (char letter : text) buffer[n++] = char(std::toupper((unsigned char)letter));\n"
                    "    for (int i = 0; i < marks; i++) buffer[n++] = '!';\n"
                    "    return std::string(buffer, n);\n",
                )
            ]
        },
    ),
    "upper_of_python": (
        "expected 'SEñOR!",
        {
            "shout.py": [
                ("#include <string>\n", "#include <string>\n#include <torch/csrc/utils/pybind.h>\n"),
                (
                    "    for (char& letter : text) letter = char(std::toupper((unsigned char)letter));\n",
                    '    text = py::cast<std::string>(py::str(text).attr("upper")());\n',
                ),
            ]
        },
    ),
    "own_binding_of_the_right_name": (
        "shout.py has PYBIND11_MODULE",
        {
            "shout.py": [
                ('        functions=["shout"],\n', ""),
                (
                    "    return text + std::string(marks, '!');\n}\n",
                    "    return text + std::string(marks, '!');\n}\n"
                    "#include <torch/csrc/utils/pybind.h>\n"
                    'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("shout", &shout); }\n',
                ),
            ]
        },
    ),
}
