"""Chapter 02, square: what reading in the wrong order costs

python chapters/02_square/main.py            build, check, time
python chapters/02_square/main.py --notes    the blog notes' listings in notes/
"""

import argparse
import sys
from pathlib import Path

here = Path(__file__).resolve().parent
root = here.parents[1]
sys.path[:0] = [str(here), str(root)]  # so that notes/ and `common` are found, wherever you start this file from

from common import bench, check, device, title
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


def inputs(n):
    """A matrix of n x n."""
    return (torch.rand(n, n, device=device),)


def operators(module):
    return {"square_matrix": module.square_matrix, "square_by_columns": module.square_by_columns, "torch": torch.square}


def benchmark(module):
    """For `make bench02`: {table: rows}. n is the side of a matrix."""
    return {"square_matrix": bench(operators(module), inputs, SIDES, flops=lambda n: n * n)}


def launch_each_kernel(module):
    """For `make microscope02`: each kernel, once."""
    for op in module.square_matrix, module.square_by_columns:
        op(*inputs(256))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--notes", action="store_true", help="build and check what is in notes/")
    options = options.parse_args()

    title(2, "square", "load_inline()")
    if options.notes:
        from notes import inline_cuda_add, inline_kernel

        inline_cuda_add.main()
        return inline_kernel.main()
    module = build()
    for op in module.square_matrix, module.square_by_columns:
        check(op, torch.square, inputs, [0, 1, 3, 15, 16, 17, 1025], rtol=0, atol=0)
    bench(operators(module), inputs, [LARGE])


if __name__ == "__main__":
    main()
