"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "blocks_for(n, 256) is n / 256, rounded up; the grid has at least as many threads as the array has elements.",
    "stride is the number of threads in the grid: with 2 blocks of 256 it is 512. Thread 0 takes the elements 0, 512, ...",
    "add2 reads an element of a and one of b and writes one of c: three times 4 bytes for each of 2^20 elements.",
]
WRONG = {
    "each_block": ("ELEMENTS = 4 is not right", {"answers.py": [("= 2\n", "= 4\n")]}),
    "without_stores": ("BYTES = 8388608 is not right", {"answers.py": [("12582912", "8388608")]}),
}
