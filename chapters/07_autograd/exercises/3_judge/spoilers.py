"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "torch.autograd.gradcheck(f, (x,)) raises an error if a gradient is wrong, and returns False instead with "
    "raise_exception=False. In which dtype, and with which values of x, does it find most?",
    "gradcheck looks at first derivatives alone. torch.autograd.gradgradcheck is called in the same way, and looks at "
    "second ones.",
    "What no gradcheck does: change the input between forward and backward. `with torch.no_grad(): x.mul_(2)`, then "
    "backward() has to raise a RuntimeError.",
]
WRONG = {
    "float32": (
        "x of float32,",
        {"judge.py": [("dtype=torch.float64, requires_grad", "requires_grad")]},
    ),
    "positive": ("from 0.1 to 3,", {"judge.py": [("-3.0, -1.0, -0.1, 0.1", "0.1, 0.5")]}),
    "first_only": (
        "no second derivatives",
        {"judge.py": [("    if not gradgradcheck(silu, (x,), raise_exception=False):\n        return False\n", "")]},
    ),
    "fails_to_change": (  # x requires grad, so torch refuses to change it: no class has done anything wrong
        "no backward after a change of x",
        {"judge.py": [("    with torch.no_grad():\n        x.mul_(2)\n    try:\n", "    try:\n        x.mul_(2)\n")]},
    ),
    "by_data": (
        "no class could notice it",
        {"judge.py": [("with torch.no_grad():\n        x.mul_(2)", "x.data.mul_(2)")]},
    ),
    "raises": (
        "Constant: is_right() raises GradcheckError",
        {
            "judge.py": [
                (
                    "gradcheck(silu, (x,), raise_exception=False):\n        return False\n    if not gradg",
                    "gradcheck(silu, (x,)):\n        return False\n    if not gradg",
                )
            ]
        },
    ),
    "no_change": (
        "no backward after a change of x",
        {
            "judge.py": [
                (
                    "if not gradgradcheck(silu, (x,), raise_exception=False):\n"
                    "        return False\n"
                    "    out = silu(x)\n"
                    "    with torch.no_grad():\n"
                    "        x.mul_(2)\n"
                    "    try:\n"
                    "        out.sum().backward()\n"
                    "    except RuntimeError:\n"
                    "        return True\n"
                    "    return False",
                    "return gradgradcheck(silu, (x,), raise_exception=False)",
                )
            ]
        },
    ),
    "ends_the_program": (
        "ended before its check was complete",
        {
            "judge.py": [("    x = torch.tensor", ("    raise SystemExit\n    x = torch.tensor"))],
        },
    ),
    "one_value": (
        "Steep: is_right() says True, expected False",
        {
            "judge.py": [("[-3.0, -1.0, -0.1, 0.1, 1.0, 3.0]", "[-1.0]")],
        },
    ),
    "gradients_of_a_sum": (
        "GradOfOne: is_right() says True, expected False",
        {
            "judge.py": [
                (
                    "    if not gradcheck(silu, (x,), raise_exception=False):\n"
                    "        return False\n"
                    "    if not gradgradcheck(silu, (x,), raise_exception=False):\n"
                    "        return False\n",
                    "    found = []\n"
                    "    for f in silu, torch.nn.functional.silu:\n"
                    "        (first,) = torch.autograd.grad(f(x).sum(), x, create_graph=True)\n"
                    "        second = torch.autograd.grad(first.sum(), x)[0] if first.requires_grad else first\n"
                    "        found.append(torch.cat((first, second)))\n"
                    "    if not torch.allclose(*found):\n"
                    "        return False\n",
                )
            ]
        },
    ),
    "asks_for_a_graph": (
        "HalfAGraph: is_right() says True, expected False",
        {
            "judge.py": [
                (
                    "if not gradgradcheck(silu, (x,), raise_exception=False):",
                    "if not torch.autograd.grad(silu(x).sum(), x, create_graph=True)[0].requires_grad:",
                )
            ]
        },
    ),
    "backward_twice": (
        "Right: is_right() says True before it has looked at all three",
        {"judge.py": [("with torch.no_grad():\n        x.mul_(2)", "out.sum().backward()")]},
    ),
}
