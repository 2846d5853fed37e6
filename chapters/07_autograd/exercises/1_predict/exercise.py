"""predict: what autograd keeps, and what it notices

Answer the questions in answers.py: what does autograd save, and which changes does it notice? The check compares your
numbers with what torch saves on this machine.
"""

import torch

from grader.checks import answer
from grader.report import show

MINUTES = 5
FAILS = "NODE is None"


def run(mine):
    n = 2**20
    answer(mine, "NODE", 2 * 4 * n, "the node saves whole tensors, of 4 bytes an element: which ones?")
    a, b = torch.ones(n, requires_grad=True), torch.ones(n, requires_grad=True)
    why = "which tensors does backward of the product need, and which does backward of silu need?"
    answer(
        mine, "TORCH", sum(t.untyped_storage().nbytes() for t in saved(lambda: torch.nn.functional.silu(a) * b)), why
    )
    answer(mine, "ONLY_B", 4 * n, "grad_b = grad * a * sigmoid(a): what does this formula need besides grad?")
    answer(mine, "GRAD", gradient_of_sum(n), "each element of this gradient is the same 1; how often is it in memory?")
    answer(mine, "SECOND", "b", "after backward, the node has released what it had saved")
    answer(mine, "CHANGED", "c", "get_saved_variables() compares the version of each saved tensor: when does it run?")
    silu = torch.nn.functional.silu(a)
    names = {a.data_ptr(): "a", b.data_ptr(): "b", silu.data_ptr(): "silu(a)"}
    calls = {
        "silu(a)": lambda: torch.nn.functional.silu(a),
        "silu(a) * b": lambda: silu * b,
        "out.sum()": (silu * b).sum,
    }
    kept = {call: [names.get(t.data_ptr(), "?") for t in saved(compute)] for call, compute in calls.items()}
    show(
        "what torch has just saved for each operation, 4 MiB each",
        *(f"{call:14}{', '.join(tensors) or 'nothing'}" for call, tensors in kept.items()),
        "swiglu(a, b)  a, b: its node computes silu(a) anew",
    )


def saved(compute):
    """The tensors that autograd saves meanwhile, each once."""
    found = {}
    with torch.autograd.graph.saved_tensors_hooks(lambda t: found.setdefault(t.data_ptr(), t), lambda t: t):
        compute()
    return list(found.values())


def gradient_of_sum(n):
    """The bytes in memory of the gradient that out.sum() hands to the node of out."""
    out = torch.ones(n, requires_grad=True) * 1
    out.register_hook(lambda grad: sizes.append(grad.untyped_storage().nbytes()))
    sizes = []
    out.sum().backward()
    return sizes[0]
