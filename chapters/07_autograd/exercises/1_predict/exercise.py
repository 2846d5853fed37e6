"""predict: what autograd keeps, and what it notices

Your numbers are compared with what torch saves on this machine.
"""

import torch

from grader.checks import answer

MINUTES = 5
FAILS = "NODE is None"


def run(mine):
    n = 2**20
    answer(mine, "NODE", 2 * 4 * n, "the node saves whole tensors, of 4 bytes an element: which ones?")
    a, b = torch.ones(n, requires_grad=True), torch.ones(n, requires_grad=True)
    why = "which tensors does backward of the product need, and which does backward of silu need?"
    answer(mine, "TORCH", saved_bytes(lambda: torch.nn.functional.silu(a) * b), why)
    answer(mine, "ONLY_B", 4 * n, "grad_b = grad * a * sigmoid(a): what does this formula need besides grad?")
    answer(mine, "GRAD", gradient_of_sum(n), "each element of this gradient is the same 1; how often is it in memory?")
    answer(mine, "SECOND", "b", "after backward, the node has released what it had saved")
    answer(mine, "CHANGED", "c", "get_saved_variables() compares the version of each saved tensor: when does it run?")


def saved_bytes(compute):
    """Of all tensors that autograd saves meanwhile, each counted once."""
    saved = {}
    with torch.autograd.graph.saved_tensors_hooks(lambda t: saved.setdefault(t.data_ptr(), t), lambda t: t):
        compute()
    return sum(t.untyped_storage().nbytes() for t in saved.values())


def gradient_of_sum(n):
    """The bytes in memory of the gradient that out.sum() hands to the node of out."""
    out = torch.ones(n, requires_grad=True) * 1
    out.register_hook(lambda grad: sizes.append(grad.untyped_storage().nbytes()))
    sizes = []
    out.sum().backward()
    return sizes[0]
