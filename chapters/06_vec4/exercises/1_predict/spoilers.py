"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "Little's law: bytes in flight = latency x bandwidth. A nanosecond is 1e-9 seconds.",
    "A pair has a float of a and a float of b. One pair in each of 1024 threads makes 8 KiB in a multiprocessor.",
    "x[5] is 20 bytes past a multiple of 16 bytes, so the next multiple is 12 bytes further on, at x[8].",
]
WRONG = {
    "without_b": ("PAIRS = 4 is not right", {"answers.py": [("= 2", "= 4")]}),
    "alignment_of_float4": ("FLOAT2 = [4] is not right", {"answers.py": [("2, 4, 6", "4")]}),
    "numbers_of_float4": ("The numbers count floats", {"answers.py": [("3, 16, 1", "3, 4, 1")]}),
    "distance_as_head": ("PARTS = [1, 16, 3] is not right", {"answers.py": [("3, 16, 1", "1, 16, 3")]}),
}
