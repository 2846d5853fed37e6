"""module: build a Python module beside the library

Write the commands of CMake that make a Python module of binding.cpp. The check builds the module, and runs `import torch,
scale` in a new process.
"""

import re
import subprocess
import sysconfig
from pathlib import Path

from grader.checks import Wrong, module, run_python

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
    status, said = run_python(PROGRAM, folder)
    if status:
        made = "  ".join(sorted(path.name for path in folder.glob("*.so")))
        error = said.strip().splitlines()[-1].replace(f"{folder}/", "")
        if "PyInit_" in error:  # the binding has this function, under the name that it was given
            names = subprocess.run(
                ["nm", "-D", "--defined-only", *folder.glob("scale.*.so")], capture_output=True, text=True
            )
            made += f", which defines {' '.join(re.findall(r'PyInit_[A-Za-z0-9_]+', names.stdout))}"
        raise Wrong(f"it is built, and `import torch, scale` fails\n{error}\nthe build has made {made}")
    if said:
        raise Wrong(said)
    library = folder / f"scale{sysconfig.get_config_var('EXT_SUFFIX')}"
    if not library.exists():
        made = "  ".join(sorted(path.name for path in folder.glob("*.so")))
        raise Wrong(
            f"the build has made {made}, expected {library.name}: another Python would load the module, and crash"
        )
    if "libscale.so" not in subprocess.run(["ldd", library], stdout=subprocess.PIPE, text=True).stdout:
        raise Wrong(
            f"{library.name} does not load libscale.so (`ldd`): the module has to link scale, not to compile scale.cu"
        )
    print("right   `import scale` works, and scale.scale_ computes what it should")
