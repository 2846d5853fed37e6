"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "The lesson shows four lines of its setup.py that are new since chapter 04. Each of them has a reason "
    "in the list below it.",
    "The target version is a flag for both compilers, {'cxx': [...], 'nvcc': [...]}: two hexadecimal digits each for 2 and "
    "10, and 12 zeros. 10 is 0a. The extension is told py_limited_api=True, the wheel in setup(options=...).",
]
WRONG = {
    "no_zeros": ("TORCH_TARGET_VERSION is 0.0, expected 2.10", {"setup.py": [("0x020a000000000000", "0x020a")]}),
    "decimal": (
        "0x0210000000000000",  # of setup.py where torch's headers refuse it; those of 2.11 do not
        {"setup.py": [("0x020a000000000000", "0x0210000000000000")]},
    ),
    "misnamed_tag": (
        "ValueError: py-limited-api must match",
        {"setup.py": [('"py_limited_api": "cp310"', '"py_limited_api": "3.10"')]},
    ),
    "no_target": (
        "no target version",
        {
            "setup.py": [
                ('target = "-DTORCH_TARGET_VERSION=0x020a000000000000"\n\n', ""),
                (', target], "nvcc": ["-O3", target', '], "nvcc": ["-O3"'),
            ]
        },
    ),
    "no_tag": (
        "alone, expected 3.10 and later",
        {"setup.py": [('    options={"bdist_wheel": {"py_limited_api": "cp310"}},\n', "")]},
    ),
    "older_python": ("the wheel is for CPython 3.9 and later", {"setup.py": [("cp310", "cp39")]}),
    "this_torch_alone": (
        "Requires-Dist: torch==",
        {
            "setup.py": [
                (
                    '    name="answer",\n',
                    ('    name="answer",\n    install_requires=["torch==" + __import__("torch").__version__],\n'),
                )
            ]
        },
    ),
    "newer_python": (
        "Requires-Python: >=3.12",
        {"setup.py": [('    name="answer",\n', ('    name="answer",\n    python_requires=">=3.12",\n'))]},
    ),
    "any_platform": (
        "the wheel is for any platform",
        {
            "setup.py": [
                (
                    'options={"bdist_wheel": {"py_limited_api": "cp310"}}',
                    'options={"bdist_wheel": {"py_limited_api": "cp310", "plat_name": "any"}}',
                )
            ]
        },
    ),
    "python_up_to_3_12": (
        "its METADATA says Requires-Python: ",
        {"setup.py": [('    name="answer",\n', ('    name="answer",\n    python_requires=">=3.10,<3.13",\n'))]},
    ),
    "newer_torch": (
        "its METADATA says Requires-Dist: torch>=2.11",
        {"setup.py": [('    name="answer",\n', ('    name="answer",\n    install_requires=["torch>=2.11"],\n'))]},
    ),
    "one_torch": (
        "its METADATA says Requires-Dist: torch~=2.10.0",
        {"setup.py": [('    name="answer",\n', ('    name="answer",\n    install_requires=["torch~=2.10.0"],\n'))]},
    ),
}
