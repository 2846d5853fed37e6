"""Hints, which `ARGS=--hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "How many blocks are n / threads for n = 1?",
    "Round up: (n + threads - 1) / threads. Which threads of the last block have an element then?",
]
WRONG = {
    "only_rounded_up": ("out of bounds", {"triple.cu": [("if (i < n) out", "out")]}),
    "every_block_does_all": (
        "1000 elements, and 8000 stores",
        {
            "triple.cu": [
                (
                    "const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;\n    if (i < n) out",
                    "for (int64_t i = threadIdx.x; i < n; i += blockDim.x) out",
                )
            ]
        },
    ),
    "one_more": ("out of bounds", {"triple.cu": [("< n", "<= n")]}),
    "still_rounded_down": ("invalid configuration", {"triple.cu": [("(n + threads - 1)", "n")]}),
}
