"""twice: add the term that a second derivative lacks

Both passes run kernels. With create_graph=True the gradient has no graph, and nothing says so: the second derivative lacks a
term. Change backward; it must still run the kernel when nobody asks for a second derivative.
"""

from pathlib import Path

import torch

from grader.checks import Wrong, device, launchers, module, refuses, saves

MINUTES = 20
MEMORY_CHECK = False
FAILS = "the second derivative is [-0.0908, 0.5, 0.9277], expected"
VALUES = [-2.0, 0.0, 1.0]


class Kernels:
    """silu(x) and its gradient by kernels, with no graph. x, grad: float64, contiguous."""

    def __init__(self):
        self.launchers = launchers(Path(__file__).with_name("silu.cu"))
        self.forwards = self.backwards = 0
        self.address = 0  # of the last gradient
        self.while_recording = False  # whether backward was called where autograd records

    def forward(self, x):
        self.forwards += 1
        out = torch.empty_like(x)
        self.launchers.launch_silu_forward(out, x, x.numel())
        return out

    def backward(self, grad, x):
        self.backwards += 1
        self.while_recording |= torch.is_grad_enabled()
        grad_x = torch.empty_like(x)
        self.launchers.launch_silu_backward(grad_x, grad, x, x.numel())
        self.address = grad_x.data_ptr()
        return grad_x


def run(mine):
    function, kernels = module(mine / "twice.py").SiLU, Kernels()
    silu, of_torch = (lambda x: function.apply(kernels, x)), torch.nn.functional.silu
    x = torch.tensor(VALUES, dtype=torch.float64, device=device, requires_grad=True)

    # Without create_graph=True: a kernel, once each time. The gradient of sum() is one element, expanded; others are not.
    for grad in torch.ones((), dtype=x.dtype, device=device).expand(3), torch.ones_like(x):
        before = kernels.backwards
        (first,) = torch.autograd.grad(silu(x), x, grad)
        close(x, "the first derivative", first, torch.autograd.grad(of_torch(x), x, grad)[0])
        if (launched := kernels.backwards - before) != 1:
            raise Wrong(f"backward without create_graph=True has launched the kernel {launched} times, expected once")
        if not kernels.forwards or first.data_ptr() != kernels.address:
            raise Wrong("a result does not come from a kernel: both passes have to return what theirs computes")

    def second_derivative(f, x=x):
        (first,) = torch.autograd.grad(f(x).sum(), x, create_graph=True)
        return torch.autograd.grad(first.sum(), x)[0]

    # In the second one, grad has no graph: of a sum it is 1 everywhere.
    for what, of in ("silu(x) * x", lambda f: lambda x: f(x) * x), ("silu(x) + x^3", lambda f: lambda x: f(x) + x**3):
        second = second_derivative(of(silu))
        why = (
            "\nyour backward launched the kernel while autograd records (create_graph=True): autograd cannot record a "
            "kernel"
        )
        close(
            x,
            f"of {what}, the second derivative",
            second,
            second_derivative(of(of_torch)),
            why if kernels.while_recording else "",
        )
    far = torch.tensor([-1000.0, 1000.0], dtype=x.dtype, device=device, requires_grad=True)  # exp() overflows
    close(far, "the second derivative", second_derivative(silu, far), second_derivative(of_torch, far))
    saves(silu(x), x, "x")
    out = silu(x)
    with torch.no_grad():
        x.mul_(1)
    what = "backward with create_graph=True, after x was overwritten"
    refuses(lambda: torch.autograd.grad(out.sum(), x, create_graph=True), RuntimeError, "modified by an inplace", what)
    rows = x.detach().repeat(2, 1).requires_grad_()
    torch.autograd.gradcheck(silu, (rows,))
    torch.autograd.gradgradcheck(silu, (rows,))
    print("right   first derivative, by the kernel; second derivative")


def close(x, what, found, expected, why=""):
    if not torch.allclose(found, expected):
        found, expected = ([round(value, 4) for value in t.tolist()] for t in (found, expected))
        raise Wrong(f"x = {x.tolist()}: {what} is {found}, expected {expected}{why}")
