"""The drawings of chapter 19: which scores exist at a time, and what a lane holds of a result and of an operand."""


def walk(canvas):
    """A square of scores, queries down and keys across, in tiles. Tiles whose keys all come after their queries are grey:
    causal attention needs none of them. One block has a strip of 128 queries and walks along it from right to left, 64 keys
    at a time. The tile that it is at, orange, is the only one that exists, in registers; blue ones are done. Beside the
    strip: for each query a maximum, a sum, and D sums of values."""
    canvas.height(33)
    left, top, wide, high = 12, 5, 3, 6
    canvas.text(left + 4 * wide, 2, "keys")
    canvas.text(left - 1, top + 2 * high, "queries", align="right")
    strip = top + 2 * high
    for row in range(4):
        for column in range(8):
            seen = column < 2 * (row + 1)
            canvas.box(left + column * wide, top + row * high, wide, high, "", "grey", 0.0 if seen else 0.45)
    for column in range(3, 6):
        canvas.box(left + column * wide, strip, wide, high, "", "blue", 0.2)
    canvas.box(left + 2 * wide, strip, wide, high, "", "orange", 0.8)
    canvas.arrow((left + 2 * wide - 0.5, strip + high / 2), (left + 0.5, strip + high / 2), "orange")
    for x, name, columns in (31.5, "maximum", 3), (38.5, "sum", 3), (43.5, "sums of v", 12):
        canvas.box(left + x, strip, columns, high, "", "green", 0.4)
        canvas.text(left + x + columns / 2, strip - 1.4, name, align="center")
    canvas.text(left + 43, strip + high + 2, "what a block keeps of its queries", "grey")


def handover(canvas):
    """Two grids of 16 x 16. On the left, scores, two results of mma.sync side by side; on the right, weights, the left operand
    of the next mma.sync. Filled: what lane 5 holds: two neighbours in each of rows 1 and 9, from columns 2 and 10 on. The
    cells are the same on both sides."""
    canvas.height(31)
    size, y = 1.5, 4.6
    cells = [(row, column + i) for row in (1, 9) for column in (2, 10) for i in (0, 1)]
    for name, x, colour in (("scores: two results", 3, "green"), ("weights: a left operand", 43, "blue")):
        canvas.text(x + 8 * size, 2, name, bold=True)
        for i in range(17):
            canvas.line((x, y + i * size), (x + 16 * size, y + i * size), colour="grey")
            canvas.line((x + i * size, y), (x + i * size, y + 16 * size), colour="grey")
        for row, column in cells:
            canvas.box(x + column * size, y + row * size, size, size, "", colour, 0.75)
    canvas.line((3 + 8 * size, y), (3 + 8 * size, y + 16 * size), colour="text")
    canvas.arrow((28.5, y + 8 * size), (41.5, y + 8 * size), "text")
    canvas.text(35, y + 8 * size - 2, "exp", code=True)
