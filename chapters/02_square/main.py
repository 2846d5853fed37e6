"""Chapter 02, square: what reading in the wrong order costs

python chapters/02_square/main.py                build, check, time
python chapters/02_square/main.py --undeclared   the notes' listing with empty cpp_sources, and the error it gives
"""

import argparse
import sys
from pathlib import Path

here = Path(__file__).resolve().parent
root = here.parents[1]
sys.path.insert(0, str(root))  # so that `common` is found, wherever you start this file from

from common import bench, check, device, title
from common.checking import SIZES
from common.cpp_extension import load_inline

import torch  # after `common`, which says what to do where torch is missing

SIDES = [2**10, 2**14] if device.type == "cuda" else [2**8]  # of the matrices that benchmark() squares
LARGE = 2**13 if device.type == "cuda" else 2**10  # and main(): no cache of a GPU holds 256 MiB


def build():
    return load_inline(
        name="square_matrix_extension",
        cpp_sources=[(here / "square.cpp").read_text()],
        cuda_sources=[(here / "square.cu").read_text()],
        extra_include_paths=[str(here), str(root)],
        extra_cflags=["-O2"],
        no_implicit_headers=True,
    )


def as_in_the_notes(declare):
    """functions= names custom_operation, and cuda_sources defines it. Unless cpp_sources declares it, nothing is built."""
    declaration = "at::Tensor custom_operation(const at::Tensor& input);"
    operators, _, _ = (here / "square.cpp").read_text().partition("// The binding by hand")
    return load_inline(
        name="inline_kernel" if declare else "inline_kernel_undeclared",
        cpp_sources=["#include <torch/csrc/Exceptions.h>", declaration if declare else ""],
        cuda_sources=[(here / "square.cu").read_text(), operators],
        functions=["custom_operation"],
        extra_include_paths=[str(here), str(root)],
        no_implicit_headers=True,
    )


def inputs(n):
    """A matrix of n x n."""
    return (torch.rand(n, n, device=device),)


def vector(n):
    return (torch.rand(n, device=device),)


def two_vectors(n):
    return vector(n) + vector(n)


def operators(module):
    return {"square_matrix": module.square_matrix, "square_by_columns": module.square_by_columns, "torch": torch.square}


def pairs(module):
    """name -> (ours, torch's, their inputs), of all that the module has."""
    return {
        "square_matrix": (module.square_matrix, torch.square, inputs),
        "square_by_columns": (module.square_by_columns, torch.square, inputs),
        "custom_operation": (module.custom_operation, lambda x: 2 * x, vector),
        "add_cuda": (module.add_cuda, torch.add, two_vectors),
    }


def benchmark(module):
    """For `make bench02`: {table: rows}. n is the side of a matrix, or a vector's size."""
    tables = {"square_matrix": bench(operators(module), inputs, SIDES, flops=lambda n: n * n)}
    for name in "custom_operation", "add_cuda":
        ours, reference, vectors = pairs(module)[name]
        tables[name] = bench({name: ours, "torch": reference}, vectors, [n * n for n in SIDES], flops=1)
    return tables


def once(module):
    """For `make microscope02`: each kernel, once."""
    for ours, _, takes in pairs(module).values():
        ours(*takes(256 if takes is inputs else 2**16))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--undeclared", action="store_true", help="provoke the compiler's error")
    options = options.parse_args()

    title(2, "square", "load_inline()")
    if options.undeclared:
        return as_in_the_notes(declare=False)
    module = build()
    for ours, reference, takes in pairs(module).values():
        sizes = [0, 1, 3, 15, 16, 17, 1025] if takes is inputs else SIZES
        check(ours, reference, takes, sizes, rtol=0, atol=0)
    bench(operators(module), inputs, [LARGE])


if __name__ == "__main__":
    main()
