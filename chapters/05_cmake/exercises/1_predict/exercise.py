"""predict: what runs again, and which program misses what

Nothing is built: the lesson's drawing and its three commands give the answers.
"""

from common.exercises import answer

MINUTES = 5
HINTS = [
    "The dashed arrow in the drawing is a copy. A shared library is loaded when a program starts.",
    "PUBLIC passes folders of headers on to the targets that link axpy. Which sources are of axpy, which are not?",
    "The linker accepts undefined symbols in a shared library, and the module is one. A program is none.",
]
FAILS = "COMMANDS is None"
WRONG = {
    "build_only": ("COMMANDS = ['build'] is not right", {"answers.py": [(', "install"', "")]}),
    "other_order": (
        "in another order than the question asks for",
        {"answers.py": [('["binding.cpp", "main.cpp"]', '["main.cpp", "binding.cpp"]')]},
    ),
    "compiler_sees": ("TORCH_PYTHON = 'link' is not right", {"answers.py": [('"import"\n', '"link"\n')]}),
}


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
