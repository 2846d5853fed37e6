"""The drawings of chapter 13: who shares a row, and how two parts become one."""


def groups(canvas):
    """Three rows of float32, from short to long. Up to 512 elements: a row is shared by up to 32 lanes of a warp, which
    exchange their maxima and sums by shuffles. Up to 8192 elements: by the warps of a block. Each warp writes its
    part into the block's shared memory. (Longer rows are read twice.) If a row is very long, or if there are few rows: by
    several blocks. In a first launch each block writes its part into device memory, and in a second launch each block reads
    the parts of all blocks."""
    canvas.height(41)
    left = 16
    for y, name, elements, how in (
        (4.2, "lanes", "to 512 floats", "shuffles"),
        (17.5, "a block", "to 8192 (longer:\nread twice)", "through its\nshared memory"),
        (34, "several blocks", "few rows, or\nvery long ones", "by memory,\ntwo launches"),
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
    for block in range(4):
        x = left + 10.3 * block
        canvas.box(x, 26, 9.1, 3, "block", "blue", 0.25)
        canvas.arrow((x + 4.5, 29), (x + 4.5, 31.6), "orange")
        canvas.arrow((x + 4.5, 34.6), (x + 4.5, 37.2), "green")
        canvas.box(x, 37.2, 9.1, 3, "block", "green", 0.25)
    canvas.box(left, 31.6, 40, 3, "parts of all blocks", "orange", 0.25)


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
