"""predict: which program runs again, and which one reports a mistake

Nothing is built: the four steps of the lesson give the answers.
"""

from grader.checks import answer

MINUTES = 5
FAILS = "LETTER is None"


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
