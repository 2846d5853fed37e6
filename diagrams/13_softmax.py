"""The drawings of chapter 13: who shares a row, how two parts become one, and what the blocks of a cluster write where."""


def groups(canvas):
    """Three rows of float32, from short to long. Up to 512 elements: a row is shared by the 32 lanes of a warp, which exchange
    their maxima and sums by shuffles. Up to 32 768 elements: by the warps of a block, which write a part each into the
    block's shared memory. Up to 262 144 elements: by the warps of up to 8 blocks, of which two are drawn. Each warp writes
    its part into the shared memory of both blocks. Each lane keeps 16 elements of the row in its registers, or 32 if the row
    is long."""
    canvas.height(44.5)
    left = 16
    for y, name, elements, how in (
        (4.2, "a warp", "to 512 floats", "shuffles"),
        (17.5, "a block", "to 32 768", "through its\nshared memory"),
        (36, "a cluster", "to 262 144\n(8 blocks)", "through the\nshared memory\nof all blocks"),
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
        canvas.box(x, 26, 19.8, 17.6, "", "grey", dashed=True)
        canvas.text(x + 9.9, 27.8, f"block {block}")
        for warp in range(2):
            canvas.box(x + 0.9 + 9.3 * warp, 29.6, 8.7, 3, "warp", "blue", 0.25)
            for other in range(2):
                to = left - 0.4 + 20.6 * other + 3.4 + 4.3 * (2 * block + warp)
                canvas.arrow((x + 5.2 + 9.3 * warp, 32.6), (to, 39.4), "orange")
        canvas.box(x + 0.9, 39.4, 18, 3, "parts of all warps", "orange", 0.25)


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


def cluster(canvas):
    """Two blocks of two warps share a row. Time runs down. Each block arrives at the cluster's barrier as soon as it has
    started, loads its elements, and waits at the barrier for the other. Then each warp writes its part, a maximum and a sum,
    into the array parts in the shared memory of both blocks. The blocks arrive and wait a second time. Each block then reads
    the four parts in its own shared memory, arrives a third time, scales its elements, writes the results, and waits until
    the other block has arrived, too."""
    canvas.height(56)
    xs = (4, 40)
    barriers = (
        (5.8, "arrive (1)"),
        (12.6, "wait (1)"),
        (36, "arrive (2), wait (2)"),
        (43, "arrive (3)"),
        (50, "wait (3)"),
    )
    for y, name in barriers:
        half = 0.5 * len(name) + 0.6
        canvas.line((2, y), (36 - half, y), colour="green", dashed=True)
        canvas.line((36 + half, y), (70, y), colour="green", dashed=True)
        canvas.text(36, y, name, "green")
    for block, x in enumerate(xs):
        canvas.box(x, 1, 28, 3, f"block {block} starts", "grey", 0.15)
        canvas.box(x, 7.6, 28, 3, "loads, maximum, sum", "blue", 0.25)
        for warp in range(2):
            canvas.box(x + 15 * warp, 14.4, 13, 3, f"warp {warp}", "blue", 0.25)
            for other in xs:
                canvas.arrow((x + 15 * warp + 6.5, 17.4), (other + 7 * (2 * block + warp) + 3.5, 24), "orange")
        canvas.cells(x, 24, 7, [f"block {b}\nwarp {w}" for b in range(2) for w in range(2)], ["orange"] * 4)
        canvas.text(x + 14, 32.8, f"parts, in block {block}'s shared memory", "orange")
        canvas.box(x, 38, 28, 3, "reads its four parts", "blue", 0.25)
        canvas.box(x, 45, 28, 3, "scale, results", "blue", 0.25)
        canvas.box(x, 52, 28, 3, f"block {block} ends", "grey", 0.15)
