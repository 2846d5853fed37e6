"""Hints, which `ARGS=--hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "twice() has all that halve() needs. In which three files does its name stand, apart from its own definition?",
    "An `m.def` in scaling.cpp for Python, `__init__.py` for those who write `import scaling`, my_kernel.pyi for editors.",
]
WRONG = {
    "not_in_init": (
        "scaling has no 'halve'",
        {"src/scaling/__init__.py": [("halve, twice", "twice"), ('halve", "twice', "twice")]},
    ),
    "no_stub": (
        "my_kernel.pyi has no 'halve'",
        {"src/scaling/my_kernel.pyi": [("def halve(input: Tensor) -> Tensor: ...\n\n", "")]},
    ),
    "no_name": ("halve(input=x)", {"scaling.cpp": [('halve), py::arg("input"))', "halve))")]}),
}
