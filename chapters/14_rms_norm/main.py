"""Chapter 14, rms_norm: add and normalise in one pass, with gradients

python chapters/14_rms_norm/main.py                  build, check, time one call and two, and both gradients
python chapters/14_rms_norm/main.py --rows 512 8192  ... of rows of these lengths
python chapters/14_rms_norm/main.py --bfloat16       ... in bfloat16
python chapters/14_rms_norm/main.py --bytes          what one call and two move, by the sizes alone
python chapters/14_rms_norm/main.py --registered     what each registration brings: fake, gradients, autocast, torch.compile
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
sys.path[:0] = [
    str(here),
    str(root),
]  # so that derivatives.py and `common` are found, wherever you start this file from

from common import Contest, autograd_of, bench, check, device, rounded_once, title
from common.cpp_extension import load_stable

import torch  # after `common`, which says what to do where torch is missing

import derivatives

ON_GPU = device.type == "cuda"
SHAPES = [(2**16, 2**12), (2**13, 2**15), (2**19, 2**9)] if ON_GPU else [(16, 512), (2, 10240)]
ELEMENTS = 2**28 if ON_GPU else 2**14  # of rows of a given length
DTYPES = torch.float32, torch.float64, torch.float16, torch.bfloat16


@functools.cache  # torch takes a registration once in a process
def build():
    load_stable("rms_norm_stable", [str(here / name) for name in ("rms_norm.cpp", "rms_norm.cu")])
    derivatives.register(device.type)
    return torch.ops.chapter14


# ---- the same by torch -----------------------------------------------------------------------------------------------
def torch_rms_norm(x, weight):
    return torch.nn.functional.rms_norm(x, weight.shape, weight, 1e-6)


def torch_add_rms_norm(x, residual, weight):
    sum = x + residual
    return torch_rms_norm(sum, weight), sum


def torch_rms_norm_backward(grad, x, weight):
    """In torch's operations, for torch.compile; computed in float32, as torch does."""
    wide = torch.promote_types(x.dtype, torch.float32)
    g, v = grad.to(wide), x.to(wide)
    scale = torch.rsqrt(v.square().mean(-1, keepdim=True) + 1e-6)
    part = g * weight.to(wide)
    of_x = scale * (part - v * scale.square() * (part * v).mean(-1, keepdim=True))
    return of_x.to(x.dtype), (g * v * scale).flatten(end_dim=-2).sum(0).to(x.dtype)


def torch_add_rms_norm_backward(grad, grad_sum, sum, weight):
    of_x, of_weight = torch_rms_norm_backward(grad, sum, weight)
    return of_x + grad_sum, of_weight


FORMULAS = {  # operator -> (the same in torch's operations, operations for each element, tensors of x's shape that it moves)
    "rms_norm": (torch_rms_norm, 4, 2),
    "add_rms_norm": (torch_add_rms_norm, 5, 4),
    "rms_norm_backward": (torch_rms_norm_backward, 11, 3),
    "add_rms_norm_backward": (torch_add_rms_norm_backward, 12, 4),
}


def inputs(n, name="rms_norm", dtype=torch.float32, shape=None):
    """What that operator takes for 3 rows of n elements, or for rows of that shape."""
    _, _, moves = FORMULAS[name]
    shape = shape or (3, n)
    count = moves - (2 if name == "add_rms_norm" else 1)  # the other tensors are results
    normal = partial(torch.randn, dtype=dtype, device=device)
    return *(normal(shape) for _ in range(count)), normal(shape[-1:])


def operators(module, name="rms_norm"):
    formula, _, _ = FORMULAS[name]
    ops = {name: getattr(module, name)}
    if name == "add_rms_norm":
        ops["add, rms_norm"] = lambda x, residual, weight: (module.rms_norm(sum := x + residual, weight), sum)
    ops["torch"] = autograd_of(torch_rms_norm) if name == "rms_norm_backward" else formula
    if ON_GPU:
        torch.compiler.reset()
        ops["torch.compile"] = torch.compile(formula, dynamic=False)
    return ops


def tolerance(name, dtype):
    """A unit in the last place; the gradient of weight is a sum of as many products as there are rows."""
    eps = torch.finfo(dtype).eps
    return {"rtol": max(2 * eps, 1e-5), "atol": 1e-2 if "backward" in name else 4 * eps}


# ---- times -----------------------------------------------------------------------------------------------------------
def bench_shapes(module, name, dtype, shapes=SHAPES):
    """One operator beside torch and torch.compile. Returns the rows."""
    rows = []
    formula, flops, _ = FORMULAS[name]
    for shape in shapes:
        print(f"{'':8}{shape[0]} rows of {shape[1]}")
        ops = operators(module, name)  # anew: torch's backward keeps a graph
        rows_of_shape = partial(inputs, name=name, dtype=dtype, shape=shape)
        exact = rounded_once(formula)
        timed = bench(ops, rows_of_shape, [shape[0] * shape[1]], flops, exact, **tolerance(name, dtype))
        rows += [replace(row, name=f"{shape[0]} x {shape[1]}: {row.name}") for row in timed]
    return rows


def benchmark(module):
    """For `make bench14`: {table: rows}."""
    dtypes = (torch.float32, torch.bfloat16) if ON_GPU else (torch.float32,)
    return {name: sum((bench_shapes(module, name, dtype) for dtype in dtypes), []) for name in FORMULAS}


# Rows that are short, odd, long or few.
NAMED = [(2**22, 8), (2**20, 128), (2**24, 3), (8, 2**25), (65536, 6282), (8192, 50257)]


def liger(name):
    function = getattr(importlib.import_module("liger_kernel.transformers.functional"), f"liger_{name}")
    return partial(function, eps=1e-6, in_place=False) if name == "rms_norm" else function


def quack(name):
    """QuACK takes it for granted that tensors begin at multiples of 16 bytes; others could crash the GPU."""
    function = importlib.import_module("quack.rmsnorm").rmsnorm

    def of_aligned(*tensors):
        if any(x.data_ptr() % 16 for x in tensors):
            raise ValueError("tensors must begin at multiples of 16 bytes")
        return function(*tensors, eps=1e-6)

    return of_aligned


def sweep():
    """For `make sweep`: {operator: Contest}."""
    named = tuple((*shape, dtype) for shape in NAMED for dtype in (torch.float32, torch.bfloat16))

    def contest(name, **more):
        formula, _, moves = FORMULAS[name]

        def of_shape(rows, columns, dtype):
            return inputs(columns, name, dtype, (rows, columns))

        def error(dtype):
            return max(2 * torch.finfo(dtype).eps, 1e-4 if "backward" in name else 1e-5)

        return Contest(formula, of_shape, moves, DTYPES, tolerance=error, named=named, **more)

    forward = {"Liger": partial(liger, "rms_norm"), "QuACK": partial(quack, "rms_norm")}
    gradients = {"Liger": lambda: autograd_of(liger("rms_norm")), "QuACK": lambda: autograd_of(quack("rms_norm"))}
    return {
        "rms_norm": contest("rms_norm", peers=forward),
        "add_rms_norm": contest("add_rms_norm"),
        "rms_norm_backward": contest("rms_norm_backward", torch=autograd_of(torch_rms_norm), peers=gradients),
        "add_rms_norm_backward": contest("add_rms_norm_backward"),
    }


def launch_each_kernel(module):
    """For `make microscope14`: each kernel, once."""
    for name in FORMULAS:
        for shape in (64, 1024), (64, 24), (64, 7), (2, 9000):
            getattr(module, name)(*inputs(0, name, shape=shape))


# ---- right? ----------------------------------------------------------------------------------------------------------
def check_all(module, dtype):
    for name, (formula, _, _) in FORMULAS.items():
        rows = partial(inputs, name=name, dtype=dtype)
        check(getattr(module, name), formula, rows, sizes=(0, 1, 3, 255, 512, 513, 4096, 8200), name=name,
              **tolerance(name, dtype))  # fmt: skip


# ---- what fusing saves, in bytes -------------------------------------------------------------------------------------
READS_AND_WRITES = {  # of tensors of x's size
    "add_rms_norm": {"add_rms_norm": (2, 2)},
    "add, rms_norm": {"x + residual": (2, 1), "rms_norm": (1, 1)},
    "operation by operation": {
        "x + residual": (2, 1), "sum * sum": (1, 1), "mean": (1, 0), "sum * scale": (1, 1), "* weight": (1, 1),
    },
}  # fmt: skip


def show_bytes():
    print(f"{'bytes':8}{'65536 rows of 4096, float32':<34}{'read':>8}{'written':>9}{'GiB':>7}")
    gib = 65536 * 4096 * 4 / 2**30
    for way, calls in READS_AND_WRITES.items():
        reads, writes = (sum(call[i] for call in calls.values()) for i in (0, 1))
        print(f"{'':8}{way:<34}{reads:>8}{writes:>9}{(reads + writes) * gib:>7.0f}")


# ---- what each registration brings -----------------------------------------------------------------------------------
def of_fake(ops):
    y, sum = ops.add_rms_norm(
        *(torch.empty(2**20, 4096, device="meta") for _ in range(2)), torch.empty(4096, device="meta")
    )
    return f"{tuple(y.shape)} and {tuple(sum.shape)}, without memory"


def of_gradients(ops):
    x, weight = inputs(8, dtype=torch.float64)
    third = x.requires_grad_(), weight
    value = ops.rms_norm(*third).square().sum()
    for _ in range(3):
        (grad,) = torch.autograd.grad(value, x, create_graph=True)
        value = grad.square().sum()
    return "the first, the second and the third"


def of_opcheck(ops):
    x, residual, weight = (t.requires_grad_() for t in inputs(8, "add_rms_norm"))
    tests = torch.library.opcheck(ops.add_rms_norm.default, (x, residual, weight))
    return f"{sum(result == 'SUCCESS' for result in tests.values())} of {len(tests)} tests pass"


def of_autocast(ops):
    x, weight = inputs(8, dtype=torch.bfloat16)
    with torch.autocast(device.type, torch.bfloat16):
        y = ops.rms_norm(x, weight.float())
    return f"x in {str(x.dtype)[6:]} and weight in float32: y in {str(y.dtype)[6:]}"


def of_compile(ops):
    graphs = []

    def count(graph, _):
        graphs.append(graph)
        return graph.forward  # runs the graph as it is

    compiled = torch.compile(lambda x, r, w: ops.add_rms_norm(2 * x, r, w)[0] + 1, backend=count)
    compiled(*inputs(8, "add_rms_norm"))
    return f"{len(graphs)} graph, {len(graphs) - 1} breaks"


REGISTERED = {
    "fake": of_fake, "gradients": of_gradients, "opcheck": of_opcheck, "autocast": of_autocast, "torch.compile": of_compile,
}  # fmt: skip


def show_registered(ops):
    for name, of in REGISTERED.items():
        print(f"{'':8}{name:<16}{of(ops)}")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rows", type=int, nargs="+", metavar="N", help="time rows of N elements")
    options.add_argument("--bfloat16", action="store_true", help="in bfloat16")
    options.add_argument("--bytes", action="store_true", help="what one call and two move")
    options.add_argument("--registered", action="store_true", help="what each registration brings")
    options = options.parse_args()
    dtype = torch.bfloat16 if options.bfloat16 else torch.float32

    title(14, "rms_norm", "stable ABI")
    if options.bytes:
        return show_bytes()
    module = build()
    if options.registered:
        return show_registered(module)
    check_all(module, dtype)
    for length in options.rows or ([4096] if ON_GPU else [512]):
        for name in FORMULAS:
            bench_shapes(module, name, dtype, [(max(1, ELEMENTS // length), length)])


if __name__ == "__main__":
    main()
