"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "TORCH_TARGET_VERSION has two hexadecimal digits for the 2 and two for what follows it. 12 is 0x0c.",
    "cp310-abi3: CPython 3.10 and all later ones. cp312-cp312: CPython 3.12 alone. A shim is a C function, and its name "
    "begins with aoti_torch_ or torch_; _ZN2at begins the C++ names of at::.",
]
WRONG = {
    "decimal": (
        "TARGET = 149181737656647680 is not right",
        {"answers.py": [("0x020C000000000000", "0x0212000000000000")]},
    ),
    "newest_tag": ("TAGS = ['cp312-cp312'] is not right", {"answers.py": [('cp310-abi3", "cp312', "cp312")]}),
}
