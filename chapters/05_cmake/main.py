"""Chapter 05, cmake: one library for C++ and for Python

python chapters/05_cmake/main.py                  build, check, time: from C++ and from Python
python chapters/05_cmake/main.py --sizes 20 28    ... with 2^20 and 2^28 elements
python chapters/05_cmake/main.py --missing        leave one library out: of the program, and of the Python module
"""

import argparse
import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

here = Path(__file__).resolve().parent
root = here.parents[1]
sys.path.insert(0, str(root))  # so that `common` is found, wherever you start this file from

from common import bench, check, cmake, device, title

import torch  # after `common`, which says what to do where torch is missing

SIZES = [2**k for k in ((4, 20, 28) if device.type == "cuda" else (4, 20))]  # for benchmark()


def build():
    """The Python module. pip has not installed it, so it is imported from its file, as load() does."""
    sources = ["axpy.cu", "axpy.cpp", "binding.cpp", "main.cpp"]
    folder = cmake.build("axpy", sources, ["axpy_module", "axpy_main"])
    (file,) = (folder / "chapters" / here.name).glob("axpy.*.so")
    spec = importlib.util.spec_from_file_location("axpy", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def inputs(n):
    return torch.rand(n, device=device), torch.rand(n, device=device)


def reference(x, y):
    return torch.add(y, x, alpha=2.0)


def operators(module):
    return {"axpy from Python": lambda x, y: module.axpy(x, y, 2.0), "torch.add from Python": reference}


def benchmark(module):
    """For `make bench05`: {table: rows}. The program prints the rows from C++, and nothing keeps them as data."""
    return {"sizes": bench(operators(module), inputs, SIZES, flops=2, reference=reference)}


def launch_each_kernel(module):
    """For `make microscope05`: the kernel, once."""
    module.axpy(*inputs(2**16), 2.0)


def run(program, *arguments):
    if subprocess.run([program, *arguments]).returncode:
        sys.exit(f"{program} failed")


def link_without(library, target, folder, output):
    """Runs the command with which ninja links that target, without one library. Returns what the linker said."""
    ninja = cmake.program("ninja", "ninja")
    asked = subprocess.run([ninja, "-t", "commands", target], cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
    command = asked.stdout.splitlines()[-1]
    left, count = re.subn(rf"\S*/{library}\.\S+", "", command)
    assert count, f"{target} is not linked to {library}: {command}"
    command = re.sub(r" -o \S+", f" -o {output}", left, count=1)
    return subprocess.run(command, shell=True, cwd=folder, stderr=subprocess.PIPE, text=True).stderr


def missing(module):
    """A program without a library that it needs, and a Python module without one."""
    if sys.platform != "linux":
        sys.exit("--missing shows the linker and the loader of Linux.")
    folder = Path(module.__file__).parents[2]
    place = folder / "missing"
    place.mkdir(exist_ok=True)
    said = link_without("libaxpy", "axpy_main", folder, place / "axpy_main")
    undefined = re.search(r"undefined (reference to|symbol:) \W?axpy\(.*", said)
    print(f"{'link':8}axpy_main without libaxpy\n{'':8}{undefined[0] if undefined else said or 'no message'}")
    said = link_without("libtorch_python", "axpy_module", folder, place / "axpy.so")
    print(f"{'link':8}axpy_module without libtorch_python\n{'':8}{said or 'no message'}")
    code = f"import sys, torch; sys.path.insert(0, {str(place)!r}); import axpy"
    said = subprocess.run([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True).stderr.strip()
    symbol = re.search(r"undefined symbol: (\w+)", said)
    print(f"{'import':8}axpy_module\n{'':8}{symbol[0] if symbol else said or 'no message'}")
    if symbol and shutil.which("c++filt"):
        name = subprocess.run(["c++filt", symbol[1]], stdout=subprocess.PIPE, text=True).stdout.strip()
        print(f"{'':8}{name}")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument(
        "--sizes", type=int, nargs="+", default=[4, 20], choices=range(33), metavar="K", help="time 2^K elements"
    )
    options.add_argument(
        "--missing", action="store_true", help="what the linker and the loader say of a missing library"
    )
    options = options.parse_args()

    title(5, "axpy", "CMake")
    module = build()
    if options.missing:
        return missing(module)
    program = Path(module.__file__).with_name("axpy_main")
    check(module.axpy, torch.add, inputs, rtol=0, atol=0)
    run(program)
    for k in options.sizes:  # the program prints the same table: its rows, then Python's
        run(program, str(k))
        bench(operators(module), inputs, sizes=[2**k], reference=reference)


if __name__ == "__main__":
    main()
