"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "The first byte in memory, blue, is the lowest of the word: `pixel & 255`. Red is the third: `(pixel >> 16) & 255`.",
    "Green and alpha stay where they are: `pixel & 0xff00ff00` has these two, and 0 in the other bytes.",
    "`|` joins three words: that of green and alpha, red as the lowest byte, and blue 16 bits further up.",
]
WRONG = {
    "highest_byte_first": (
        "wrong result",
        {
            "swap.cu": [
                (
                    "0xff00ff00) | ((pixel >> 16) & 255) | ((pixel & 255",
                    "0x00ff00ff) | ((pixel >> 16) & 0xff00) | ((pixel & 0xff00",
                )
            ]
        },
    ),
    "alpha_forgotten": ("wrong result", {"swap.cu": [("0xff00ff00", "0xff00")]}),
    "blue_remains": ("wrong result", {"swap.cu": [("(pixel & 0xff00ff00)", "pixel")]}),
}
