"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "fake() is called with tensors that have a shape and no memory: torch._check() what the kernel takes for granted, and "
    "return torch.empty_like(x).",
    "Save what the formula needs by ctx.save_for_backward(): torch then notices when somebody overwrites it.",
    "With p = grad * weight: weight's gradient is the sum over all rows of grad * u. "
    "grad_x is scale times what is left of p "
    "when its mean is taken away, and its part along u: p - mean(p) - u * mean(p * u). rms_norm has no mean(p).",
]
WRONG = {
    "as_rms_norm": (
        "the gradient of x is wrong",
        {"layer_norm.py": [("part - part.mean(-1, keepdim=True) - u", "part - u")]},
    ),
    "mean_of_rows": (
        "the gradient of x is wrong",
        {"layer_norm.py": [("u * (part * u).mean(-1, keepdim=True)", "u * (part * u).mean()")]},
    ),
    "eps_forgotten": ("is wrong", {"layer_norm.py": [("keepdim=True) + eps)", "keepdim=True) + 0.1)")]}),
    "unchecked": (
        "a weight of 3 elements for rows of 4",
        {"layer_norm.py": [("weight.shape == x.shape[-1:],", "True,")]},
    ),
    "on_ctx": (
        "after x was overwritten",
        {
            "layer_norm.py": [
                ("ctx.save_for_backward(*inputs)", "ctx.both = inputs"),
                ("= ctx.saved_tensors", "= ctx.both"),
            ]
        },
    ),
    "detached": (
        "the second derivative, x is wrong",
        {"layer_norm.py": [("u, part = centred * scale,", "u, part = (centred * scale).detach(),")]},
    ),
    "transposed": (
        "with strides",
        {
            "layer_norm.py": [
                (
                    "return torch.empty_like(x)\n",
                    "return torch.empty_like(x).transpose(0, 1).contiguous().transpose(0, 1)\n",
                )
            ]
        },
    ),
    "eps_of_the_lesson": (
        "x of shape [4, 6]: the gradient of x is wrong",
        {
            "layer_norm.py": [("keepdim=True) + eps)", "keepdim=True) + 1e-5)")],
        },
    ),
    "changes_grad": (
        "torch.library.opcheck: ",
        {
            "layer_norm.py": [
                ("part = centred * scale, grad * weight", "part = centred * scale, grad.mul_(weight)"),
                ("(grad * u)", "(grad / weight * u)"),
            ],
        },
    ),
    "weight_on_ctx": (
        "after weight was overwritten",
        {
            "layer_norm.py": [
                ("ctx.save_for_backward(*inputs)", ("ctx.save_for_backward(inputs[0])\n    ctx.weight = inputs[1]")),
                ("x, weight = ctx.saved_tensors", "(x,), weight = ctx.saved_tensors, ctx.weight"),
            ],
        },
    ),
    "fake_elsewhere": (
        "fake() makes a result on the cpu",
        {
            "layer_norm.py": [
                ("return torch.empty_like(x)", "return torch.empty(x.shape)"),
            ],
        },
    ),
    "divides_by_weight": (
        "a weight of zeros, n = 4",
        {
            "layer_norm.py": [
                ("return grad_x, (grad * u)", "return grad_x, (part / weight * u)"),
            ],
        },
    ),
    "last_length_only": (
        "fake(): a weight of shape [1, 4] for rows of 4",
        {
            "layer_norm.py": [
                ("torch._check(weight.shape == x.shape[-1:], ", "torch._check(weight.shape[-1] == x.shape[-1], "),
            ],
        },
    ),
}
