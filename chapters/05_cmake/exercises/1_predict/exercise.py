"""predict: what runs again, and which program misses what

Answer the questions in answers.py: which commands run again after a change, and which program misses what? Nothing is built.
The lesson's drawing and its commands give the answers.
"""

from grader.checks import answer
from grader.report import show

MINUTES = 5
FAILS = "COMMANDS is None"


def run(mine):
    answer(
        mine,
        "COMMANDS",
        ["build", "install"],
        "which command compiles, and which one copies to where consumer finds it?",
    )
    answer(mine, "CONSUMER", "no", "when does the machine code of a shared library get into a program?")
    answer(
        mine,
        "PRIVATE",
        ["binding.cpp", "main.cpp"],
        "which sources include headers of torch, and are not of axpy itself?",
    )
    answer(
        mine, "TORCH_PYTHON", "import", "the headers are still there, and a shared library may have undefined symbols"
    )
    answer(mine, "FOLDER", "torch", "what does axpyConfig.cmake find before it reads axpyTargets.cmake?")
    show(
        "the way of a changed kernel to the program that uses it",
        "axpy.cu --build--> build/libaxpy.so --install--> lib/libaxpy.so --start--> consumer",
    )
