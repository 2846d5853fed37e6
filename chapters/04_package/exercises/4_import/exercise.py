"""import: fix a package that pip can build and nobody can import

setuptools builds this package, and `import scaling` fails. After the first error come two more. Fix setup.py and
__init__.py.
"""

from pathlib import Path

from grader.checks import module

packages = module(Path(__file__).parents[1] / "packages.py")

MINUTES = 15
MEMORY_CHECK = False
FAILS = "No module named 'scaling.my_kernel'"
PROGRAM = """import scaling
import inspect
import torch
from common import device
x = torch.tensor([1.0, -3.0], device=device)
scaling.scale_(x, 2.0)
if x.tolist() != [2, -6]: print(f"scale_(x, 2) of 1, -3: expected 2, -6, yours {x.tolist()}")
of = getattr(scaling.scale_, "__module__", None)  # of a function in C++: the compiled module
if not str(of).startswith("scaling."): print(f"scaling.scale_ is from {of}, and not from a compiled module in the package")
elif not inspect.isbuiltin(scaling.scale_): print(f"scaling.scale_ is written in Python, and not from a compiled module")
"""


def run(mine):
    source = packages.copy(mine)
    packages.run(mine, "python setup.py build_ext --inplace", "setup.py", "-q", "build_ext", "--inplace")
    packages.imported(source / "src", PROGRAM)
    print("right   `import scaling` works in a program that has not imported torch")
