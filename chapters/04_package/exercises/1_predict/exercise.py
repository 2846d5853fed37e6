"""predict: which step an error comes from

Answer the questions in answers.py: in which step does a user see an error, and what must run again after a change? Nothing
is built. The lesson's three steps give the answers.
"""

from grader.checks import answer
from grader.report import show

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
    show(
        "the way of a package, and what is noticed where",
        "1 pip builds the wheel   setup.py needs torch, and build isolation hides it",
        "2 pip installs it        the name must fit this Python and system; METADATA names the torch",
        "3 Python imports it      the loader gives each undefined symbol an address",
        "4 a program calls it     the driver looks for an image of the kernel for this GPU",
    )
