"""Chapter 16, matmul: how 128 cores get their numbers

python chapters/16_matmul/main.py                        build, check, time the steps of the ladder
python chapters/16_matmul/main.py --size 4096            ... of square matrices of that side
python chapters/16_matmul/main.py --size 4095 4097 4093  ... of an M x K and a K x N matrix, given M, N and K
"""

import argparse
import functools
import sys
from functools import partial
from pathlib import Path

here = Path(__file__).resolve().parent
root = here.parents[1]
sys.path[:0] = [str(here), str(root)]  # so that products.py and `common` are found, wherever you start this file from

from common import check, device, title
from common.cpp_extension import load_stable

import torch  # after `common`, which says what to do where torch is missing

# Chapters 17 and 18 import these two files as well. The tests ask for `operators` here.
import products
from product_times import bench_products, contest, exact, matrices, operators, shapes_of, tolerance  # noqa: F401

ON_GPU = device.type == "cuda"
STEPS = ["auto", "naive", "tile", "registers", "stages", "large", "small", "tall", "divided"]
SIDES = [1024, 2048, 4096, 8192] if ON_GPU else [48]
LONG = [(136, 1176, 8352), (120, 72, 3160), (256, 680, 1200)] if ON_GPU else [(8, 8, 512)]  # few tiles, and a long k
ODD = [(4095, 4097, 4093), (1000, 3001, 777), (8191, 63, 8191)] if ON_GPU else [(47, 49, 51)]


@functools.cache  # torch takes a registration once in a process
def build():
    load_stable("matmul_stable", [str(here / "matmul.cpp"), str(here / "matmul.cu")])
    products.register("chapter16", [torch.float32], STEPS, device.type)
    return torch.ops.chapter16


# ---- times -----------------------------------------------------------------------------------------------------------
def inputs(n):
    return matrices((n, n, n))


def benchmark(module):
    """For `make bench16`: {table: rows}."""
    squares = [(side, side, side) for side in SIDES]
    return {
        "steps": bench_products(module, squares, STEPS[1:-1]),  # with many tiles, `divided` is one of these
        "layouts": bench_products(module, squares) + bench_products(module, squares, b_transposed=True),
        "odd": bench_products(module, ODD),
        "long": bench_products(module, LONG, ["small", "tall", "divided"]),
    }


def sweep():
    """For `make sweep`: {operator: Contest}."""
    return {"matmul": contest([torch.float32])}


def launch_each_kernel(module):
    """For `make microscope16`: each kernel once."""
    for step in STEPS[1:-1]:
        module.matmul(*matrices((128, 256, 64)), step=step)
    module.matmul(*matrices((64, 64, 256)), step="divided")


# ---- right? ----------------------------------------------------------------------------------------------------------
def check_all(module):
    for step in STEPS:
        op = partial(module.matmul, step=step)
        for a_transposed in False, True:
            layout = {"a_transposed": a_transposed, "b_transposed": not a_transposed}
            check(op, exact, lambda n, layout=layout: matrices((n, n + 3, 37), **layout), sizes=(1, 5, 130),
                  name=f"matmul, {step}{', a transposed' * a_transposed}", **tolerance(37))  # fmt: skip


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--size", type=int, nargs="+", metavar="N", help="M, N and K, or one number for all three")
    options = options.parse_args()
    shapes = shapes_of(options.size, 2048 if ON_GPU else 48)

    title(16, "matmul", "stable ABI")
    module = build()
    check_all(module)
    bench_products(module, shapes, STEPS[1:])


if __name__ == "__main__":
    main()
