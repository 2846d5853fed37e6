"""Chapter 13, softmax: threads that share a row, from warp to cluster

python chapters/13_softmax/main.py                  build, check, time the steps of the ladder, forward and backward
python chapters/13_softmax/main.py --rows 512 8192  ... of rows of so many elements
python chapters/13_softmax/main.py --bfloat16       ... in bfloat16
python chapters/13_softmax/main.py --errors         the largest errors against float64, beside torch's
"""

import argparse
import functools
import re
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

here = Path(__file__).resolve().parent
root = here.parents[1]
sys.path[:0] = [str(here), str(root)]  # so that gradients.py and `common` are found, wherever you start this file from

from common import autograd_of, bench, check, device, title
from common.cpp_extension import load_stable

import torch  # after `common`, which says what to do where torch is missing

import gradients

ON_GPU = device.type == "cuda"
SHAPES = [(2**16, 2**12), (2**13, 2**15), (2**11, 2**17), (2**19, 2**9)] if ON_GPU else [(16, 512), (2, 8192)]
ELEMENTS = 2**28 if ON_GPU else 2**14  # of a table over row lengths
LENGTHS = [2**k for k in range(5, 19)] if ON_GPU else [2**k for k in range(5, 14, 4)]
STEPS = ["three_passes", "shared", "online", "warp", "block", "cluster", "auto"]
OWN = ["three_passes", "shared"]  # softmax's own: the other operators do not have them


@functools.cache  # torch takes a registration once in a process
def build():
    load_stable("softmax_stable", [str(here / name) for name in ("softmax.cpp", "softmax.cu", "rms_norm.cu")])
    gradients.register()
    return torch.ops.chapter13


# ---- the same by torch -----------------------------------------------------------------------------------------------
def torch_softmax(x):
    return torch.softmax(x, -1)


def torch_softmax_backward(grad, y):
    return torch.ops.aten._softmax_backward_data(grad, y, -1, y.dtype)


def torch_rms_norm(x, weight):
    return torch.nn.functional.rms_norm(x, weight.shape, weight, 1e-6)


def torch_rms_norm_backward(grad, x, weight):
    """In torch's operations, for torch.compile; computed in float32, as torch does."""
    g, v = grad.float(), x.float()
    scale = torch.rsqrt(v.square().mean(-1, keepdim=True) + 1e-6)
    part = g * weight.float()
    of_x = scale * (part - v * scale.square() * (part * v).mean(-1, keepdim=True))
    return of_x.to(x.dtype), (g * v * scale).flatten(end_dim=-2).sum(0).to(x.dtype)


FORMULAS = {  # operator -> (the same in torch's operations, operations for each element)
    "softmax": (torch_softmax, 5),
    "softmax_backward": (torch_softmax_backward, 4),
    "rms_norm": (torch_rms_norm, 4),
    "rms_norm_backward": (torch_rms_norm_backward, 11),
}


def inputs(n, name="softmax", dtype=torch.float32, shape=None):
    """What that operator takes for 3 rows of n elements, or for rows of that shape."""
    shape = shape or (3, n)
    normal = partial(torch.randn, dtype=dtype, device=device)
    if name == "softmax":
        return (3 * normal(shape),)
    if name == "softmax_backward":
        return normal(shape), torch.softmax(normal(shape), -1)
    grad = (normal(shape),) if name == "rms_norm_backward" else ()
    return *grad, normal(shape), normal(shape[-1:])


def operators(module, name="softmax"):
    formula, _ = FORMULAS[name]
    in_torch = autograd_of(torch_rms_norm) if name == "rms_norm_backward" else formula
    ops = {name: getattr(module, name), "torch": in_torch}
    if ON_GPU:
        torch._dynamo.reset()
        ops["torch.compile"] = torch.compile(formula, dynamic=False)
    return ops


def tolerance(name, dtype):
    """A unit in the last place; the gradient of weight is a sum of as many products as there are rows."""
    eps = torch.finfo(dtype).eps
    return {"rtol": max(2 * eps, 1e-5), "atol": 1e-2 if name == "rms_norm_backward" else 4 * eps}


# ---- times -----------------------------------------------------------------------------------------------------------
def bench_shapes(module, name, dtype, shapes=SHAPES):
    """One operator beside torch and torch.compile. Returns the rows."""
    rows = []
    formula, flops = FORMULAS[name]
    for shape in shapes:
        print(f"{'':8}{shape[0]} rows of {shape[1]}")
        ops = operators(module, name)  # anew: torch's backward keeps a graph
        rows_of_shape = partial(inputs, name=name, dtype=dtype, shape=shape)
        timed = bench(ops, rows_of_shape, [shape[0] * shape[1]], flops, formula, **tolerance(name, dtype))
        rows += [replace(row, name=f"{shape[0]} x {shape[1]}: {row.name}") for row in timed]
    return rows


def bench_lengths(module, dtype=torch.float32, lengths=LENGTHS):
    """Each step of the ladder over row lengths, as many rows as make up ELEMENTS. Returns the rows."""
    _, flops = FORMULAS["softmax"]
    rows = []
    for length in lengths:
        shape = ELEMENTS // length, length
        takes = {step: partial(module.softmax, step=step) for step in STEPS if takes_rows(module, step, length, dtype)}
        print(f"{'':8}{shape[0]} rows of {length}")
        rows_of_shape = partial(inputs, dtype=dtype, shape=shape)
        timed = bench(takes | {"torch": torch_softmax}, rows_of_shape, [ELEMENTS], flops, **tolerance("softmax", dtype))
        rows += [replace(row, more={"length": length}) for row in timed]
    return rows


def takes_rows(module, step, length, dtype):
    try:
        module.softmax(torch.zeros(1, length, dtype=dtype, device=device), step=step)
    except RuntimeError as error:
        if re.search("this step does not take|step shared keeps", str(error)):
            return False
        raise
    return True


def benchmark(module):
    """For `make bench13`: {table: rows}."""
    dtypes = (torch.float32, torch.bfloat16) if ON_GPU else (torch.float32,)
    tables = {name: sum((bench_shapes(module, name, dtype) for dtype in dtypes), []) for name in FORMULAS}
    return tables | {"lengths": bench_lengths(module)}


def once(module):
    """For `make microscope13`: each kernel, once."""
    for name in FORMULAS:
        for step in STEPS[:-1] if name == "softmax" else [None]:
            n = 256 if step == "warp" else 1024  # a warp has no room for more than 512 elements
            getattr(module, name)(*inputs(n, name, shape=(64, n)), **({"step": step} if step else {}))


# ---- right? ----------------------------------------------------------------------------------------------------------
def check_all(module, dtype):
    for name, (formula, _) in FORMULAS.items():
        rows = partial(inputs, name=name, dtype=dtype)
        check(getattr(module, name), formula, rows, sizes=(0, 1, 3, 255, 512, 513, 4096, 8200), name=name,
              **tolerance(name, dtype))  # fmt: skip


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
