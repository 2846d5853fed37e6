"""hex: a table in constant memory

Thread i reads byte i and writes the two letters that show it in hexadecimal.
"""

import torch

from common.exercises import Wrong, check, device, found_by_cuda, launchers, orders, shared_out

MINUTES = 15
HINTS = [
    "Compute i as in chapter 00, and let the threads with no byte do nothing. A byte b has the digits b / 16 and b % 16, "
    "each a number from 0 to 15. out[2 * i] and out[2 * i + 1] belong to thread i.",
    "int8_t goes from -128 to 127. What are b / 16 and b % 16 for b = -61? As uint8_t the same byte is 195.",
    "`const uint8_t b = in[i]; out[2 * i] = digits[b / 16];` and one more store.",
]
FAILS = "yours '??'"
WRONG = {
    "every_thread_goes_on": (
        "threads do what others have done already",
        {
            "hex.cu": [
                ("const int64_t i = int64_t", "for (int64_t i = int64_t"),
                ("threadIdx.x;\n    if (i >= n) return;\n", "threadIdx.x; i < n; i++) {\n"),
                ("digits[byte % 16];", "digits[byte % 16];\n    }"),
            ]
        },
    ),
    "one_thread": (
        "each by one lane alone",
        {
            "hex.cu": [
                (
                    "const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;\n    if (i >= n) return;\n",
                    "if (blockIdx.x > 0 || threadIdx.x > 0) return;\n    for (int64_t i = 0; i < n; i++) {\n",
                ),
                ("digits[byte % 16];", "digits[byte % 16];\n    }"),
            ]
        },
    ),
    "signed_bytes": (
        "uses index -3 of",
        {"hex.cu": [("uint8_t byte = in[i];  // as int8_t, half of all bytes are below 0", "int8_t byte = in[i];")]},
    ),
    "no_bounds_check": ("behind the end of in (1 element)", {"hex.cu": [("    if (i >= n) return;\n", "")]}),
    "digits_swapped": (
        "expected '48', yours '84'",
        {
            "hex.cu": [
                (
                    "out[2 * i] = digits[byte / 16];\n    out[2 * i + 1] = digits[byte % 16];",
                    "out[2 * i + 1] = digits[byte / 16];\n    out[2 * i] = digits[byte % 16];",
                )
            ]
        },
    ),
}


def run(mine):
    launch = launchers(mine / "hex.cu").launch_hex

    def hex(x):
        out = torch.empty(2 * x.numel(), dtype=torch.int8, device=device)
        launch(out, x, x.numel())
        return out

    def letters(x):
        return torch.tensor(
            list(bytes(x.cpu().view(torch.uint8).tolist()).hex().encode()), dtype=torch.int8, device=device
        )

    for text in "H", "Hi", "Hello World!", "Señor":
        data = text.encode()
        x = torch.tensor(list(data), dtype=torch.uint8).view(torch.int8).to(device)
        for remark in orders():
            out = torch.full((2 * len(data),), ord("?"), dtype=torch.int8, device=device)
            try:
                launch(out, x, len(data))
            except RuntimeError as error:
                raise Wrong(f"{text!r}{remark}: {found_by_cuda(error)}") from None
            yours = bytes(out.cpu().view(torch.uint8).tolist()).decode("latin1")
            if yours != data.hex():
                raise Wrong(f"{text!r}{remark}: expected {data.hex()!r}, yours {yours!r}")
    shared_out(lambda: hex(torch.zeros(100, dtype=torch.int8, device=device)), 200)
    check(hex, letters, lambda n: (torch.randint(-128, 128, (n,), dtype=torch.int8, device=device),))
