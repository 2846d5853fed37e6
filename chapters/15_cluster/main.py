"""Chapter 15, cluster: the softmax of rows that no block can keep

python chapters/15_cluster/main.py                      build, check, time the steps of the ladder, forward and backward
python chapters/15_cluster/main.py --rows 50257 131072  ... of rows of these lengths
python chapters/15_cluster/main.py --bfloat16           ... in bfloat16
"""

import argparse
import functools
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

here = Path(__file__).resolve().parent
root = here.parents[1]
CHAPTER_13 = here.parent / "13_softmax"
sys.path[:0] = [str(CHAPTER_13), str(root)]  # so that gradients.py, beside_torch.py and `common` are found

from common import Contest, bench, check, device, rounded_once, title
from common.cpp_extension import load_stable

import torch  # after `common`, which says what to do where torch is missing

# From chapter 13, whose operators have the same names, arguments and results. The tests ask for `operators` here.
import gradients
from beside_torch import FORMULAS, bench_shapes, inputs, operators, quack, tolerance  # noqa: F401

ON_GPU = device.type == "cuda"
ELEMENTS = 2**28 if ON_GPU else 2**14  # of a table over row lengths
LENGTHS = [2**k for k in range(14, 20)] if ON_GPU else [2**12, 2**14]
SHAPES = [(2**11, 2**17), (8192, 50257), (4096, 151936), (8, 2**25)] if ON_GPU else [(2, 8192)]
CLUSTERS = ["barrier", "mbarrier", "pipeline"]  # the steps that launch them
STEPS = ["auto", *CLUSTERS, "fallback"]


@functools.cache  # torch takes a registration once in a process
def build():
    sources = here / "cluster.cpp", here / "cluster.cu", CHAPTER_13 / "softmax.cu"
    load_stable("cluster_stable", [str(source) for source in sources])
    gradients.register("chapter15", STEPS, STEPS)
    return torch.ops.chapter15


# ---- times -----------------------------------------------------------------------------------------------------------
def bench_lengths(module, name="softmax", dtype=torch.float32, lengths=LENGTHS):
    """Each step of the ladder over row lengths, as many rows as make up ELEMENTS. Returns the rows."""
    formula, flops = FORMULAS[name]
    rows = []
    for length in lengths:
        shape = max(1, ELEMENTS // length), length
        takes = {step: partial(getattr(module, name), step=step) for step in ("fallback", *CLUSTERS, "auto")}
        takes = {step: op for step, op in takes.items() if takes_rows(op, inputs(0, name, dtype, (1, length)))}
        print(f"{'':8}{name}, {shape[0]} rows of {length}")
        rows_of_shape = partial(inputs, name=name, dtype=dtype, shape=shape)
        ops, exact = takes | {"torch": formula}, rounded_once(formula)
        timed = bench(ops, rows_of_shape, [shape[0] * length], flops, exact, **tolerance(dtype))
        rows += [replace(row, more={"length": length}) for row in timed]
    return rows


def takes_rows(op, arguments):
    try:
        op(*arguments)
    except RuntimeError as error:
        if "does not take rows" in str(error):
            return False
        raise
    return True


def benchmark(module):
    """For `make bench15`: {table: rows}."""
    dtypes = (torch.float32, torch.bfloat16) if ON_GPU else (torch.float32,)
    tables = {name: sum((bench_shapes(module, name, dtype, SHAPES) for dtype in dtypes), []) for name in FORMULAS}
    return tables | {"lengths": bench_lengths(module)}


# Vocabularies of language models, rows around powers of two, and rows that no cluster keeps.
NAMED = [(8192, 50257), (4096, 151936), (2048, 131071), (1024, 2**18), (512, 2**19), (8, 2**25), (1, 2**27)]


def sweep():
    """For `make sweep`: {operator: Contest}."""
    dtypes = torch.float32, torch.float16, torch.bfloat16
    named = tuple((*shape, dtype) for shape in NAMED for dtype in (torch.float32, torch.bfloat16))

    def contest(name, moves):
        def of_shape(rows, columns, dtype):
            return inputs(columns, name, dtype, (rows, columns))

        def error(dtype):
            return max(2 * torch.finfo(dtype).eps, 1e-5)

        peers = {"QuACK": partial(quack, name)}
        return Contest(FORMULAS[name][0], of_shape, moves, dtypes, tolerance=error, named=named, peers=peers)

    return {"softmax": contest("softmax", 2), "softmax_backward": contest("softmax_backward", 3)}


def launch_each_kernel(module):
    """For `make microscope15`: each kernel of a cluster, once, in clusters of two blocks."""
    for name in FORMULAS:
        for step in CLUSTERS:
            getattr(module, name)(*inputs(0, name, shape=(4, 32768)), step=step)


# ---- right? ----------------------------------------------------------------------------------------------------------
def check_all(module, dtype):
    for name, (formula, _) in FORMULAS.items():
        rows = partial(inputs, name=name, dtype=dtype)
        for step in CLUSTERS:
            op = partial(getattr(module, name), step=step)
            check(op, formula, rows, sizes=(1, 255, 4096, 8200, 16385), name=f"{name}, {step}", **tolerance(dtype))
        check(getattr(module, name), formula, rows, sizes=(0, 3, 50257), name=name, **tolerance(dtype))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rows", type=int, nargs="+", metavar="N", help="time rows of N elements")
    options.add_argument("--bfloat16", action="store_true", help="in bfloat16")
    options = options.parse_args()
    dtype = torch.bfloat16 if options.bfloat16 else torch.float32

    title(15, "cluster", "stable ABI")
    module = build()
    check_all(module, dtype)
    for name in FORMULAS:
        bench_lengths(module, name, dtype, options.rows or [2**17 if ON_GPU else 2**14])


if __name__ == "__main__":
    main()
