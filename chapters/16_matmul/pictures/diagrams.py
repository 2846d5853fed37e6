"""The drawings of chapter 16: what a thread needs, how a block's tile is divided, and the roofline."""

from math import log10


def reuse(canvas):
    """For one step along k. A thread with one result needs one element of a and one of b: two numbers for one product. A
    thread with a square of 8 x 8 results needs eight of each: sixteen numbers for 64 products."""
    canvas.height(35)

    def panel(left, side, cell, words, numbers):
        top = 13
        canvas.text(left + 9 + side * cell / 2, 2, words, bold=True)
        for k in range(side):
            canvas.box(left + 9 + k * cell, 7, cell, cell, colour="orange", fill=0.5)
            canvas.box(left + 3, top + k * cell, cell, cell, colour="blue", fill=0.5)
            for j in range(side):
                canvas.box(left + 9 + j * cell, top + k * cell, cell, cell, colour="green", fill=0.35)
        canvas.text(left + 3 + cell / 2, top + side * cell + 2, "a", code=True)
        canvas.text(left + 9 + side * cell + 2, 7 + cell / 2, "b", code=True)
        canvas.text(left + 9 + side * cell / 2, top + side * cell + 5, numbers)

    panel(6, 1, 2, "one result", "2 numbers, 1 product")
    panel(38, 8, 1.8, "8 x 8 results", "16 numbers, 64 products")


def tiles(canvas):
    """A block's tile of the result, 128 rows and 256 columns. Along k, tiles of a with 128 rows and 16 columns and tiles of
    b with 16 rows and 256 columns follow one another: one pair is multiplied while the next two are on their way into
    shared memory. The tile of the result is divided among eight warps. In a warp's part of 64 x 64, a thread has eight
    squares of 4 x 4, four below one another and two side by side."""
    canvas.height(41)
    left, top, wide, high, step = 28, 21, 32, 16, 4
    for k in range(3):
        near = {0: ("green", 0.5), 1: ("blue", 0.3), 2: ("blue", 0.3)}[k]
        canvas.box(left, top - 3 - step * (k + 1), wide, step, colour=near[0], fill=near[1])
        canvas.box(left - 3 - step * (k + 1), top, step, high, colour=near[0], fill=near[1])
    canvas.text(left + wide + 1, top - 3 - step / 2, "multiplied", align="left")
    canvas.text(left + wide + 1, top - 3 - step * 2, "under way", align="left")
    canvas.text(left - 3 - step * 1.5, top + high + 2.2, "tiles of a", align="center")
    canvas.text(left + wide / 2, top - 3 - step * 3 - 2, "tiles of b: 16 rows, 256 columns")
    for i in range(2):
        for j in range(4):
            first = i == j == 0
            canvas.box(left + j * 8, top + i * 8, 8, 8, "" if first else f"warp {4 * i + j}", "text")
    for i in range(1, 4):
        canvas.line((left, top + 2 * i), (left + 8, top + 2 * i), colour="grey")
    canvas.line((left + 4, top), (left + 4, top + 8), colour="grey")
    for i in range(4):
        for j in range(2):  # a unit of the canvas is 8 results
            canvas.box(left + 4 * j, top + 2 * i, 0.5, 0.5, colour="orange", fill=0.6)
    canvas.arrow((left - 9, top - 4.6), (left, top + 0.2), colour="orange")
    canvas.text(left - 12, top - 6.4, "a thread: 16 x 8 results", align="center")
    canvas.text(left + wide / 2 + 4, top + high + 2.2, "the block's tile of the result, 128 x 256")


def roofline(canvas):
    """Products a second over products for each number from device memory, both on logarithmic scales. A slope, what device
    memory allows, meets the ceiling, 33.5 trillion, at 40 products a number. The kernel tile lies on the slope at 16.
    Tiles of 64 x 64, 128 x 128 and 128 x 256 lie at 32, 64 and 85; the last two are right of the corner."""
    canvas.height(40)
    left, bottom, wide, high = 10, 33, 58, 28

    def place(intensity, rate):  # 4 to 256 products a number; 2 to 60 trillion a second
        x = left + wide * log10(intensity / 4) / log10(64)
        return x, bottom - high * log10(rate / 2) / log10(30)

    peak, memory = 33.5, 3.35 / 4
    canvas.line((left, bottom), (left + wide, bottom), colour="grey")
    canvas.line((left, bottom), (left, bottom - high), colour="grey")
    for intensity in 4, 8, 16, 32, 64, 128, 256:
        x, _ = place(intensity, 2)
        canvas.text(x, bottom + 1.8, str(intensity), "grey")
    canvas.text(left + wide / 2, bottom + 5, "products for each number from device memory")
    for rate in 2, 5, 10, 20, 33.5:
        _, y = place(4, rate)
        canvas.text(left - 1, y, f"{rate:g}", "grey", align="right")
    canvas.text(1, 2, "10^12 products a second", align="left")
    canvas.line(place(4, 4 * memory), place(peak / memory, peak), place(256, peak), colour="text")
    canvas.text(*[c + d for c, d in zip(place(150, peak), (0, -2), strict=True)], "the cores")
    canvas.text(*[c + d for c, d in zip(place(7.5, 7.5 * memory), (-1.5, -5), strict=True)], "device memory")
    for name, intensity in {"tile": 16, "small": 32, "stages": 64, "large": 128 * 256 / 384}.items():
        x, y = place(intensity, min(peak, intensity * memory))
        canvas.line((x, bottom), (x, y), colour="blue", dashed=True)
        canvas.box(x - 0.5, y - 0.5, 1, 1, colour="blue", fill=0.8)
        side = 1 if name == "large" else -1
        canvas.text(x + side * 0.8, bottom - 2, name, "blue", align="left" if side > 0 else "right", code=True)
