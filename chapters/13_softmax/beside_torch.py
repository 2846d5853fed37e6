"""What chapters 13 and 15 compare their operators with, on which arguments, and how."""

import importlib
from dataclasses import replace
from functools import partial

import torch

from common import bench, device, rounded_once


def torch_softmax(x):
    return torch.softmax(x, -1)


def torch_softmax_backward(grad, y):
    return torch.ops.aten._softmax_backward_data(grad, y, -1, y.dtype)


FORMULAS = {  # operator -> (the same in torch's operations, operations for each element)
    "softmax": (torch_softmax, 5),
    "softmax_backward": (torch_softmax_backward, 4),
}


def inputs(n, name="softmax", dtype=torch.float32, shape=None):
    """What that operator takes for 3 rows of n elements, or for rows of that shape."""
    shape = shape or (3, n)
    normal = partial(torch.randn, dtype=dtype, device=device)
    if name == "softmax":
        return (3 * normal(shape),)
    return normal(shape), torch.softmax(normal(shape), -1)


def operators(module, name="softmax"):
    formula, _ = FORMULAS[name]
    ops = {name: getattr(module, name), "torch": formula}
    if device.type == "cuda":
        torch.compiler.reset()
        ops["torch.compile"] = torch.compile(formula, dynamic=False)
    return ops


def tolerance(dtype):
    """A unit in the last place."""
    eps = torch.finfo(dtype).eps
    return {"rtol": max(2 * eps, 1e-5), "atol": 4 * eps}


# ---- times -----------------------------------------------------------------------------------------------------------
def bench_shapes(module, name, dtype, shapes):
    """One operator beside torch and torch.compile. Returns the rows."""
    rows = []
    formula, flops = FORMULAS[name]
    for shape in shapes:
        print(f"{'':8}{shape[0]} rows of {shape[1]}")
        ops = operators(module, name)
        rows_of_shape = partial(inputs, name=name, dtype=dtype, shape=shape)
        timed = bench(ops, rows_of_shape, [shape[0] * shape[1]], flops, rounded_once(formula), **tolerance(dtype))
        rows += [replace(row, name=f"{shape[0]} x {shape[1]}: {row.name}") for row in timed]
    return rows


def quack(name):
    """QuACK takes it for granted that tensors begin at multiples of 16 bytes; others could crash the GPU."""
    function = getattr(importlib.import_module("quack.softmax"), "softmax" if name == "softmax" else "softmax_bwd")

    def of_aligned(*tensors):
        if any(x.data_ptr() % 16 for x in tensors):
            raise ValueError("tensors must begin at multiples of 16 bytes")
        return function(*tensors)

    return of_aligned
