"""quick_glu: the kernel and the class of a gradient

The forward kernel is there. The gradients follow from the chain rule.
"""

import torch

from grader.checks import Wrong, check, device, launchers, module, orders, shared_out

MINUTES = 40
FAILS = "? was never written"


def run(mine):
    launch, function = launchers(mine / "quick_glu.cu"), module(mine / "quick_glu.py").QuickGLU

    def quick_glu(a, b):
        return function.apply(launch, a, b)

    def reference(a, b):
        return a * torch.sigmoid(1.702 * a) * b

    def inputs(n):
        return torch.randn(n, device=device), torch.randn(n, device=device)

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
    shared_out(lambda: backward(*inputs(500), inputs(500)[0]), 2 * 500)
    print("        launch_backward without grad_a and b")
    check(one_alone, lambda grad, a: grad * a * torch.sigmoid(1.702 * a), inputs, (0, 1, 257), **close)
    print("        QuickGLU")
    check(quick_glu, reference, inputs, (0, 1, 3, 257), **close, gradients=True)
    for remark in orders():
        for wanted in "a", "b":
            a, b = inputs(257)
            x = {"a": a, "b": b}[wanted].requires_grad_()
            saved, out = saved_of(lambda a=a, b=b: quick_glu(a, b))
            (found,) = torch.autograd.grad(out.sum(), x)
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
