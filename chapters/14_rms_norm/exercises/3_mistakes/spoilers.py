"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "How far does the mean in grad_x go: over a row, or over a column? With as many rows as columns, both shapes fit.",
    "sum is x + residual. Whatever its gradient is, it belongs to x and to residual, beside what comes from y.",
    "In bfloat16, 256 + 1 is 256. Add up in float32, and round once, at the end.",
]
WRONG = {
    "wrong_axis": (
        "the gradient of x is wrong",
        {"gradient.py": [("(part * x).mean(-1, keepdim=True)", "(part * x).mean(0, keepdim=True)")]},
    ),
    "sum_forgotten": ("sum used further: the gradient of x is wrong", {"gradient.py": [("* x + grad_sum", "* x")]}),
    "of_half": (
        "in what dtype is it added up",
        {
            "gradient.py": [
                ("grad_weight = (g * x * scale).sum(0)", "grad_weight = sum_of_rows((g * x * scale).to(weight.dtype))"),
                (
                    "def setup_context",
                    "def sum_of_rows(rows):\n    total = torch.zeros_like(rows[0])\n"
                    "    for row in rows:\n        total += row\n    return total\n\n\ndef setup_context",
                ),
            ]
        },
    ),
    "mean_over_rows": (
        "the gradient of weight is wrong",
        {"gradient.py": [("(g * x * scale).sum(0)", "(g * x * scale).mean(0)")]},
    ),
    "per_row": (
        "the gradient of weight is wrong",
        {"gradient.py": [("(g * x * scale).sum(0)", "(g * x * scale).sum(-1)")]},
    ),
    "saves_x": (
        "which tensor is enough?",
        {
            "gradient.py": [
                (
                    "    _, _, weight = inputs\n    _, sum = output\n    ctx.save_for_backward(sum, weight)",
                    "    ctx.save_for_backward(*inputs)",
                ),
                (
                    "    sum, weight = ctx.saved_tensors\n",
                    "    x, residual, weight = ctx.saved_tensors\n    sum = x + residual\n",
                ),
            ]
        },
    ),
    "squares_in_half": (
        "and in what are squares?",
        {"gradient.py": [("    g, x = grad.to(wide), sum.to(wide)\n", "    g, x = grad.to(wide), sum\n")]},
    ),
    "float_only": (
        "is wrong: the largest difference is",
        {"gradient.py": [("    g, x = grad.to(wide), sum.to(wide)\n", "    g, x = grad.float(), sum.float()\n")]},
    ),
    "sum_in_float": (
        "the gradient of weight is wrong",
        {"gradient.py": [("(g * x * scale).sum(0)", "(g * x * scale).sum(0, dtype=torch.float32)")]},
    ),
    "gradient_of_x_in_half": (
        "numbers around 300: the gradient of x is wrong",
        {
            "gradient.py": [
                (
                    (
                        "    g, x = grad.to(wide), sum.to(wide)\n"
                        "    scale = torch.rsqrt(x.square().mean(-1, keepdim=True) + EPS)\n"
                        "    part = g * weight\n"
                        "    grad_x = scale * part - scale**3 * (part * x).mean(-1, keepdim=True) * x + grad_sum\n"
                        "    grad_weight = (g * x * scale).sum(0)\n"
                    ),
                    (
                        "    g, x = grad.to(wide), sum.to(wide)\n"
                        "    scale = torch.rsqrt(x.square().mean(-1, keepdim=True) + EPS)\n"
                        "    part = g * weight\n"
                        "    s, p = sum, grad * weight\n"
                        "    k = torch.rsqrt(s.square().mean(-1, keepdim=True) + EPS)\n"
                        "    grad_x = k * p - k**3 * (p * s).mean(-1, keepdim=True) * s + grad_sum\n"
                        "    grad_weight = (g * x * scale).sum(0)\n"
                    ),
                ),
            ],
        },
    ),
    "on_ctx": (
        "after sum was overwritten",
        {
            "gradient.py": [
                ("ctx.save_for_backward(sum, weight)", "ctx.both = sum, weight"),
                ("ctx.saved_tensors", "ctx.both"),
            ],
        },
    ),
    "changes_sum": (
        "backward() changes its grad",
        {
            "gradient.py": [
                ("grad_weight = (g * x * scale).sum(0)", ("x *= scale\n    grad_weight = (g * x).sum(0)")),
            ],
        },
    ),
    "changes_grad": (
        "backward() changes its grad",
        {
            "gradient.py": [
                ("part = g * weight\n", ("grad_weight = (g * x * scale).sum(0)\n    part = g\n    part *= weight\n")),
                (("x + grad_sum\n    grad_weight = (g * x * scale).sum(0)\n"), "x + grad_sum\n"),
            ],
        },
    ),
}
