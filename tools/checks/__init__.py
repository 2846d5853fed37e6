"""The checks of `make doctor` (tools/doctor.py). Each is a function of a Machine that returns ok, warning or broken;
its docstring says why it matters, and stands in the root README.
"""

from typing import NamedTuple


class Finding(NamedTuple):
    status: str  # "ok", "warning" (the lessons run, but not as they could), "broken" (something does not work)
    found: str
    cure: str = ""  # the one command that mends it


CHECKS = []  # in the order in which they are shown: what a later one needs comes first


def check(function):
    CHECKS.append(function)
    return function


def ok(found):
    return Finding("ok", found)


def warning(found, cure):
    return Finding("warning", found, cure)


def broken(found, cure):
    return Finding("broken", found, cure)


# Each module adds its checks to the list.
from . import packages, resources, compilers, gpu  # noqa: E402, F401, I001
