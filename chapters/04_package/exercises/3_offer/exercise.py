"""offer: give the users of a package a second operator

halve() is written in C++, and nobody can call it. Offer it to the users of the package, and let their editors know it.
"""

import ast
from pathlib import Path

from grader.checks import Wrong, module

packages = module(Path(__file__).parents[1] / "packages.py")

MINUTES = 15
MEMORY_CHECK = False
FAILS = "my_kernel has no 'halve'"
PROGRAM = """import scaling
import torch
from common import device
def mistake():
    if not hasattr(scaling.my_kernel, "halve"): return "scaling.my_kernel has no 'halve': is it bound?"
    if not hasattr(scaling, "halve"): return "scaling has no 'halve', but scaling.my_kernel has"
    for name in "halve", "twice":
        if name not in scaling.__all__: return f"__all__ of scaling lacks {name!r}"
        if getattr(scaling, name, None) is not getattr(scaling.my_kernel, name):
            return f"scaling.{name} is not the function {name} of scaling.my_kernel"
    x = torch.tensor([1.0, -3.0, 8.0], device=device)
    try: y = scaling.halve(input=x).tolist()
    except TypeError as error: return f"scaling.halve(input=x) does not work\\n{error}"
    if x.tolist() != [1, -3, 8]: return f"scaling.halve of 1, -3, 8 changes its input: it has {x.tolist()} now"
    if y != [0.5, -1.5, 4.0]: return f"scaling.halve of 1, -3, 8: expected 0.5, -1.5, 4, yours {y}"
    if scaling.twice(x).tolist() != [2, -6, 16]: return f"scaling.twice of 1, -3, 8 gives {scaling.twice(x).tolist()}"
    try: return f"scaling.halve of float64 gives {scaling.halve(x.double())}, expected TypeError, as of twice"
    except Exception as error:
        if type(error) is not TypeError: return f"scaling.halve of float64 raises {type(error).__name__}, twice TypeError"
    try: exec("from scaling import *", {})
    except AttributeError as error: return f"`from scaling import *` fails\\n{error}"
print(mistake() or "", end="")
"""


def run(mine):
    source = packages.copy(mine)
    packages.run(mine, "python setup.py build_ext --inplace", "setup.py", "-q", "build_ext", "--inplace")
    packages.imported(source / "src", PROGRAM)
    functions, stub = {}, ast.parse((mine / "src/scaling/my_kernel.pyi").read_text())
    for node in stub.body:
        if isinstance(node, ast.FunctionDef):
            functions[node.name] = [ast.unparse(node.args), ast.unparse(node.returns) if node.returns else None]
    if "halve" not in functions:
        raise Wrong("my_kernel.pyi has no 'halve': scaling.halve works, and an editor underlines it")
    if functions["halve"] != functions.get("twice"):
        raise Wrong(f"my_kernel.pyi: halve and twice take and return the same, yet the file has {functions}")
    if functions["halve"] != ["input: Tensor", "Tensor"]:
        raise Wrong(f"my_kernel.pyi: twice takes `input: Tensor` and returns a Tensor, yet the file has {functions}")
    if not any(isinstance(node, ast.ImportFrom) and node.module == "torch" for node in stub.body):
        raise Wrong("my_kernel.pyi does not import Tensor from torch: an editor does not know what it is")
    print("right   scaling.halve works, and an editor knows it")
