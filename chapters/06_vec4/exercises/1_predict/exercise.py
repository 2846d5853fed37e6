"""predict: bytes in flight, sectors and alignment

No kernel runs: Little's law and the rule for alignment give the numbers.
"""

from common.exercises import answer

MINUTES = 10
HINTS = [
    "Little's law: bytes in flight = latency x bandwidth. A nanosecond is 1e-9 seconds.",
    "A pair has a float of a and a float of b. One pair in each of 1024 threads makes 8 KiB in a multiprocessor.",
    "x[5] is 20 bytes behind a multiple of 16 bytes, so the next multiple is 12 bytes further on, at x[8].",
]
FAILS = "BYTES is None"
WRONG = {
    "without_b": ("PAIRS = 4 is not right", {"answers.py": [("= 2", "= 4")]}),
    "alignment_of_float4": ("FLOAT2 = [4] is not right", {"answers.py": [("2, 4, 6", "4")]}),
    "numbers_of_float4": ("Each number counts floats", {"answers.py": [("3, 16, 1", "3, 4, 1")]}),
    "distance_as_head": ("PARTS = [1, 16, 3] is not right", {"answers.py": [("3, 16, 1", "1, 16, 3")]}),
}


def run(mine):
    needed = 1_600_000_000_000 * 500 // 10**9
    answer(mine, "BYTES", needed, "what is asked for during one latency has not arrived yet: how much is that?")
    of_one_pair = 50 * 1024 * 2 * 4
    pairs = -(-needed // of_one_pair)
    why = "how many bytes are in flight when each thread of the GPU waits for one float of a and one of b?"
    answer(mine, "PAIRS", pairs, why)
    answer(mine, "SECTORS", 32 * 16 // 32, "a float4 has 16 bytes, and a sector 32")
    why = "x[k:] begins 4 * k bytes behind the beginning of x; of what must the address of a float2 be a multiple?"
    answer(mine, "FLOAT2", [k for k in (1, 2, 3, 4, 6) if 4 * k % 8 == 0], why)
    head = -5 % 4
    middle = (20 - head) // 4 * 4
    why = "the head ends at the output's first address that is a multiple of 16 bytes; what is left is cut into float4. Each number counts floats"
    answer(mine, "PARTS", [head, middle, 20 - head - middle], why)
