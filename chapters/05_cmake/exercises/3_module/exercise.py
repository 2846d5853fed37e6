"""module: a Python module beside the library

binding.cpp is there. The reader writes the commands of CMake that make a module of it.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

from grader.checks import Wrong, module

projects = module(Path(__file__).parents[1] / "projects.py")

MINUTES = 20
MEMORY_CHECK = False
FAILS = "unknown target 'scale_module'"
PROGRAM = """import torch, scale
from common import device
x = torch.tensor([1.0, -3.0], device=device)
scale.scale_(x, 2.0)
if x.tolist() != [2, -6]: print(f"scale_(x, 2) of 1, -3: expected 2, -6, yours {x.tolist()}")
"""


def run(mine):
    folder = projects.build(mine, ["scale.cu", "binding.cpp"], ["scale_module"])
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), str(Path(__file__).parents[4])])}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode:
        made = "  ".join(sorted(path.name for path in folder.glob("*.so")))
        error = done.stdout.strip().splitlines()[-1].replace(f"{folder}/", "")
        if "PyInit_" in error:  # the binding has this function, under the name that it was given
            names = subprocess.run(
                ["nm", "-D", "--defined-only", *folder.glob("scale.*.so")], capture_output=True, text=True
            )
            made += f", which defines {' '.join(re.findall(r'PyInit_[A-Za-z0-9_]+', names.stdout))}"
        raise Wrong(f"it is built, and `import torch, scale` fails\n{error}\nthe build has made {made}")
    if done.stdout:
        raise Wrong(done.stdout)
    print("right   `import scale` works, and scale.scale_ computes what it should")
