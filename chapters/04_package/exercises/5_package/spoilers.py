"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "Copy from setup.py, pyproject.toml and __init__.py of the chapter what this package needs, and change the names. Then "
    "let the check tell you what is missing.",
    "In setup.py: ext_modules with one CUDAExtension, cmdclass, install_requires. In "
    "pyproject.toml: [build-system] as in the "
    'chapter, [project] with name and version, and dynamic = ["dependencies"], because setup.py has the torch.',
    'CUDAExtension(name="scaling.kernel", sources=[both], include_dirs=[str(root)], extra_compile_args=flags): the .so '
    "gets into the folder scaling of the wheel, and is called kernel. __init__.py imports torch, and then from .kernel.",
]
WRONG = {
    "module_alone": ("scaling/ has no kernel.*.so", {"setup.py": [("scaling.kernel", "kernel")]}),
    "any_torch": (
        "METADATA has no line `Requires-Dist: torch==",
        {"setup.py": [("f\"torch=={'.'.join(torch.__version__.split('.')[:2])}.*", '"torch')]},
    ),
    "this_build_alone": (
        "beside no torch but that of this very build",
        {"setup.py": [("'.'.join(torch.__version__.split('.')[:2])}.*", "torch.__version__}")]},
    ),
    "not_dynamic": (
        "setuptools has warned: `dependencies` defined outside of `pyproject.toml`",
        {"pyproject.toml": [('dynamic = ["dependencies"]\n', "")]},
    ),
    "fetches_torch": ("pip would download a torch", {"pyproject.toml": [('85"]', '85", "torch"]')]}),
    "torch_forgotten": (
        "libc10.so: cannot open shared object file",
        {
            "src/scaling/__init__.py": [
                ("import torch  # first: it loads the libraries that the module is linked to\n", "")
            ]
        },
    ),
    "setuptools_compiles": (
        "did setuptools compile by itself?",
        {"setup.py": [('    cmdclass={"build_ext": BuildExtension},\n', "")]},
    ),
    "fetches_torch_in_lines": (
        "pip would download a torch",
        {
            "pyproject.toml": [
                ('requires = ["setuptools>=77,<85"]', ('requires = [\n    "setuptools>=77,<85",\n    "torch",\n]'))
            ]
        },
    ),
    "in_python": (
        "scaling.scale_ is from scaling, and not from a compiled module",
        {"src/scaling/__init__.py": [("from .kernel import scale_\n", "def scale_(x, factor): x.mul_(factor)\n")]},
    ),
    "ends_the_program": (
        "the program ended before its check was complete",
        {
            "src/scaling/__init__.py": [
                (
                    "import torch  # first: it loads the libraries that the module is linked to\n",
                    "import torch  # first: it loads the libraries that the module is linked to\nexit(0)\n",
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
    "torch_twice": (
        "METADATA requires torch 2 times",
        {"setup.py": [(""".*"]""", """.*", f"torch=={torch.__version__}"]""")]},
    ),
    "fetches_torch_after_an_extra": (
        "pip would download a torch",
        {"pyproject.toml": [('["setuptools>=77,<85"]', '["setuptools[core]>=77,<85", "torch"]')]},
    ),
}
