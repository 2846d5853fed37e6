"""The drawings of chapter 14: what two calls and one call move, and how the gradient of weight is added up."""


def traffic(canvas):
    """Two calls and one call, above device memory. Two calls: the addition reads x and residual and writes sum; the norm reads
    sum and writes y: five arrows. One call reads x and residual, and writes sum and y: four arrows."""
    canvas.height(31)
    separate = ("x", 2, 0), ("residual", 7, 0), ("sum", 12, 1), ("sum", 20, 0), ("y", 26, 1)
    fused = ("x", 2, 0), ("residual", 8, 0), ("sum", 14, 1), ("y", 20, 1)
    for left, boxes, arrows in (
        (2, (("x + residual", 0, 14), ("rms_norm", 17, 12)), separate),
        (38, (("add_rms_norm", 0, 22),), fused),
    ):
        for name, x, width in boxes:
            canvas.box(left + x, 5, width, 4, name, "blue", 0.2)
        for name, x, writes in arrows:
            top, bottom = (left + x, 9.4), (left + x, 21.6)
            canvas.arrow(*((top, bottom) if writes else (bottom, top)), "orange" if writes else "green")
            canvas.box(
                left + x - 2.4, 22, 4.8, 3.4, name[:4] + "." * (len(name) > 4), "orange" if writes else "green", 0.2
            )
    canvas.text(16, 2, "two calls: 5 tensors", bold=True)
    canvas.text(49, 2, "one call: 4 tensors", bold=True)
    canvas.text(32, 28.6, "device memory: green is read, orange is written")


def partial(canvas):
    """A matrix of nine rows and the blocks that take them: block 0 has rows 0, 3 and 6, block 1 rows 1, 4 and 7, block 2
    rows 2, 5 and 8. Each block adds up its rows, column by column, and writes one row of partial sums. A second kernel adds
    up these three rows, always in the same order: the gradient of weight."""
    canvas.height(31)
    colors = ["blue", "orange", "green"]
    for row in range(9):
        canvas.box(2, 3 + 2.6 * row, 18, 2.2, f"row {row}", colors[row % 3], 0.2)
    for block in range(3):
        y = 8 + 6.5 * block
        canvas.box(31, y - 1.5, 16, 3.4, f"sums of block {block}", colors[block], 0.2)
        for row in range(block, 9, 3):
            canvas.arrow((20.2, 4.1 + 2.6 * row), (30.6, y), colors[block])
        canvas.arrow((47.2, y), (52.6, 14.5))
    canvas.box(53, 11.8, 10, 5.4, "weight's\ngradient")
    canvas.text(11, 28.8, "grad * x * scale")
    canvas.text(39, 28.8, "partial sums")
    canvas.text(58, 28.8, "second kernel")
