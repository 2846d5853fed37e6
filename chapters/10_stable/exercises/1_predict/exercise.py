"""predict: what a library is tied to

Numbers, names and tags: the lesson's setup.py and its run have all that is needed.
"""

from grader.checks import answer

MINUTES = 5
FAILS = "TARGET is None"


def run(mine):
    answer(mine, "TARGET", 0x020C000000000000, "two hexadecimal digits each for 2 and 12, and zeros: 16 digits in all")
    answer(mine, "TAGS", ["cp310-abi3", "cp312-cp312"], "which tags allow CPython 3.12, those for 3.12 alone included?")
    why = "which of them is no C function of torch, of CUDA or of C?"
    answer(mine, "TIED", ["PyInstanceMethod_New", "_ZN2at4_ops10empty_like4callE"], why)
    answer(mine, "ERROR", "RuntimeError", "what does STD_TORCH_CHECK throw, and what does torch's binding make of it?")
    answer(mine, "OTHER_CUDA", "b", "which file of CUDA does a library need that was built for a GPU?")
