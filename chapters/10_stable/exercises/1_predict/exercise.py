"""predict: what a library is tied to

Answer the questions in answers.py: which wheels fit, and what ties a library to one version? The lesson's setup.py and its
run have all that you need.
"""

from grader.checks import answer
from grader.report import show

MINUTES = 5
FAILS = "TARGET is None"


def run(mine):
    answer(mine, "TARGET", 0x020C000000000000, "two hexadecimal digits each for 2 and 12, and zeros: 16 digits in all")
    answer(mine, "TAGS", ["cp310-abi3", "cp312-cp312"], "which tags allow CPython 3.12, those for 3.12 alone included?")
    why = "which of them is not a C function of torch, CUDA or C?"
    tied = ["PyInstanceMethod_New", "_ZN2at4_ops10empty_like4callE"]
    answer(mine, "TIED", tied, why)
    answer(mine, "ERROR", "RuntimeError", "what does STD_TORCH_CHECK throw, and what does torch's binding make of it?")
    answer(mine, "OTHER_CUDA", "b", "which file of CUDA does a library need that was built for a GPU?")
    names = [
        "PyInstanceMethod_New",
        "_ZN2at4_ops10empty_like4callE",
        "aoti_torch_get_sizes",
        "cudaLaunchKernel",
        "memcpy",
    ]
    owners = ["Python, and not in its stable API", "torch's C++", "torch's stable ABI, in C", "CUDA", "C"]
    show(
        "who defines what the library takes from others, and whether that ties it to one version",
        *(f"{name:32}{owner:36}{'ties' if name in tied else '-'}" for name, owner in zip(names, owners, strict=True)),
    )
