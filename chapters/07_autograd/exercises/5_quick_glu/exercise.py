"""quick_glu: write the kernel and the class of a gradient

The forward kernel of a * sigmoid(1.702 * a) * b is there. Derive the gradients by the chain rule, and write their kernel and
their class.
"""

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
        a[:2] = torch.tensor([-100.0, 100.0], device=device)[:n]  # there exp() overflows
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
    )
    work_is_divided(lambda: backward(*inputs(500), inputs(500)[0]), 2 * 500)
    print("        launch_backward without grad_a and b")
    check(one_alone, lambda grad, a: grad * a * torch.sigmoid(1.702 * a), inputs, (0, 1, 257), **close)
    a, grad_b = many(n := 2**32 + 10), many(n)
    if a is not None:
        a[:1000] = a[-1] = 100  # of this number, sigmoid is 1; an index of 32 bits leads to the first of these
        grad_b_alone = lambda *args, **more: launch.launch_backward(None, *args, **more)  # noqa: E731
        last_element(grad_b_alone, grad_b, a, a, None, n, expected=10_000, where=f"n = {n}")
    print("        QuickGLU")
    check(quick_glu, reference, inputs, (0, 1, 3, 257), **close, gradients=True)
    for remark in orders():
        for wanted in "a", "b":
            a, b = inputs(257)
            x = {"a": a, "b": b}[wanted].requires_grad_()
            gradients[:] = None, None
            saved, out = saved_of(lambda a=a, b=b: quick_glu(a, b))
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
    x = (torch.tensor([-2.0, 0.0, 1.0], device=device).requires_grad_(), torch.full((3,), 2.0, device=device))

    for what, of in (
        ("quick_glu(a, b) * a", lambda f: (f(*x) * x[0]).sum()),
        ("quick_glu(a, b) + a^3", lambda f: (f(*x) + x[0] ** 3).sum()),
    ):
        try:
            (first,) = torch.autograd.grad(of(op), x[0], create_graph=True)
            (found,) = torch.autograd.grad(first.sum(), x[0])
        except RuntimeError as error:
            print(f"{'right':8}a second derivative is refused: {error}")
            continue
        (first,) = torch.autograd.grad(of(reference), x[0], create_graph=True)
        (expected,) = torch.autograd.grad(first.sum(), x[0])
        if not torch.allclose(found, expected, rtol=1e-4, atol=1e-4):
            found, expected = ([round(value, 4) for value in t.tolist()] for t in (found, expected))
            raise Wrong(
                f"a = {x[0].tolist()}, b = {x[1].tolist()}: with create_graph=True the second derivative of "
                f"{what} by a is {found}, expected {expected} or RuntimeError\n"
                "a kernel's results have no graph: terms were lost, and autograd did not notice"
                + ("\nonce_differentiable raises late, or not at all: the chapter's REFERENCE.md says when" * once)
            )
        print(f"{'right':8}second derivative")


def saved_of(compute):
    """The addresses of what autograd saves while compute() runs, and its result."""
    saved = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: saved.append(t.data_ptr()) or t, lambda t: t):
        out = compute()
    return saved, out
