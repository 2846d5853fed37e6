"""predict: which program runs again, and which one reports a mistake

Nothing is built: the four steps of the lesson give the answers.
"""

from common.exercises import answer

MINUTES = 5
HINTS = [
    "A compiler runs again when the text of its translation unit has changed: the source, or a header that it includes. "
    "The linker runs again when an object file has changed.",
    "hello.cu becomes cuda.cu, which only nvcc reads. Both sources include hello.h. load_inline() writes the binding, made "
    "from `functions`, into main.cpp.",
    "Steps 1 to 3 know torch's libraries by name only. Step 4 looks for the addresses.",
]
FAILS = "LETTER is None"
WRONG = {
    "compiles_all": (
        "LETTER = ['g++', 'nvcc', 'linker'] is not right",
        {"answers.py": [('["nvcc"', '["g++", "nvcc"')]},
    ),
    "header_in_one": (
        "HEADER = ['g++', 'linker'] is not right",
        {"answers.py": [(' "nvcc", "linker"]', ' "linker"]')]},
    ),
}


def run(mine):
    answer(
        mine,
        "LETTER",
        ["nvcc", "linker"],
        "into which file does load_inline() write the text of hello.cu, and who reads that file?",
    )
    answer(mine, "HEADER", ["g++", "nvcc", "linker"], "which sources include hello.h?")
    answer(mine, "FUNCTION", ["g++", "linker"], "which file that load_inline() writes has the names in `functions`?")
    answer(mine, "KERNEL", "g++", "the binding calls the functions that it names: which program reads the binding?")
    answer(mine, "NO_TORCH", "loader", "hello.so exists already: which program needs torch's libraries to be there?")
