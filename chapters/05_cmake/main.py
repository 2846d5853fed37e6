"""Chapter 05, cmake: one library for C++ and for Python

python chapters/05_cmake/main.py                  build, check, time: from C++ and from Python
python chapters/05_cmake/main.py --sizes 20 28    ... with 2^20 and 2^28 elements
"""

import argparse
import importlib.util
import subprocess
import sys
from pathlib import Path

here = Path(__file__).resolve().parent
root = here.parents[1]
sys.path.insert(0, str(root))  # so that `common` is found, wherever you start this file from

from common import bench, check, cmake, device, title

import torch  # after `common`, which says what to do where torch is missing

SIZES = [2**k for k in ((4, 20, 28) if device.type == "cuda" else (4, 20))]  # that benchmark() measures


def build():
    """The Python module. It is no package that pip installed: so import it from its file, as load() does."""
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
    """For `make bench05`: {table: rows}. The rows from C++ are printed by the program, and not kept as data."""
    return {"sizes": bench(operators(module), inputs, SIZES, flops=2, reference=reference)}


def once(module):
    """For `make microscope05`: the kernel, once."""
    module.axpy(*inputs(2**16), 2.0)


def run(program, *arguments):
    if subprocess.run([program, *arguments]).returncode:
        sys.exit(f"{program} failed")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument(
        "--sizes", type=int, nargs="+", default=[4, 20], choices=range(33), metavar="K", help="time 2^K elements"
    )
    options = options.parse_args()

    title(5, "axpy", "CMake")
    module = build()
    program = Path(module.__file__).with_name("axpy_main")
    check(module.axpy, torch.add, inputs, rtol=0, atol=0)
    run(program)
    for k in options.sizes:  # the program prints the same table: its rows, then Python's
        run(program, str(k))
        bench(operators(module), inputs, sizes=[2**k], reference=reference)


if __name__ == "__main__":
    main()
