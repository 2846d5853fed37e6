"""The drawings of chapter 13: who shares a row, how two parts become one, and what the blocks of a cluster write where."""


def groups(canvas):
    """Three rows of memory, from short to long. The short one is shared by the lanes of one warp, which keep it in their
    registers and combine by shuffles. The middle one is shared by the warps of a block, which combine through the block's
    shared memory. The long one is shared by the blocks of a cluster, which combine through each other's shared memory. Each
    thread of all three keeps 16 elements of its row in its registers."""
    canvas.height(40)
    left = 15
    for y, name, how in (
        (1, "a warp", "shuffles"),
        (10.5, "a block", "shared memory"),
        (24, "a cluster", "shared memory\nof all blocks"),
    ):
        canvas.text(1, y + 3, name, align="left", bold=True)
        canvas.text(58, y + 3, how, align="left")
    for k in range(4):
        canvas.box(left + 2.2 * k, 2.5, 2.2, 3, "", "blue", 0.25)
    canvas.text(left + 10.2, 4, "up to 512 elements", align="left")
    for warp in range(4):
        for k in range(4):
            canvas.box(left + 10 * warp + 2.2 * k, 11.5, 2.2, 3, "", "blue", 0.25)
        canvas.line((left + 10 * warp + 4.4, 14.5), (left + 10 * warp + 4.4, 17), colour="orange")
    canvas.box(left, 17, 39, 3, "a part of each warp", "orange", 0.25)
    canvas.text(left + 19.5, 22, "up to 8192 elements", align="center")
    for block in range(2):
        x = left + 20 * block
        canvas.box(x - 0.6, 24.6, 19.2, 10.8, "", "grey", dashed=True)
        for warp in range(2):
            for k in range(4):
                canvas.box(x + 9.3 * warp + 2.15 * k, 25.6, 2.15, 3, "", "blue", 0.25)
        canvas.box(x, 31.6, 18, 3, "parts of all warps", "orange", 0.25)
        for other in range(2):
            canvas.arrow((x + 9, 28.6), (left + 20 * other + 9 + (4 if other > block else -4 if other < block else 0), 31.6),
                         "orange")  # fmt: skip
    canvas.text(left + 19, 37.4, "up to 131 072 elements with 8 blocks", align="center")


def merge(canvas):
    """A row of four elements, 1, 3, 2 and 5, in two parts. The part 1, 3 has the maximum 3 and the sum of exp(1 - 3) and
    exp(3 - 3), 1.14. The part 2, 5 has the maximum 5 and the sum 1.05. Together: the maximum is 5. The sum of the first part
    times exp(3 - 5), which is 0.15, plus 1.05 is 1.20: the same as exp(1 - 5) + exp(3 - 5) + exp(2 - 5) + exp(5 - 5)."""
    canvas.height(25)
    size = 5
    canvas.cells(9, 1, size, ["1", "3"], ["blue"] * 2)
    canvas.cells(45, 1, size, ["2", "5"], ["orange"] * 2)
    canvas.arrow((14, 6.4), (14, 9), "blue")
    canvas.arrow((50, 6.4), (50, 9), "orange")
    canvas.box(2, 9.2, 24, 5.6, "max = 3\nsum = exp(-2) + 1 = 1.14", "blue", 0.15)
    canvas.box(38, 9.2, 24, 5.6, "max = 5\nsum = exp(-3) + 1 = 1.05", "orange", 0.15)
    canvas.arrow((14, 15), (27, 18.4))
    canvas.arrow((50, 15), (38, 18.4))
    canvas.text(12, 17.6, "times exp(3 - 5)")
    canvas.text(54.5, 17.6, "times exp(5 - 5) = 1")
    canvas.box(14, 18.6, 38, 5.6, "max = 5\nsum = 1.14 x 0.135 + 1.05 = 1.20")


def cluster(canvas):
    """Two blocks of two warps share a row. Time runs down. Each block arrives at the cluster's barrier as soon as it has
    started, loads its elements, and waits at the barrier for the other. Then each warp writes what it has found, its maximum
    and its sum, into the shared memory of both blocks. After a second barrier, each block has four parts in its own shared
    memory, reads them, and writes its results."""
    canvas.height(42)
    xs = (4, 40)
    for block, x in enumerate(xs):
        canvas.box(x, 1, 28, 3, f"block {block} starts", "grey", 0.15)
        canvas.box(x, 7.6, 28, 3, "loads, maximum, sum", "blue", 0.25)
        for warp in range(2):
            canvas.box(x + 15 * warp, 15.6, 13, 3, f"warp {warp}", "blue", 0.25)
        canvas.cells(x, 26, 7, [f"block {b}\nwarp {w}" for b in range(2) for w in range(2)], ["orange"] * 4)
        canvas.box(x, 38, 28, 3, "scale, results", "blue", 0.25)
    canvas.text(36, 5.8, "arrive", "green")
    for y, name in ((13, "wait"), (35.4, "arrive, wait")):
        canvas.line((2, y), (30.5, y), colour="green", dashed=True)
        canvas.line((41.5, y), (70, y), colour="green", dashed=True)
        canvas.text(36, y, name, "green")
    canvas.line((2, 5.8), (32, 5.8), colour="green", dashed=True)
    canvas.line((40, 5.8), (70, 5.8), colour="green", dashed=True)
    for block, x in enumerate(xs):
        for warp in range(2):
            for other in xs:
                canvas.arrow((x + 15 * warp + 6.5, 18.6), (other + 7 * (2 * block + warp) + 3.5, 26), "orange")
