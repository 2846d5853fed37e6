"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "Write down what each call reads and what it writes. The weight is one row: leave it out.",
    "Alone, the norm must read the sum that the addition has written. In one call it is still in registers.",
]
WRONG = {
    "six": ("SEPARATE = 6 is not right", {"answers.py": [("SEPARATE = 5", "SEPARATE = 6")]}),
    "sum_is_free": ("FUSED = 3 is not right", {"answers.py": [("FUSED = 4", "FUSED = 3")]}),
    "two_gradients": ("BACKWARD = 5 is not right", {"answers.py": [("BACKWARD = 4", "BACKWARD = 5")]}),
}
