"""predict: bytes in flight and alignment

Answer the questions in answers.py about bytes in flight, and what the address of a slice allows. No kernel runs:
Little's law and the rule for alignment give the numbers.
"""

from grader.checks import answer
from grader.report import show

MINUTES = 5
FAILS = "BYTES is None"


def run(mine):
    needed = 1_600_000_000_000 * 500 // 10**9
    answer(mine, "BYTES", needed, "what is asked for during one latency has not arrived yet: how much is that?")
    of_one_pair = 50 * 1024 * 2 * 4
    pairs = -(-needed // of_one_pair)
    why = "how many bytes are in flight when each thread of the GPU waits for one float of a and one of b?"
    answer(mine, "PAIRS", pairs, why)
    why = "x[k:] begins 4 * k bytes past the beginning of x; of what must the address of a float2 be a multiple?"
    answer(mine, "FLOAT2", [k for k in (1, 2, 3, 4, 6) if 4 * k % 8 == 0], why)
    head = -5 % 4
    middle = (20 - head) // 4 * 4
    why = "the head ends at the output's first multiple of 16 bytes, the rest is cut into float4. The numbers count floats"
    answer(mine, "PARTS", [head, middle, 20 - head - middle], why)
    names = ["h"] * head + [str(i) for i in range(middle // 4) for _ in range(4)] + ["t"] * (20 - head - middle)
    show(
        "x[5:25], from the multiples of 16 bytes (|) on: head, float4 number 0, 1, 2 and so on, tail",
        "".join(("|" if i % 4 == 0 else "") + (names[i - 5] if 5 <= i < 25 else ".") for i in range(28)),
        *(
            f"x[{k}:] begins {4 * k:2} bytes further: {'no' if 4 * k % 8 else 'a'} multiple of 8"
            for k in (1, 2, 3, 4, 6)
        ),
    )
