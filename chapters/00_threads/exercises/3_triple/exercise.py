"""triple: mend what is right for some sizes only

The kernel, or the launcher, or both are wrong for an n that is no multiple of 128. The check begins with small ones.
"""

import torch

from common.exercises import check, device, launchers, shared_out

MINUTES = 10
HINTS = [
    "How many blocks are n / threads for n = 1?",
    "Round up: (n + threads - 1) / threads. Which threads of the last block have an element then?",
]
FAILS = "invalid configuration"
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


def run(mine):
    launch = launchers(mine / "triple.cu").launch_triple

    def triple(x):
        out = torch.empty_like(x)
        launch(out, x, x.numel())
        return out

    check(triple, lambda x: 3 * x, lambda n: (torch.randint(-9, 9, (n,), device=device),))
    shared_out(lambda: triple(torch.zeros(1000, dtype=torch.int64, device=device)), 1000)
