"""Chapter 13, softmax: threads that share a row, from a lane to a grid

python chapters/13_softmax/main.py                  build, check, time the steps of the ladder, forward and backward
python chapters/13_softmax/main.py --rows 512 8192  ... of rows of these lengths
python chapters/13_softmax/main.py --bfloat16       ... in bfloat16
python chapters/13_softmax/main.py --errors         the largest errors against float64, beside torch's
"""

import argparse
import functools
import importlib
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

here = Path(__file__).resolve().parent
root = here.parents[1]
sys.path[:0] = [str(here), str(root)]  # so that gradients.py and `common` are found, wherever you start this file from

from common import Contest, bench, check, device, rounded_once, title
from common.cpp_extension import load_stable

import torch  # after `common`, which says what to do where torch is missing

# Chapter 15 imports these two files as well. The tests ask for `operators` here.
import gradients
from beside_torch import FORMULAS, bench_shapes, inputs, operators, quack, tolerance, torch_softmax  # noqa: F401

ON_GPU = device.type == "cuda"
SHAPES = [(2**16, 2**12), (2**13, 2**15), (2**11, 2**17), (2**19, 2**9)] if ON_GPU else [(16, 512), (2, 8192)]
ELEMENTS = 2**28 if ON_GPU else 2**14  # of a table over row lengths
LENGTHS = [2**k for k in range(5, 19)] if ON_GPU else [2**k for k in range(5, 14, 4)]
STEPS_OF_BACKWARD = ["auto", "strip", "warp", "block", "twice", "split"]
STEPS = ["auto", "three_passes", *STEPS_OF_BACKWARD[1:]]


@functools.cache  # torch takes a registration once in a process
def build():
    load_stable("softmax_stable", [str(here / name) for name in ("softmax.cpp", "softmax.cu")])
    gradients.register("chapter13", STEPS, STEPS_OF_BACKWARD)
    return torch.ops.chapter13


# ---- times -----------------------------------------------------------------------------------------------------------
def bench_lengths(module, dtype=torch.float32, lengths=LENGTHS):
    """Each step of the ladder over row lengths, as many rows as make up ELEMENTS. Returns the rows."""
    _, flops = FORMULAS["softmax"]
    rows = []
    for length in lengths:
        shape = ELEMENTS // length, length
        takes = {step: partial(module.softmax, step=step) for step in STEPS if takes_rows(module, step, length, dtype)}
        print(f"{'':8}{shape[0]} rows of {length}")
        rows_of_shape = partial(inputs, dtype=dtype, shape=shape)
        exact = rounded_once(torch_softmax)
        timed = bench(takes | {"torch": torch_softmax}, rows_of_shape, [ELEMENTS], flops, exact, **tolerance(dtype))
        rows += [replace(row, more={"length": length}) for row in timed]
    return rows


def takes_rows(module, step, length, dtype):
    """Steps that give a row a whole block, or several, are not timed where they take 20 times as long as others."""
    if length < {"twice": 2**10, "split": 2**12}.get(step, 0) and ON_GPU:
        return False
    try:
        module.softmax(torch.zeros(1, length, dtype=dtype, device=device), step=step)
    except RuntimeError as error:
        if "no room for rows" in str(error):
            return False
        raise
    return True


def benchmark(module):
    """For `make bench13`: {table: rows}."""
    dtypes = (torch.float32, torch.bfloat16) if ON_GPU else (torch.float32,)
    tables = {name: sum((bench_shapes(module, name, dtype, SHAPES) for dtype in dtypes), []) for name in FORMULAS}
    return tables | {"lengths": bench_lengths(module)}


# Vocabularies of language models, and rows that are short, long or few.
NAMED = [(8192, 50257), (4096, 151936), (65536, 6282), (2**22, 8), (2**24, 3), (2**20, 127), (8, 2**25), (1, 2**27)]


def liger():
    return importlib.import_module("liger_kernel.transformers.functional").liger_softmax


def sweep():
    """For `make sweep`: {operator: Contest}."""
    peers = {"softmax": {"Liger": liger, "QuACK": partial(quack, "softmax")},
             "softmax_backward": {"QuACK": partial(quack, "softmax_backward")}}  # fmt: skip
    named = tuple((*shape, dtype) for shape in NAMED for dtype in (torch.float32, torch.bfloat16))

    def contest(name):
        def of_shape(rows, columns, dtype):
            return inputs(columns, name, dtype, (rows, columns))

        return Contest(FORMULAS[name][0], of_shape, 2 if name == "softmax" else 3, tuple(gradients.FLOATS),
                       tolerance=lambda dtype: max(2 * torch.finfo(dtype).eps, 1e-5), peers=peers[name],
                       named=named if name == "softmax" else ())  # fmt: skip

    return {name: contest(name) for name in FORMULAS}


def launch_each_kernel(module):
    """For `make microscope13`: each kernel, once."""
    for name in FORMULAS:
        for step in (STEPS if name == "softmax" else STEPS_OF_BACKWARD)[1:]:
            n = 250 if step == "warp" else 61 if step == "strip" else 1024
            getattr(module, name)(*inputs(n, name, shape=(64, n)), step=step)


# ---- right? ----------------------------------------------------------------------------------------------------------
def check_all(module, dtype):
    for name, (formula, _) in FORMULAS.items():
        op, rows = getattr(module, name), partial(inputs, name=name, dtype=dtype)
        check(op, formula, rows, sizes=(0, 1, 3, 255, 512, 513, 4096, 8200), name=name, **tolerance(dtype))
        # `auto` takes strips only where there are many rows.
        check(partial(op, step="strip"), formula, rows, sizes=(1, 3, 61), name=f"{name}, strip", **tolerance(dtype))


def errors(module):
    """The largest difference from float64, for rows of 4096. In units of the last place of the largest result."""
    torch.manual_seed(0)
    print(f"{'error':8}{'rows of 4096, in units of the last place':<46}{'ours':>10}{'torch':>10}")
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        for what, x in {
            "normal": torch.randn(64, 4096),
            "normal, times 30": 30 * torch.randn(64, 4096),
            "normal, plus 20000": torch.randn(64, 4096) + 20000,
            "all equal": torch.zeros(64, 4096),
        }.items():
            x = x.to(dtype).to(device)
            exact = torch.softmax(x.double(), -1)
            unit = 2.0 ** torch.frexp(exact.max())[1] * torch.finfo(dtype).eps / 2
            of = [float((y.double() - exact).abs().max() / unit) for y in (module.softmax(x), torch_softmax(x))]
            print(f"{'':8}{f'{str(dtype)[6:]}, {what}':<46}{of[0]:>10.2f}{of[1]:>10.2f}")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rows", type=int, nargs="+", metavar="N", help="time rows of N elements")
    options.add_argument("--bfloat16", action="store_true", help="in bfloat16")
    options.add_argument("--errors", action="store_true", help="the largest errors against float64")
    options = options.parse_args()
    dtype = torch.bfloat16 if options.bfloat16 else torch.float32

    title(13, "softmax", "stable ABI")
    module = build()
    if options.errors:
        return errors(module)
    check_all(module, dtype)
    for length in options.rows or ([4096] if ON_GPU else [512]):
        shape = (max(1, ELEMENTS // length), length)
        bench_lengths(module, dtype, [length])
        for name in FORMULAS:
            bench_shapes(module, name, dtype, [shape])


if __name__ == "__main__":
    main()
