"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "All three messages come from step 3, the import. What did Python, or the loader, look for, and who should have made it "
    "or loaded it?",
    "`from .my_kernel` in the package scaling looks for scaling/my_kernel.*.so. libc10.so is a library of torch.",
    "An undefined symbol is a function that nobody has defined for the loader. Which file defines this one? Is that file "
    "compiled?",
]
WRONG = {
    "module_renamed": ("No module named 'scaling.my_kernel'", {"setup.py": [("scaling.my_kernel", "my_kernel")]}),
    "torch_second": (
        "libc10.so: cannot open shared object file",
        {
            "src/scaling/__init__.py": [
                ("import torch  # first: it loads the libraries that my_kernel is linked to\n", ""),
                ("from .my_kernel import scale_", "from .my_kernel import scale_\nimport torch"),
            ]
        },
    ),
    "one_source": (
        "undefined symbol: launch_scale(float*, float, long, CUstream_st*)",
        {"setup.py": [(', "scaling_kernel.cu"', "")]},
    ),
    "in_python": (
        "scaling.scale_ is from scaling, and not from a compiled module",
        {
            "src/scaling/__init__.py": [
                ("from .my_kernel import scale_\n", ("\n\ndef scale_(x, factor):\n    x.mul_(factor)\n\n"))
            ]
        },
    ),
    "beside_the_package": (
        "scaling.scale_ is from my_kernel, and not from a compiled module",
        {
            "src/scaling/__init__.py": [("from .my_kernel import scale_\n", "from my_kernel import scale_\n")],
            "setup.py": [('name="scaling.my_kernel"', 'name="my_kernel"')],
        },
    ),
    "ends_the_program": (
        "the program ended before its check was complete",
        {
            "src/scaling/__init__.py": [
                (
                    "import torch  # first: it loads the libraries that my_kernel is linked to\n",
                    "import torch  # first: it loads the libraries that my_kernel is linked to\nimport os; os._exit(0)\n",
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
    "named_like_the_module": (
        "scaling.scale_ is written in Python",
        {
            "src/scaling/__init__.py": [
                (
                    "import torch  # first: it loads the libraries that my_kernel is linked to\n"
                    "from .my_kernel import scale_\n",
                    "def scale_(x, factor):\n    x.mul_(factor)\n\n\nscale_.__module__ = 'scaling.my_kernel'\n",
                )
            ]
        },
    ),
}
