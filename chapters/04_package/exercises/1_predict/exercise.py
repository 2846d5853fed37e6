"""predict: which step an error comes from

Nothing is built: the lesson's three steps give the answers.
"""

from grader.checks import answer

MINUTES = 5
FAILS = "UNDEFINED is None"


def run(mine):
    answer(mine, "UNDEFINED", 3, "a name without an address: which step fills in addresses?")
    answer(mine, "NO_TORCH", 1, "setup.py imports torch: when does it run, and in which environment?")
    answer(
        mine, "PLATFORM", 2, "the end of the wheel's name says for which Python and system it is: who reads it first?"
    )
    answer(mine, "IMAGE", 4, "which machine code is needed, and when for the first time?")
    answer(mine, "OTHER_TORCH", "replaces", "METADATA names the torch that the package needs, and pip provides it")
    answer(mine, "CHANGED_PY", "nothing", "which copy of __init__.py does Python read after an editable install?")
    answer(mine, "CHANGED_CU", "build_ext", "Python loads machine code: which program has made it, and when?")
