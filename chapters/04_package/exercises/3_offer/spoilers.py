"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

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
    "twice_lost": (
        "__all__ of scaling lacks 'twice'",
        {"src/scaling/__init__.py": [("import halve, twice", "import halve"), ('"halve", "twice"', '"halve"')]},
    ),
    "in_python": (
        "scaling.halve is not the function halve of scaling.my_kernel",
        {
            "src/scaling/__init__.py": [
                (
                    "from .my_kernel import halve, twice\n",
                    ("from .my_kernel import twice\ndef halve(input): return input / 2\n"),
                )
            ]
        },
    ),
    "stub_of_twice_lost": (
        "halve and twice take and return the same",
        {"src/scaling/my_kernel.pyi": [("def twice(input: Tensor) -> Tensor: ...\n", "")]},
    ),
    "ends_the_program": (
        "the program ended before its check was complete",
        {
            "src/scaling/__init__.py": [
                (
                    "import torch  # first: it loads the libraries that my_kernel is linked to\n",
                    "import torch  # first: it loads the libraries that my_kernel is linked to\nraise SystemExit\n",
                )
            ]
        },
    ),
    "never_freed": (
        "bytes of cudaMalloc() are never freed",
        {
            "scaling_kernel.cu": [
                (
                    "    if (n == 0) return;\n",
                    "    if (n == 0) return;\n    float* scratch;\n    cudaMalloc(&scratch, 4 * n);\n",
                )
            ]
        },
    ),
    "twice_halves": (
        "scaling.twice of 1, -3, 8 gives [0.5, -1.5, 4.0]",
        {"scaling.cpp": [("wrap_pybind_function_no_gil(twice)", "wrap_pybind_function_no_gil(halve)")]},
    ),
    "all_is_a_string": (
        "`from scaling import *` fails",
        {"src/scaling/__init__.py": [('["halve", "twice"]', '"halve, twice"')]},
    ),
    "stub_without_tensor": (
        "my_kernel.pyi does not import Tensor from torch",
        {"src/scaling/my_kernel.pyi": [("from torch import Tensor\n", "")]},
    ),
}
