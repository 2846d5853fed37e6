"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "A thread keeps 16 elements. A row takes as many lanes as that needs, and then the next power of two.",
    "The larger maximum is that of both. The sum of the other part is multiplied by exp(its maximum - the larger one); "
    "exp(0 - log(4)) is a quarter.",
]
WRONG = {
    "added_sums": ("SUM = 3 is not right", {"answers.py": [("1.5", "3")]}),
    "read_once": ("BYTES = 8 is not right", {"answers.py": [("12", "8")]}),
}
