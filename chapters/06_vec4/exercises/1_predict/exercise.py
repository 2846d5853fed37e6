"""predict: bytes in flight, sectors and alignment

No kernel runs: Little's law and the rule for alignment give the numbers.
"""

from grader.checks import answer

MINUTES = 10
FAILS = "BYTES is None"


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
    why = "the head ends at the output's first multiple of 16 bytes, the rest is cut into float4. The numbers count floats"
    answer(mine, "PARTS", [head, middle, 20 - head - middle], why)
