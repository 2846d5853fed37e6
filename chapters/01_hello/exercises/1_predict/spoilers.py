"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "A compiler runs again when the text of its translation unit has changed: the source, or a header that it includes. "
    "The linker runs again when an object file has changed.",
    "hello.cu becomes cuda.cu, which only nvcc reads. Both sources include hello.h. load_inline() writes the binding, made "
    "from `functions`, into main.cpp.",
    "Steps 1 to 3 know torch's libraries by name only. Step 4 looks for the addresses.",
]
WRONG = {
    "compiles_all": (
        "LETTER = ['g++', 'nvcc', 'linker'] is not right",
        {"answers.py": [('["nvcc"', '["g++", "nvcc"')]},
    ),
    "header_in_one": (
        "HEADER = ['g++', 'linker'] is not right",
        {"answers.py": [(' "nvcc", "linker"]', ' "linker"]')]},
    ),
    "equals_everything": (
        "LETTER = [<ANY>, <ANY>] is not right",
        {"answers.py": [('LETTER = ["nvcc", "linker"]', "from unittest.mock import ANY\nLETTER = [ANY, ANY]")]},
    ),
}
