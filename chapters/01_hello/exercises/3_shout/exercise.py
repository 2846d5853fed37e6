"""shout: write a function in C++ that Python can call

Write shout(text, marks) in C++, and tell load_inline() which name Python sees: shout("hello", 2) is HELLO!!. Only the
letters a to z change. The check also passes a number in place of a text, which the binding refuses.
"""

import re
from types import BuiltinFunctionType

from grader.checks import Wrong, module, place, refuses, without_comments

MINUTES = 15
MEMORY_CHECK = False
FAILS = "PyInit_"


def run(mine):
    try:
        built = module(mine / "shout.py").build(place(mine).name)
    except ImportError as error:
        if "PyInit_" not in str(error):
            raise
        raise Wrong(
            f"the compilers and the linker are done, and Python cannot import the result\n{error}\n"
            "A binding defines this function. load_inline() writes the binding for the functions that an argument names, "
            "as in main.py of the chapter"
        ) from None
    if not isinstance(getattr(built, "shout", None), BuiltinFunctionType):
        raise Wrong("build() returns no module with a function `shout` in C++")
    if built.__name__ != place(mine).name:
        raise Wrong(
            f"build({place(mine).name!r}) returns the module {built.__name__!r}, expected: the name that it gets"
        )
    if "PYBIND11_MODULE" in without_comments(mine / "shout.py"):
        raise Wrong("shout.py has PYBIND11_MODULE: load_inline() writes it for the functions that an argument names")
    others = ("", 0), ("@az[`AZ{", 12), ("yes\0no", 3), (20 * "loud ", 1), ("señor", 70), (1000 * "loud ", 1)
    for text, marks in ("hello", 2), ("Hello World", 1), *others:
        expected = re.sub("[a-z]", lambda letter: letter[0].upper(), text) + marks * "!"
        if (yours := built.shout(text, marks)) != expected:
            said = f"shout({text!r:.99}, {marks}): expected {expected!r:.99}, yours {yours!r:.99}"
            raise Wrong(f"{said}: {len(expected)} and {len(yours)} letters")
    refuses(lambda: built.shout(3, 1), TypeError, "shout", "shout(3, 1)")
    print("right   shout('hello', 2) is 'HELLO!!'; the binding refuses shout(3, 1) without a line of yours")
