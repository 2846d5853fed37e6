"""in_place: write a gradient for an operator that overwrites its input

sigmoid_(x) overwrites x, and autograd does not know; the lesson's bias_gelu_ refuses an x that requires grad. Do more: add in
Python the gradient, the count of versions, and what fake tensors need. After the call the old x is gone, and yet a second
derivative must be right, or an error.
"""

import contextlib
from pathlib import Path

import torch

from grader.checks import WATCH, Wrong, device, extension, launches_rightly, module, refuses

MINUTES = 30
MEMORY_CHECK = False
FAILS = "after sigmoid_(x), x.grad_fn is MulBackward0 as before"


def run(mine):
    here = Path(__file__).parent
    extension(here, ["sigmoid.cpp", "sigmoid.cu", WATCH], stable=True)
    module(mine / "registration.py")
    operator = torch.ops.exercise.sigmoid_
    for key in "AutogradCPU", "AutogradCUDA":
        if torch._C._dispatch_has_kernel_for_dispatch_key("exercise::sigmoid_", key):
            raise Wrong(f"a function is entered under {key}: on other devices sigmoid_ would have no gradient")

    def sigmoid_(x):
        try:
            operator(x)
        except RecursionError:
            raise Wrong(
                "sigmoid_(x) calls itself without end: with a function under Autograd, each call of the operator comes to it"
            ) from None

    values = torch.tensor([1.0, 2.0], device=device)
    x = values.clone()
    sigmoid_(x)
    close("x = [1.0, 2.0]; sigmoid_(x): x is", x, torch.sigmoid(values))

    # leaf * 1, because torch allows no operator in place on a leaf that requires grad.
    leaf = values.clone().requires_grad_()
    x = leaf * 1
    version = x._version
    try:
        sigmoid_(x)
    except RuntimeError as error:
        raise Wrong(f"autograd records, and sigmoid_(x) raises an error, expected a gradient\n{error}") from None
    node, version = type(x.grad_fn).__name__, x._version - version
    weights = torch.tensor([-1.0, 3.0], device=device)
    x.backward(given := weights.clone())
    s = torch.sigmoid(values)
    if node == "MulBackward0":
        why = "\nafter sigmoid_(x), x.grad_fn is MulBackward0 as before"
        if torch._C._dispatch_has_kernel_for_dispatch_key("exercise::sigmoid_", "Autograd"):
            why += ": your function under Autograd ran, and autograd was not told that x was overwritten"
    else:
        why = "\nthe kernel has overwritten x: of what is backward's formula?"
    what = "x = leaf * 1; sigmoid_(x); x.backward(torch.tensor([-1.0, 3.0])): "
    close(f"{what}the tensor that backward was given is", given, weights)
    close(f"{what}the gradient of leaf is", leaf.grad, weights * s * (1 - s), why)
    close(f"{what}x is", x, s, "\nbackward has changed what it saved")
    large = torch.tensor([100.0, -100.0], device=device).requires_grad_()
    x = large * 1
    sigmoid_(x)
    x.sum().backward()
    close(
        "leaf = [100.0, -100.0]; x = leaf * 1; sigmoid_(x); the gradient of leaf is",
        large.grad,
        torch.zeros_like(large),
    )
    if version != 1:
        raise Wrong(f"sigmoid_(x) adds {version} to x._version, expected 1")

    x = leaf * 1
    sigmoid_(x)
    out = x.sum()
    with torch.no_grad():
        x.zero_()
    leaf.grad = None
    try:
        out.backward()  # also right where the node has a copy of the result
    except RuntimeError as error:
        if "modified by an inplace operation" not in str(error):
            raise
    else:
        close("backward, after x was overwritten, raises no RuntimeError, so it uses a copy, or what x holds now; "
              "the gradient of leaf is", leaf.grad, s * (1 - s))  # fmt: skip
    x = leaf * 1
    sigmoid_(x)
    first = torch.autograd.grad((x * x).sum(), leaf, create_graph=True)[0].sum()
    with contextlib.suppress(RuntimeError):  # as @once_differentiable gives
        (second,) = torch.autograd.grad(first, leaf)
        close(
            "x = leaf * 1; sigmoid_(x); of (x * x).sum(), the second derivative is",
            second,
            2 * s * s * (1 - s) * (2 - 3 * s),
            "\nbackward uses a result that autograd takes for a constant: an error would be right, a wrong number is not",
        )

    for mode, remark in (contextlib.nullcontext(), ""), (torch.no_grad(), " under torch.no_grad()"):
        saved = torch.ones(2, device=device)
        out = (leaf * saved).sum()  # keeps saved for the gradient of leaf
        with mode:
            sigmoid_(saved)
        what = f"backward, after sigmoid_ changed a saved tensor{remark}"
        refuses(out.backward, RuntimeError, "modified by an inplace operation", what)
    fresh = values.clone().requires_grad_()
    refuses(lambda: sigmoid_(fresh), RuntimeError, "", "sigmoid_(leaf), where leaf requires grad")
    leaf.grad = None
    matrix = leaf * torch.ones(2, 2, device=device)
    sigmoid_(matrix[0])
    matrix.sum().backward()
    close("sigmoid_(matrix[0]); matrix.sum().backward(): the gradient of leaf is", leaf.grad, s * (1 - s) + 1)
    with torch.no_grad():
        sigmoid_(leaf)
    close("under torch.no_grad(): after sigmoid_(leaf), leaf is", leaf, s)

    if device.type == "cpu":
        for start in values, values.clone().requires_grad_():
            launches_rightly(here, lambda start=start: result_of(sigmoid_, start * 1), "sigmoid_", values)
    try:
        operator(torch.empty(3, device="meta"))
    except NotImplementedError:
        raise Wrong("sigmoid_ has no function for fake tensors: torch.compile and torch.export need one") from None
    for requires_grad in False, True:
        x = values.clone().requires_grad_(requires_grad) * 1
        tests = ("test_schema", "test_faketensor", "test_aot_dispatch_dynamic")
        torch.library.opcheck(operator, (x,), test_utils=tests)
    print("right   values, gradients, versions, views, fake tensors")


def result_of(sigmoid_, x):
    sigmoid_(x)
    return x.detach()


def close(what, found, expected, why=""):
    if found is None or not torch.allclose(found, expected):
        found = None if found is None else [round(value, 4) for value in found.tolist()]
        raise Wrong(f"{what} {found}, expected {[round(value, 4) for value in expected.tolist()]}{why}")
