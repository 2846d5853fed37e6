"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "The dashed arrow in the drawing is a copy. A shared library is loaded when a program starts.",
    "PUBLIC passes folders of headers on to the targets that link axpy. Which sources belong to those targets?",
    "The linker accepts undefined symbols in a shared library, and the module is one. A program is not.",
]
WRONG = {
    "build_only": ("COMMANDS = ['build'] is not right", {"answers.py": [(', "install"', "")]}),
    "other_order": (
        "not in the order that the question asks for",
        {"answers.py": [('["binding.cpp", "main.cpp"]', '["main.cpp", "binding.cpp"]')]},
    ),
    "compiler_sees": ("TORCH_PYTHON = 'link' is not right", {"answers.py": [('"import"\n', '"link"\n')]}),
}
