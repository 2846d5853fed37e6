"""What autograd keeps between forward and backward: for add in two ways, and for SwiGLU in four.

Started by `python chapters/07_autograd/main.py --memory`. A saved tensor lives until backward, even if nothing else refers
to it. In a deep model, saved tensors take most of the memory.
"""

import torch
from function import SwiGLU

from common import device


class AddOfTheNotes(torch.autograd.Function):
    """It saves both inputs and never uses them, as AddFunction does in the blog notes."""

    @staticmethod
    def forward(ctx, module, a, b):
        ctx.save_for_backward(a, b)
        return module.add_forward(a, b)

    @staticmethod
    def backward(ctx, grad):
        return None, grad, grad


def saved_bytes(function, *args) -> int:
    """Bytes of all tensors that autograd saves while function(*args) runs. Memory that two of them share counts once."""
    storages = {}

    def pack(tensor):
        storages[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        output = function(*args)  # kept, so that no other tensor gets its memory meanwhile
    del output
    return sum(storages.values())


def allocated_bytes(function, p, q) -> tuple[int, int]:
    """(held, peak): the bytes allocated on the GPU between forward and backward, and the most during both.

    function gets -p and -q. Nothing else refers to them, as nothing else refers to the output of a layer in a model.
    """
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    output = function(-p, -q)
    held = torch.cuda.memory_allocated() - before
    torch.autograd.grad(output, [x for x in (p, q) if x.requires_grad], torch.ones_like(output))
    return held, torch.cuda.max_memory_allocated() - before


def main(module, n=2**20) -> dict[str, list[int]]:
    """Prints the table. Returns its rows: name -> bytes saved, and on a GPU also bytes held and bytes at the peak."""

    def inputs(needs_a=True):
        return (torch.randn(n, device=device, requires_grad=needs) for needs in (needs_a, True))

    def torch_swiglu(a, b):
        return torch.nn.functional.silu(a) * b

    rows = {
        "add, as in the notes": (lambda a, b: AddOfTheNotes.apply(module, a, b), {}),
        "add": (module.add, {}),
        "swiglu, torch": (torch_swiglu, {}),
        "swiglu, C++": (module.swiglu, {}),
        "swiglu, Python": (lambda a, b: SwiGLU.apply(module, a, b), {}),
        "swiglu, C++, only b has a gradient": (module.swiglu, {"needs_a": False}),
    }
    heads = ["saved"] + ["held", "peak"] * (device.type == "cuda")
    print(f"{'memory':8}{f'n = {n}, float32':<37}" + "".join(f"{head:>10}" for head in heads))
    table = {}
    for name, (function, needs) in rows.items():
        table[name] = [saved_bytes(function, *inputs(**needs))]
        if device.type == "cuda":
            table[name] += allocated_bytes(function, *inputs(**needs))
        print(f"{'':8}{name:<37}" + "".join(f"{nbytes / 2**20:>6.0f} MiB" for nbytes in table[name]))
    return table
