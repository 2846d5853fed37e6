"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "Autograd records torch's operations, and no kernel of ours. In backward, torch.is_grad_enabled() says whether it "
    "records.",
    "SwigluFunction::backward in the lesson has two ways. The one for create_graph=True computes the same formula from "
    "grad and the saved tensors in torch's operations. The formula is grad * s * (1 + x * (1 - s)), s = sigmoid(x).",
    "The operations need the x of ctx.saved_tensors itself: x.detach() and no_grad() cut the graph again.",
]
WRONG = {
    "refuses": (
        "cannot be differentiated",
        {
            "twice.py": [
                (
                    "if torch.is_grad_enabled():  # create_graph=True\n"
                    "            s = torch.sigmoid(x)\n"
                    "            return None, grad * s * (1 + x * (1 - s))",
                    "if torch.is_grad_enabled():\n"
                    '            raise RuntimeError("SiLU.backward runs a kernel and cannot be '
                    'differentiated")',
                )
            ]
        },
    ),
    "always_torch": (
        "launched the kernel 0 times, expected once",
        {
            "twice.py": [
                (
                    "if torch.is_grad_enabled():  # create_graph=True\n"
                    "            s = torch.sigmoid(x)\n"
                    "            return None, grad * s * (1 + x * (1 - s))\n"
                    "        return None, ctx.kernels.backward(grad.contiguous(), x)",
                    "s = torch.sigmoid(x)\n        return None, grad * s * (1 + x * (1 - s))",
                )
            ]
        },
    ),
    "recorded": (
        "autograd cannot record a kernel",
        {
            "twice.py": [
                (
                    "        if torch.is_grad_enabled():  # create_graph=True\n"
                    "            s = torch.sigmoid(x)\n"
                    "            return None, grad * s * (1 + x * (1 - s))\n",
                    "",
                )
            ]
        },
    ),
    "asks_the_gradient": (
        "of silu(x) + x^3, the second derivative is [-12.0, 0.0, 6.0], expected",
        {"twice.py": [("if torch.is_grad_enabled():  # create_graph=True", "if grad.requires_grad:")]},
    ),
    "detached": (
        "the second derivative is [-0.1816, 1.0, 1.8553], expected",
        {
            "twice.py": [
                (
                    "if torch.is_grad_enabled():  # create_graph=True",
                    "if torch.is_grad_enabled():\n            x = x.detach()",
                )
            ]
        },
    ),
    "result_of_torch": (
        "a result does not come from a kernel",
        {
            "twice.py": [
                (
                    (
                        "        if torch.is_grad_enabled():  # create_graph=True\n"
                        "            s = torch.sigmoid(x)\n"
                        "            return None, grad * s * (1 + x * (1 - s))\n"
                        "        return None, ctx.kernels.backward(grad.contiguous(), x)\n"
                    ),
                    (
                        "        if not torch.is_grad_enabled():\n"
                        "            ctx.kernels.backward(grad.contiguous(), x)\n"
                        "        s = torch.sigmoid(x)\n"
                        "        return None, grad * s * (1 + x * (1 - s))\n"
                    ),
                )
            ]
        },
    ),
    "forward_by_torch": (
        "a result does not come from a kernel",
        {"twice.py": [("return kernels.forward(x)", "return x * torch.sigmoid(x)")]},
    ),
    "on_ctx": (
        "after x was overwritten",
        {"twice.py": [("ctx.save_for_backward(x)", "ctx.x = x"), ("(x,) = ctx.saved_tensors", "x = ctx.x")]},
    ),
    "kernel_for_sums_alone": (
        "launched the kernel 0 times, expected once",
        {"twice.py": [("if torch.is_grad_enabled():", "if torch.is_grad_enabled() or grad.is_contiguous():")]},
    ),
    "overflows": (
        "x = [-1000.0, 1000.0]: the second derivative is [nan, 0.0], expected [0.0, 0.0]",
        {
            "twice.py": [
                (
                    "            s = torch.sigmoid(x)\n            return None, grad * s * (1 + x * (1 - s))\n",
                    "            e = torch.exp(-x)\n            return None, grad * (1 + e + x * e) / (1 + e) ** 2\n",
                )
            ]
        },
    ),
    "one_dimension": (
        "the check had called: torch.autograd.gradgradcheck(silu, (rows,))",
        {"twice.py": [("grad * s * (1 + x * (1 - s))", "torch.einsum('i,i->i', grad, s * (1 + x * (1 - s)))")]},
    ),
}
