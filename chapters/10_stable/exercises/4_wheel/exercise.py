"""wheel: make one file for many versions

setup.py builds a wheel for this Python and this torch, and no others. Make it one for torch 2.10, Python 3.10 and all later
versions.
"""

import ctypes
import re
import shutil
import subprocess
import sys
import zipfile

from common.progress import first_error
from grader.checks import Wrong, place
from grader.checks import run as start

MINUTES = 15
MEMORY_CHECK = False
FAILS = "_C.cpython-"


def run(mine):
    copy = place(mine) / "source"  # setup.py writes beside itself
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(mine, copy, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "setup.py", "--quiet", "bdist_wheel", "--dist-dir", "dist"]
    done = subprocess.run(command, cwd=copy, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        error = first_error(done.stdout)
        if error == done.stdout:  # no compiler's: Python's, in the last line
            error = done.stdout.rstrip().splitlines()[-1]
        if "TORCH_TARGET_VERSION" in error:  # an #error of torch, which does not say what it was given
            given = [line for line in (mine / "setup.py").read_text().splitlines() if "TORCH_TARGET_VERSION" in line]
            error = "\n".join([error, *given])
        raise Wrong(f"python setup.py bdist_wheel fails\n{error}".replace(f"{copy}/", ""))
    (wheel,) = (copy / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(copy / "installed")
    (library,) = (copy / "installed" / "answer").glob("_C.*")
    (metadata,) = (copy / "installed").glob("answer-*.dist-info/METADATA")

    if library.name != "_C.abi3.so":
        raise Wrong(f"the library is {library.name}, for this Python alone; expected _C.abi3.so, by the limited API")
    # A variable of answer.cpp has what the compiler got.
    target = ctypes.c_uint64.in_dll(ctypes.CDLL(str(library)), "target_version").value
    if target == 0:
        raise Wrong("the library was compiled with no target version: it may use what older versions of torch lack")
    if target >> 48 != 0x020A:
        raise Wrong(f"TORCH_TARGET_VERSION is {target >> 56}.{target >> 48 & 255}, expected 2.10 (0x{target:016x})")
    if target & (1 << 48) - 1:
        raise Wrong(f"TORCH_TARGET_VERSION is 0x{target:016x}: after the digits of 2.10 come 12 zeros")
    tag = re.search(r"-cp3(\d+)-(\w+)-(\w+)\.whl$", wheel.name)
    python, abi, platform = int(tag[1]), tag[2], tag[3]
    if (python, abi) != (10, "abi3"):
        which = "and later" if abi == "abi3" else "alone"
        raise Wrong(f"the wheel is for CPython 3.{python} {which}, expected 3.10 and later\n{wheel.name}")
    if platform == "any":
        raise Wrong(f"the wheel is for any platform, and its library for this one alone\n{wheel.name}")
    for line in metadata.read_text().splitlines():
        least = re.match(r"Requires-(?:Python:|Dist: torch\b).*>=? *[23]\.(\d+)", line)  # of both, 10 is the oldest
        if re.match(r"Requires-(Python:|Dist: torch\b).*(==|<|~=)", line) or least and int(least[1]) > 10:
            raise Wrong(f"pip refuses the wheel for other versions: its METADATA says {line}")
    needs = subprocess.run(["readelf", "-d", library], capture_output=True, text=True).stdout
    if "libtorch_python" in needs:
        raise Wrong("the library is linked to libtorch_python.so, which is for one version of Python")
    said = start(copy / "installed", [sys.executable, "-c", "import answer; print(answer.answer())"])
    if said.split()[-1:] != ["42"]:
        raise Wrong(f"answer.answer() of the wheel is {said}, expected 42")
    print(f"right   {wheel.name}, for torch 2.10 and later")
