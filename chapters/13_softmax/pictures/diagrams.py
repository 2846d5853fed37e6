"""The drawings of chapter 13: who shares a row, how two parts become one, and what a cluster's block does at a time."""


def groups(canvas):
    """Three rows of float32, from short to long. Up to 512 elements: a row is shared by the 32 lanes of a warp, which exchange
    their maxima and sums by shuffles. Up to 8192 elements: by the warps of a block, which write a part each into the block's
    shared memory. Up to 262 144 elements: by up to 16 blocks of a cluster, of which two are drawn. Each block combines its
    warps' parts, and writes its own part into the shared memory of both blocks."""
    canvas.height(47)
    left = 16
    for y, name, elements, how in (
        (4.2, "a warp", "to 512 floats", "shuffles"),
        (17.5, "a block", "to 8192", "through its\nshared memory"),
        (37, "a cluster", "to 262 144\n(16 blocks)", "through the\nshared memory\nof all blocks"),
    ):
        canvas.text(1, y - 2.2, name, align="left", bold=True)
        canvas.text(1, y + 0.6 + 1.1 * elements.count("\n"), elements, align="left")
        canvas.text(58, y, how, align="left")
    for lane in range(32):
        canvas.box(left + 1.25 * lane, 2, 1.25, 3, "", "blue", 0.25)
    canvas.text(left + 20, 6.8, "32 lanes, each with 16 elements in registers")
    for warp in range(4):
        canvas.box(left + 10.3 * warp, 12, 9.1, 3, "warp", "blue", 0.25)
        canvas.arrow((left + 10.3 * warp + 4.5, 15), (left + 10.3 * warp + 4.5, 18.6), "orange")
    canvas.box(left, 18.6, 40, 3, "parts: maximum and sum of each warp", "orange", 0.25)
    for block in range(2):
        x = left - 0.4 + 20.6 * block
        canvas.box(x, 26, 19.8, 20, "", "grey", dashed=True)
        canvas.text(x + 9.9, 27.8, f"block {block}")
        for warp in range(2):
            canvas.box(x + 0.9 + 9.3 * warp, 29.2, 8.7, 3, "warp", "blue", 0.25)
            canvas.arrow((x + 5.2 + 9.3 * warp, 32.2), (x + 7.5 + 4.7 * warp, 35.2), "orange")
        canvas.box(x + 4.4, 35.2, 11, 3, "its part", "orange", 0.25)
        for other in range(2):
            to = left - 0.4 + 20.6 * other + 5.4 + 9 * block
            canvas.arrow((x + 7.4 + 5 * other, 38.2), (to, 42), "green")
        canvas.box(x + 0.9, 42, 18, 3, "parts of all blocks", "green", 0.25)


def merge(canvas):
    """A row of four elements, 1, 3, 2 and 5, in two parts. The part 1, 3 has the maximum 3 and the sum of exp(1 - 3) and
    exp(3 - 3), 1.14. The part 2, 5 has the maximum 5 and the sum of exp(2 - 5) and exp(5 - 5), 1.05. Together: the maximum is
    5. The first sum is multiplied by exp(3 - 5), which is 0.135, the second by exp(5 - 5), which is 1, and both are added:
    1.20. That is exp(1 - 5) + exp(3 - 5) + exp(2 - 5) + exp(5 - 5)."""
    canvas.height(25)
    size = 5
    canvas.cells(9, 1, size, ["1", "3"], ["blue"] * 2)
    canvas.cells(45, 1, size, ["2", "5"], ["orange"] * 2)
    canvas.arrow((14, 6.4), (14, 9), "blue")
    canvas.arrow((50, 6.4), (50, 9), "orange")
    canvas.box(2, 9.2, 24, 5.6, "max = 3\nsum = exp(-2) + 1 = 1.14", "blue", 0.15)
    canvas.box(38, 9.2, 24, 5.6, "max = 5\nsum = exp(-3) + 1 = 1.05", "orange", 0.15)
    canvas.arrow((21, 15), (29, 18.4))
    canvas.arrow((44, 15), (37, 18.4))
    canvas.text(11.2, 17.2, "times exp(3 - 5) = 0.135")
    canvas.text(56, 17.2, "times exp(5 - 5) = 1")
    canvas.box(14, 18.6, 38, 5.6, "max = 5\nsum = 1.14 x 0.135 + 1.05 x 1 = 1.20")


def pipeline(canvas):
    """What a block of a cluster does with rows 0, 1 and 2, as time passes. A row that has arrived in shared memory goes to
    registers, and is reduced to its maximum and sum, which are sent to all blocks. Then two things happen at the same time:
    the next row arrives in shared memory, and this one is written, as soon as the parts of all blocks have been received."""
    canvas.height(21.5)
    left, wide = 17, 8.9
    canvas.text(left + 2.5, 1.6, "time", bold=True)
    canvas.arrow((left + 5, 1.4), (left + 14, 1.4), "grey")
    lines = (("arrives", "grey", 1, 1), ("is reduced, sent", "blue", 0, 0), ("received, written", "orange", 1, 0))
    for line, (name, colour, later, ahead) in enumerate(lines):
        y = 3.6 + 6 * line
        canvas.text(1, y + 1.7, name, align="left")
        for row in range(-ahead, 3):
            x = left + wide * (2 * row + later)
            if row + ahead < 3:
                canvas.box(x, y, 7.6, 3.4, f"row {row + ahead}", colour, 0.25)
            if line == 1:
                canvas.arrow((x + 5, y + 3.4), (x + wide + 2.5, y + 6), "grey")
                canvas.arrow((x - wide + 5, y - 2.6), (x + 2.5, y), "grey")
