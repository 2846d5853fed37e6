"""predict: what a library is tied to

Numbers, names and tags: the lesson's setup.py and its run have all that is needed.
"""

from common.exercises import answer

MINUTES = 5
HINTS = [
    "TORCH_TARGET_VERSION has two hexadecimal digits for the 2 and two for what follows it. 12 is 0x0c.",
    "cp310-abi3: CPython 3.10 and all later ones. cp312-cp312: CPython 3.12 alone. A shim is a C function, and its name "
    "begins with aoti_torch_ or torch_; _ZN2at begins the C++ names of at::.",
]
FAILS = "TARGET is None"
WRONG = {
    "decimal": (
        "TARGET = 149181737656647680 is not right",
        {"answers.py": [("0x020C000000000000", "0x0212000000000000")]},
    ),
    "newest_tag": ("TAGS = ['cp312-cp312'] is not right", {"answers.py": [('cp310-abi3", "cp312', "cp312")]}),
}


def run(mine):
    answer(mine, "TARGET", 0x020C000000000000, "two hexadecimal digits each for 2 and 12, and zeros: 16 digits in all")
    answer(mine, "TAGS", ["cp310-abi3", "cp312-cp312"], "which tags allow CPython 3.12, those for 3.12 alone included?")
    why = "which of them is no C function of torch, of CUDA or of C?"
    answer(mine, "TIED", ["PyInstanceMethod_New", "_ZN2at4_ops10empty_like4callE"], why)
    answer(mine, "ERROR", "RuntimeError", "what does STD_TORCH_CHECK throw, and what does torch's binding make of it?")
    answer(mine, "OTHER_CUDA", "b", "which file of CUDA does a library need that was built for a GPU?")
