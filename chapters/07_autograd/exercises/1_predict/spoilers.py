"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "torch runs two operators, silu(a) and the product. What does each need to compute the gradients of its inputs?",
    "The product's node saves silu(a) and b; the node of silu saves a. swiglu's node saves what the lesson's code block "
    "passes to save_for_backward(). The pitfalls answer the rest.",
]
WRONG = {
    "two_of_torch": ("TORCH = 8388608 is not right", {"answers.py": [("12582912", "8388608")]}),
    "silent": ("CHANGED = 'a' is not right", {"answers.py": [('"c"\n', '"a"\n')]}),
}
