"""What torch can do with one kernel, entry by entry: `make chapter09 ARGS=--steps`.

The operator of bias_gelu.cpp is registered four times here under other names, each time with one entry more. The first row
is the same kernel by pybind11.
"""

import functools
import warnings

import buys
import library
import torch

from common import device

NAMESPACE = "chapter09_steps"
ENTRIES = "schema, kernel", "+ Meta", "+ Autograd", "+ Autocast"


@functools.cache  # torch takes a registration once in a process
def register(ops):
    """{row: an operator with the entries up to that one}. All of them run the kernel of ops."""

    def kernel(x, bias):
        with torch.autocast(device.type, enabled=False):
            return ops.bias_gelu(x.detach(), bias.detach())  # without what ops has under Autocast and Autograd

    registered = {}
    for k, row in enumerate(ENTRIES):
        name = f"{NAMESPACE}::bias_gelu_{k}"
        torch.library.define(name, "(Tensor x, Tensor bias) -> Tensor")
        torch.library.impl(name, device.type, kernel)
        op = getattr(getattr(torch.ops, NAMESPACE), f"bias_gelu_{k}")
        if k >= 1:
            torch.library.register_fake(name, ops.bias_gelu)  # for fake tensors the operator runs its Meta function
        if k >= 2:
            torch.library.register_autograd(name, functools.partial(backward, ops), setup_context=save)
        if k >= 3:
            torch.library.impl(name, f"Autocast{device.type.upper()}", functools.partial(autocast, op))
        registered[row] = op
    return registered


def save(ctx, inputs, output):
    library.save(ctx, inputs, {"approximate": "none"}, output)


def backward(ops, ctx, grad):
    return library.backward(ops, ctx, grad)


def autocast(op, x, bias):
    x, bias = library.widest(x, bias)
    with torch.autocast(device.type, enabled=False):
        return op(x, bias)


def compiled(op):
    return "1 graph" if buys.graphs_of(op) == (1, "ok") else "graph break"


def gradient(op):
    x, bias = torch.randn(3, 4, device=device, requires_grad=True), torch.randn(4, device=device)
    op(x, bias).sum().backward()
    return "no gradient" if x.grad is None else "ok"


def mixed(op):
    x, bias = torch.randn(3, 4, device=device, dtype=torch.bfloat16), torch.randn(4, device=device)
    with torch.autocast(device.type, torch.bfloat16):
        return str(op(x, bias).dtype).removeprefix("torch.")


def tried(function, op) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # without the entry Autograd, torch warns that there is no gradient
        try:
            return function(op)
        except (TypeError, ValueError) as error:
            return type(error).__name__


COLUMNS = {"torch.compile": compiled, "backward": gradient, "autocast": mixed}


def main(ops, pybind) -> dict[str, list[str]]:
    """Prints the table, and returns its rows."""
    table = {
        name: [tried(function, op) for function in COLUMNS.values()]
        for name, op in {"pybind11": pybind.bias_gelu, **register(ops)}.items()
    }
    for name, cells in {"entries": COLUMNS, **table}.items():
        print(f"{'steps' if name == 'entries' else '':8}{name:<18}" + "".join(f"{cell:<16}" for cell in cells).rstrip())
    return table
