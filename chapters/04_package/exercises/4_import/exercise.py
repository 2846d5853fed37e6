"""import: a package that pip can build and nobody can import

Three mistakes, one behind the other, in setup.py and __init__.py.
"""

from pathlib import Path

from common.exercises import Wrong, module

packages = module(Path(__file__).parents[1] / "packages.py")

MINUTES = 15
MEMORY_CHECK = False
HINTS = [
    "All three messages come from step 3, the import. What did Python, or the loader, look for, and who should have made it "
    "or loaded it?",
    "`from .my_kernel` in the package scaling looks for scaling/my_kernel.*.so. libc10.so is a library of torch.",
    "An undefined symbol is a function that nobody has defined for the loader. Which file defines this one? Is that file "
    "compiled?",
]
FAILS = "No module named 'scaling.my_kernel'"
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
}
PROGRAM = """import scaling
import torch
from common import device
x = torch.tensor([1.0, -3.0], device=device)
scaling.scale_(x, 2.0)
if x.tolist() != [2, -6]: print(f"scale_(x, 2) of 1, -3: expected 2, -6, yours {x.tolist()}")
"""


def run(mine):
    source = packages.copy(mine)
    packages.run(mine, "python setup.py build_ext --inplace", "setup.py", "-q", "build_ext", "--inplace")
    if said := packages.imported(mine, source / "src", PROGRAM):
        raise Wrong(said)
    print("right   `import scaling` works in a program that has not imported torch")
