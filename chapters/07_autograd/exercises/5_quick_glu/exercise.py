"""quick_glu: write the kernel and the class of a gradient

The forward kernel of a * sigmoid(1.702 * a) * b is there. Derive the gradients by the chain rule, and write their kernel and
their class.
"""

import itertools
from types import SimpleNamespace

import torch

from grader.checks import (
    Wrong,
    check,
    device,
    last_element,
    launchers,
    many,
    module,
    orders,
    refuse_32_bits,
    saves,
    work_is_divided,
)

MINUTES = 40
FAILS = "? was never written"


def run(mine):
    launch, function = launchers(mine / "quick_glu.cu"), module(mine / "quick_glu.py").QuickGLU

    gradients = []  # that launch_backward was called with

    def launch_backward(*args):
        gradients[:] = args[:2]
        launch.launch_backward(*args)

    both = SimpleNamespace(launch_forward=launch.launch_forward, launch_backward=launch_backward)

    def quick_glu(a, b):
        return function.apply(both, a, b)

    def reference(a, b):
        return a * torch.sigmoid(1.702 * a) * b

    def inputs(n):
        a = torch.randn(n, device=device)
        a[:3] = torch.tensor([-100.0, 100.0, 0.0], device=device)[:n]  # exp() overflows; 0 / 0
        return a, torch.randn(n, device=device)

    def backward(grad, a, b):
        grad_a, grad_b = torch.empty_like(a), torch.empty_like(b)
        launch.launch_backward(grad_a, grad_b, grad, a, b, a.numel())
        return grad_a, grad_b

    def backward_reference(grad, a, b):
        a, b = a.detach().requires_grad_(), b.detach().requires_grad_()
        return torch.autograd.grad(reference(a, b), (a, b), grad)

    def one_alone(grad, a):
        grad_b = torch.empty_like(a)
        launch.launch_backward(None, grad_b, grad, a, None, a.numel())
        return grad_b

    print("        launch_backward")
    close = {"rtol": 1e-5, "atol": 1e-5}
    check(
        backward,
        backward_reference,
        lambda n: (torch.randn(n, device=device), *inputs(n)),
        (0, 1, 3, 257),
        **close,
        outputs=("grad_a", "grad_b"),
        any_n=True,
    )
    work_is_divided(lambda: backward(*inputs(500), inputs(500)[0]), 2 * 500)
    print("        launch_backward without grad_a and b")
    check(one_alone, lambda grad, a: grad * a * torch.sigmoid(1.702 * a), inputs, (0, 1, 257), **close, any_n=True)
    a, zeros, out = (many(n := 2**32 + 10) for _ in range(3))
    if out is not None:
        a[-1], a[:1000], zeros[:1000] = 100, 50, 5  # sigmoid is 1, and .5; an index of 32 bits leads to the first 1000
        grad_b_alone = lambda *args, **more: launch.launch_backward(None, *args, **more)  # noqa: E731
        last_element(grad_b_alone, out, a, a, None, n, expected=10_000, where=f"n = {n}")
        grad_a_alone = lambda out, *args, **more: launch.launch_backward(out, None, *args, **more)  # noqa: E731
        last_element(grad_a_alone, out, a, zeros, a, n, expected=5_000, where=f"n = {n}, grad_a alone")
    refuse_32_bits(mine / "quick_glu.cu")
    print("        QuickGLU, of 2 rows")
    check(
        quick_glu,
        reference,
        lambda n: [t.view(2, n) for t in inputs(2 * n)],
        (0, 1, 3, 257),
        **close,
        gradients=True,
        any_n=True,
        name="columns",
    )
    for remark in orders():
        for wanted in "a", "b":
            a, b = inputs(257)
            x = {"a": a, "b": b}[wanted].requires_grad_()
            gradients[:] = None, None
            saved, out = saved_of(lambda a=a, b=b: quick_glu(a, b))
            quick_glu(*inputs(3))  # a class that keeps the tensors of the last call has others now
            (found,) = torch.autograd.grad(out.sum(), x)
            of_kernel, unwanted = gradients if wanted == "a" else reversed(gradients)
            if of_kernel is None or found.data_ptr() != of_kernel.data_ptr():
                raise Wrong(
                    f"only {wanted} requires grad: backward does not return the gradient that the kernel computes"
                )
            if unwanted is not None:
                raise Wrong(f"only {wanted} requires grad: backward has the kernel compute both gradients")
            (expected,) = torch.autograd.grad(reference(a, b).sum(), x)
            if not torch.allclose(found, expected, rtol=1e-5, atol=1e-5):
                raise Wrong(f"only {wanted} requires grad{remark}: wrong gradient")
            names = [name for name, t in (("a", a), ("b", b)) if t.data_ptr() in saved]
            if names != (["a", "b"] if wanted == "a" else ["a"]):
                wants = "a and b" if wanted == "a" else "a"
                copies = "copies" if saved else "nothing by save_for_backward()"
                raise Wrong(
                    f"only {wanted} requires grad: the node saves {' and '.join(names) or copies}, expected {wants}"
                )
    for name in "a", "b":
        a, b = (t.requires_grad_() for t in inputs(3))
        saves(quick_glu(a, b), {"a": a, "b": b}[name], name)
    print("right   one gradient alone, and what is saved for it")
    second_derivative(quick_glu, reference, "once_differentiable" in (mine / "quick_glu.py").read_text())


def second_derivative(op, reference, once):
    """Refused, or right. The other a has a graph of its own: without op's, terms are lost, and autograd says nothing. In a
    sum, grad is 1 everywhere, and has no graph."""
    right = []
    for wanted, values in ("a", [-2.0, 0.0, 1.0]), ("b", [-2.0, 0.0, 1.0]), ("ab", [-100.0, 100.0, 1.0]):
        a, b = torch.tensor(values, device=device), torch.full((3,), 2.0, device=device)
        leaves = [{"a": a, "b": b}[name].requires_grad_() for name in wanted]
        x = wanted[0]
        for what, of in (
            (f"quick_glu(a, b) * {x}", lambda f, a=a, b=b, x=leaves[0]: f(a, b) * x),
            (f"quick_glu(a, b) + {x}^3", lambda f, a=a, b=b, x=leaves[0]: f(a, b) + x**3),
        ):
            try:
                all_found = seconds(of(op), leaves)
            except RuntimeError as error:
                right.append(f"{'right':8}a second derivative is refused: {error}")
                continue
            pairs = zip(all_found, seconds(of(reference), leaves), itertools.product(wanted, repeat=2), strict=True)
            for found, expected, names in pairs:
                if not torch.allclose(found, expected, rtol=1e-4, atol=1e-4):
                    why = "a kernel's results have no graph: terms were lost, and autograd did not notice"
                    why = "for such an a, exp() overflows" if found.isnan().any() else why
                    found, expected = ([round(value, 4) for value in t.tolist()] for t in (found, expected))
                    by = x if wanted == x else ", then ".join(names)
                    raise Wrong(
                        f"a = {a.tolist()}, b = {b.tolist()}: with create_graph=True the second derivative of "
                        f"{what} by {by} is {found}, expected {expected} or RuntimeError\n"
                        + why
                        + (
                            "\nonce_differentiable raises late, or not at all: the chapter's REFERENCE.md says when"
                            * once
                        )
                    )
            right.append(f"{'right':8}second derivative")
    print(*dict.fromkeys(right), sep="\n")


def seconds(out, leaves):
    """The gradients, by each leaf, of each first gradient of out.sum(); 0 where one has no graph."""
    first = torch.autograd.grad(out.sum(), leaves, create_graph=True, allow_unused=True)
    found = [
        (None,) * len(leaves)
        if g is None or not g.requires_grad
        else torch.autograd.grad(g.sum(), leaves, retain_graph=True, allow_unused=True)
        for g in first
    ]
    return [torch.zeros_like(leaves[0]) if g is None else g for row in found for g in row]


def saved_of(compute):
    """The addresses of what autograd saves while compute() runs, and its result."""
    saved = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: saved.append(t.data_ptr()) or t, lambda t: t):
        out = compute()
    return saved, out
