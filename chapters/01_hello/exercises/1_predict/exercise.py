"""predict: which program runs again after a change, and which one reports a mistake

Answer the questions in answers.py: after a change, which programs run again, and which one reports a mistake? Nothing is
built. The four steps of the lesson give the answers.
"""

from grader.checks import answer
from grader.report import show

MINUTES = 5
FAILS = "LETTER is None"


def run(mine):
    letter, header, function = ["nvcc", "linker"], ["g++", "nvcc", "linker"], ["g++", "linker"]
    answer(
        mine,
        "LETTER",
        letter,
        "into which file does load_inline() write the text of hello.cu, and who reads that file?",
    )
    answer(mine, "HEADER", header, "which sources include hello.h?")
    answer(mine, "FUNCTION", function, "which file that load_inline() writes has the names in `functions`?")
    answer(mine, "KERNEL", "g++", "the binding calls the functions that it names: which program reads the binding?")
    answer(mine, "NO_TORCH", "loader", "hello.so exists already: which program needs torch's libraries to be there?")
    changes = {"a letter in hello.cu": letter, "hello_length in hello.h": header, "`functions` in main.py": function}
    show(
        "what ninja runs again after each change",
        f"{'':27}{'g++':7}{'nvcc':7}linker",
        *(
            f"{change:27}" + "".join(f"{'runs' if tool in tools else '-':7}" for tool in ("g++", "nvcc", "linker"))
            for change, tools in changes.items()
        ),
    )
