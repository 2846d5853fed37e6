"""package: turn an operator into a wheel that others install

Write setup.py, pyproject.toml and __init__.py of a package scaling, version 1.0.0, which offers the finished operator scale_
and keeps it in the module scaling.kernel. Its wheel requires the torch of the build (2.15.* where that is 2.15.0). The check
builds the wheel, installs it in a folder and imports it from a new process.
"""

import re
import shutil
import sys
import zipfile
from email import message_from_string
from pathlib import Path

import torch

from grader.checks import Wrong, module

packages = module(Path(__file__).parents[1] / "packages.py")

MINUTES = 40
MEMORY_CHECK = False
FAILS = "expected scaling-1.0.0-...whl"
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
    wheels, installed = source.parent / "wheels", source.parent / "installed"
    for folder in wheels, installed, *source.glob("build/lib*"):
        shutil.rmtree(folder, ignore_errors=True)
    pip = ["-m", "pip", "--isolated", "--disable-pip-version-check"]
    words = ["wheel", "--no-build-isolation", "--no-deps"]
    command = f"pip {' '.join(words)} ."
    said = packages.run(mine, command, *pip, "-v", *words, "--no-index", "--wheel-dir", wheels, ".")
    (wheel,) = wheels.glob("*.whl")
    print(f"{'built':8}{wheel.name}, {wheel.stat().st_size / 1000:.0f} kB")
    if not wheel.name.startswith("scaling-1.0.0-"):
        raise Wrong(
            f"the wheel is called {wheel.name}, expected scaling-1.0.0-...whl\nname and version are in pyproject.toml"
        )
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = [archive.read(name).decode() for name in names if name.endswith(".dist-info/METADATA")]
    listed = "\nin the wheel: " + "  ".join(sorted(name for name in names if ".dist-info" not in name))
    if "scaling/__init__.py" not in names:
        raise Wrong(f"the wheel has no scaling/__init__.py{listed}")
    if not any(name.startswith("scaling/kernel.") and name.endswith(".so") for name in names):
        raise Wrong(f"in the wheel, scaling/ has no kernel.*.so{listed}")
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    if f"-{python}-{python}" not in wheel.name:
        raise Wrong(
            f"the wheel is called {wheel.name}, expected {python}-{python}: kernel.*.so runs in this Python alone"
        )
    required = f"Requires-Dist: torch=={'.'.join(torch.__version__.split('.')[:2])}.*"
    requires = [f"Requires-Dist: {r}" for r in message_from_string(metadata).get_all("Requires-Dist", [])]
    if required not in requires:
        found = "\n".join(line for line in metadata.splitlines() if line.startswith("Requires-Dist"))
        if warning := re.search("`dependencies` defined outside of .*", said):
            found = f"setuptools has warned: {warning[0]}"
        beside = "no torch but that of this very build" if "torch==" in found else "any torch"
        raise Wrong(f"METADATA has no line `{required}`: pip would install the wheel beside {beside}\n{found}")
    if len(of_torch := [r for r in requires if re.match(r"Requires-Dist: torch(?![\w-])", r)]) > 1:
        raise Wrong(f"METADATA requires torch {len(of_torch)} times\n" + "\n".join(of_torch))
    version = required.partition("==")[2][:-2]
    for file in sorted(f.name for f in mine.iterdir() if f.suffix in (".py", ".toml", ".cfg", ".txt")):
        text = re.sub("#.*", "", (mine / file).read_text())
        if typed := re.search(rf"torch\s*==\s*{re.escape(version)}.*|[\"']{re.escape(version)}[.*\d]*[\"']", text):
            raise Wrong(
                f"{file}: {typed[0]}\nbuilt with the next torch, the wheel would still require this one: setup.py knows "
                "which torch builds it"
            )
    text = re.sub("#.*", "", (mine / "pyproject.toml").read_text())
    asked = re.search(r"^(?:build-system\.)?requires\s*=\s*\[.*?\]\s*$", text, re.M | re.S)
    if asked and re.search("[\"']torch", asked[0]):
        raise Wrong(
            f"without --no-build-isolation, pip would download a torch for each build\npyproject.toml: {asked[0].strip()}"
        )
    packages.run(
        mine, "pip install " + wheel.name, *pip, "install", "--no-deps", "--no-index", "--target", installed, wheel
    )
    packages.imported(installed, PROGRAM)
    print("right   installed elsewhere, `import scaling` works in a program that has not imported torch")
