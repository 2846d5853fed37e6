"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "registration.py of the lesson enters functions for bias_gelu_ under Autograd and for fake tensors. Under Autograd it "
    "refuses; yours calls apply() of a torch.autograd.Function. After the call x is the "
    "result, and the old x is gone: write "
    "the gradient as a formula of the result.",
    "ctx.mark_dirty(x) in forward says that forward has overwritten x: it then counts a version, and x gets the node as its "
    "grad_fn. forward returns x. With s = sigmoid(x), the derivative is s * (1 - s).",
    "forward calls the operator in `with torch._C._AutoDispatchBelowAutograd():`, so that the kernel's turn comes and not "
    'Autograd\'s again. @torch.library.impl("exercise::sigmoid_", "Autograd") and '
    '@torch.library.register_fake("exercise::sigmoid_") enter the functions below them. The one for fake tensors returns '
    "nothing: `pass` is enough.",
]
WRONG = {
    "as_in_the_lesson": (
        "autograd records, and sigmoid_(x) raises an error, expected a gradient",
        {
            "registration.py": [
                (
                    "    Sigmoid.apply(x)\n",
                    "    if x.requires_grad and torch.is_grad_enabled():\n"
                    '        raise RuntimeError("x requires grad, but sigmoid_ has no backward")\n'
                    "    Sigmoid.apply(x)\n",
                )
            ]
        },
    ),
    "autograd_again": (
        "sigmoid_(x) calls itself without end",
        {"registration.py": [("with torch._C._AutoDispatchBelowAutograd():", "if True:")]},
    ),
    "not_dirty": (
        "autograd was not told that x was overwritten",
        {"registration.py": [("        ctx.mark_dirty(x)\n", "")]},
    ),
    "of_the_input": (
        "of what is backward's formula?",
        {"registration.py": [("        (s,) = ctx.saved_tensors", "        s = torch.sigmoid(ctx.saved_tensors[0])")]},
    ),
    "on_ctx": (
        "backward, after x was overwritten, raises no RuntimeError",
        {
            "registration.py": [
                ("ctx.save_for_backward(x)  # the result", "ctx.s = x.detach()"),
                ("(s,) = ctx.saved_tensors", "s = ctx.s"),
            ]
        },
    ),
    "of_a_constant": (
        "the second derivative is [0.0773, 0.022], expected [-0.0555, -0.1188]",
        {"registration.py": [("(s,) = ctx.saved_tensors", "s = ctx.saved_tensors[0].detach()")]},
    ),
    "no_kernel": (
        "x is [1.0, 2.0], expected [0.7311, 0.8808]",
        {
            "registration.py": [
                (
                    "        with torch._C._AutoDispatchBelowAutograd():\n            torch.ops.exercise.sigmoid_(x)\n",
                    "",
                )
            ]
        },
    ),
    "no_fake": (
        "no function for fake tensors",
        {"registration.py": [('@torch.library.register_fake("exercise::sigmoid_")\ndef _(x):\n    pass\n\n\n', "")]},
    ),
    "by_torch": (
        "sigmoid_ launches no kernel",
        {"registration.py": [("    Sigmoid.apply(x)\n", "    x.sigmoid_()\n")]},
    ),
    "no_version_without_grad": (
        "after sigmoid_ changed a saved tensor under torch.no_grad(): RuntimeError is expected",
        {
            "registration.py": [
                (
                    "    Sigmoid.apply(x)\n",
                    (
                        "    if not torch.is_grad_enabled():\n"
                        "        with torch._C._AutoDispatchBelowAutograd():\n"
                        "            torch.ops.exercise.sigmoid_(x)\n"
                        "        return\n"
                        "    Sigmoid.apply(x)\n"
                    ),
                )
            ]
        },
    ),
    "overwrites_a_leaf": (
        "where leaf requires grad: RuntimeError is expected",
        {"registration.py": [("    Sigmoid.apply(x)\n", "    Sigmoid.apply(x.detach() if x.is_leaf else x)\n")]},
    ),
    "ignores_grad": (
        "the gradient of leaf is [0.1966, 0.105], expected [-0.1966, 0.315]",
        {"registration.py": [("return grad * s * (1 - s)", "return s * (1 - s)")]},
    ),
    "overwrites_the_result": (
        "backward has changed what it saved",
        {
            "registration.py": [
                ("return grad * s * (1 - s)", "return grad * s * s.neg_().add_(1)"),
                (
                    "    @staticmethod\n    def backward",
                    "    @staticmethod\n    @torch.autograd.function.once_differentiable\n    def backward",
                ),
            ]
        },
    ),
    "overwrites_grad": (
        "the tensor that backward was given is",
        {
            "registration.py": [
                ("return grad * s * (1 - s)", "return grad.mul_(s * (1 - s))"),
                (
                    "    @staticmethod\n    def backward",
                    "    @staticmethod\n    @torch.autograd.function.once_differentiable\n    def backward",
                ),
            ]
        },
    ),
    "gradient_on_the_cpu": (
        "a function is entered under AutogradCPU",
        {"registration.py": [('"exercise::sigmoid_", "Autograd")', '"exercise::sigmoid_", "AutogradCPU")')]},
    ),
}
