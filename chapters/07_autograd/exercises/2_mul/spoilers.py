"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "The gradient of a * b with respect to a is b. So backward needs b if a requires grad. And the other way round?",
    "ctx.needs_input_grad is a tuple of bool, one for each argument of forward. forward "
    "of SwiGLU in the lesson's function.py "
    "passes None to save_for_backward for what is not needed; ctx.saved_tensors then has None in that place.",
]
WRONG = {
    "swapped": (
        "a.grad is [2.0, 4.0], expected [3.0, 5.0]",
        {
            "mul.py": [
                (
                    "of_a, of_b = ctx.needs_input_grad\n"
                    "        return grad * b if of_a else None, grad * a if of_b else None",
                    "return grad * a if a is not None else None, grad * b if b is not None else None",
                )
            ]
        },
    ),
    "saves_all": (
        "the node saves a and b, expected b",
        {
            "mul.py": [
                (
                    "of_a, of_b = ctx.needs_input_grad\n"
                    "        ctx.save_for_backward(a if of_b else None, b if of_a else None)",
                    "ctx.save_for_backward(a, b)",
                )
            ]
        },
    ),
    "on_ctx": (
        "the node saves nothing, expected a and b",
        {
            "mul.py": [
                (
                    "of_a, of_b = ctx.needs_input_grad\n"
                    "        ctx.save_for_backward(a if of_b else None, b if of_a else None)",
                    "ctx.a, ctx.b = a, b",
                ),
                ("        a, b = ctx.saved_tensors\n", ""),
                ("b if of_a else None, grad * a", "ctx.b if of_a else None, grad * ctx.a"),
            ]
        },
    ),
    "computes_all": (
        "backward returns a gradient of b, expected None",
        {
            "mul.py": [
                ("None, b if of_a else None", "b, b if of_a else a"),
                (
                    "of_a, of_b = ctx.needs_input_grad\n"
                    "        return grad * b if of_a else None, grad * a if of_b else None",
                    "return grad * b, grad * a",
                ),
            ]
        },
    ),
    "changes_grad": (
        "backward changes the gradient that it gets",
        {
            "mul.py": [
                (
                    "return grad * b if of_a else None, grad * a if of_b else None",
                    ("of_b_now = grad * a if of_b else None\n        return grad.mul_(b) if of_a else None, of_b_now"),
                )
            ],
        },
    ),
    "saves_the_product": (
        "the node saves 3 tensors, expected a and b alone",
        {
            "mul.py": [
                ("a if of_b else None, b if of_a else None)", "a if of_b else None, b if of_a else None, a * b)"),
                ("a, b = ctx.saved_tensors", "a, b, _ = ctx.saved_tensors"),
            ]
        },
    ),
    "also_on_ctx": (
        "ctx keeps a tensor beside what save_for_backward() saves",
        {"mul.py": [("b if of_a else None)\n", "b if of_a else None)\n        ctx.both = a, b\n")]},
    ),
    "computes_and_drops": (
        "backward computes 2 products, expected 1",
        {
            "mul.py": [
                (
                    "        return grad * b if of_a else None, grad * a if of_b else None",
                    "        grad_a, grad_b = grad * (a if b is None else b), grad * (b if a is None else a)\n"
                    "        return grad_a if of_a else None, grad_b if of_b else None",
                )
            ]
        },
    ),
    "one_dimension": (
        "got [3] but expected shape compatible with [2, 3]",
        {
            "mul.py": [
                (
                    "grad * b if of_a else None, grad * a if of_b else None",
                    "torch.diag(b) @ grad if of_a else None, torch.diag(a) @ grad if of_b else None",
                )
            ]
        },
    ),
    "view": (
        "view size is not compatible",
        {
            "mul.py": [
                (
                    "grad * b if of_a else None, grad * a",
                    "(grad.view(-1) * b.view(-1)).view(b.shape) if of_a else None, grad * a",
                )
            ]
        },
    ),
}
