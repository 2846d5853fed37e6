"""mul: save what backward needs, and nothing else

Give a * b a gradient, as a class in Python with torch's operations. The node saves, and backward computes, what is needed
and no more.
"""

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

from grader.checks import Wrong, module

MINUTES = 10
FAILS = "a.grad is None"


def run(mine):
    Mul = module(mine / "mul.py").Mul
    returned, products = [], []

    class Counting(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            products.extend([function] * ("mul" in function.__name__))
            return function(*args, **kwargs or {})

    class Watched(Mul):
        @staticmethod
        def backward(ctx, grad):
            with Counting():
                returned[:] = Mul.backward(ctx, grad)
            return tuple(returned)

    mul = Watched.apply
    for of_a, of_b in (True, True), (True, False), (False, True):
        a = torch.tensor([2.0, 4.0], requires_grad=of_a)
        b = torch.tensor([3.0, 5.0], requires_grad=of_b)
        grads = " and ".join(name for name, wanted in (("a", of_a), ("b", of_b)) if wanted)
        case = f"mul(a, b), a = {a.tolist()}, b = {b.tolist()}, grad for {grads}: "
        saved, out = saved_of(lambda a=a, b=b: mul(a, b))
        products.clear()
        if out.tolist() != [6, 20]:
            raise Wrong(f"{case}the result is {out.tolist()}, expected [6, 20]")
        grad = torch.ones(2)  # other nodes may get the same tensor
        out.backward(grad)
        if grad.tolist() != [1, 1]:
            raise Wrong(f"{case}backward changes the gradient that it gets: other nodes may use the same tensor")
        for name, x, other in ("a", a, b), ("b", b, a):
            if x.requires_grad and (x.grad is None or x.grad.tolist() != other.tolist()):
                found = x.grad if x.grad is None else x.grad.tolist()
                raise Wrong(f"{case}{name}.grad is {found}, expected {other.tolist()}")
        names = [name for name, x in (("a", a), ("b", b)) if any(x is t or x.data_ptr() == t.data_ptr() for t in saved)]
        expected = [name for name, wanted in (("a", of_b), ("b", of_a)) if wanted]
        if names != expected:
            found = " and ".join(names) or "nothing"
            raise Wrong(
                f"{case}the node saves {found}, expected {' and '.join(expected)}\n"
                "(only what save_for_backward() gets counts: autograd does not know of other tensors)"
            )
        for name, x, gradient in ("a", a, returned[0]), ("b", b, returned[1]):
            if gradient is not None and not x.requires_grad:
                raise Wrong(f"{case}backward returns a gradient of {name}, expected None: it is not wanted")
        if len(saved) > len(expected):
            raise Wrong(f"{case}the node saves {len(saved)} tensors, expected {' and '.join(expected)} alone")
        if any(isinstance(t, torch.Tensor) for t in tree_leaves(vars(out.grad_fn))):
            raise Wrong(f"{case}ctx keeps a tensor beside what save_for_backward() saves")
        if len(products) > of_a + of_b:
            raise Wrong(f"{case}backward computes {len(products)} products, expected {of_a + of_b}")
    # Two dimensions, and not contiguous.
    x, y = (torch.randn(3, 2, dtype=torch.float64).T.requires_grad_() for _ in range(2))
    torch.autograd.gradcheck(mul, (x, y))
    torch.autograd.gradgradcheck(mul, (x, y))
    print("right   gradients, first and second; what is saved and computed")


def saved_of(compute):
    """What autograd saves while compute() runs, and its result."""
    saved = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: saved.append(t) or t, lambda t: t):
        out = compute()
    return saved, out
