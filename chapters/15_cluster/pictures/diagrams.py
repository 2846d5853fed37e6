"""The drawings of chapter 15: who keeps a long row, how blocks exchange their parts, what a block does when."""


def cluster(canvas):
    """A row of 131 072 floats in eight parts. Each belongs to a block with registers and shared memory of its own. A bar
    connects the shared memory of all eight blocks, which is the distributed shared memory: each block reads and writes all
    of it."""
    canvas.height(25.5)
    for y, name in ((2.6, "a row"), (7.6, "a cluster"), (11, "registers"), (17.6, "shared\nmemory")):
        canvas.text(1, y, name, align="left", bold=y < 8)
    for block in range(8):
        x = 12.5 + 7.2 * block
        canvas.box(x, 1, 7.2, 3.2, "64 KiB", "grey", 0.25)
        canvas.box(x + 0.3, 6, 6.6, 14.4, "", "grey", dashed=True)
        canvas.text(x + 3.6, 7.6, f"block {block}")
        canvas.arrow((x + 3.6, 4.2), (x + 3.6, 6), "grey")
        canvas.box(x + 1.2, 9.4, 4.8, 3.4, "", "blue", 0.25)
        canvas.arrow((x + 3.6, 12.8), (x + 3.6, 15.8), "orange")
        canvas.box(x + 1.2, 15.8, 4.8, 3.4, "", "orange", 0.25)
        canvas.arrow((x + 2.8, 19.2), (x + 2.8, 22), "green")
        canvas.arrow((x + 4.4, 22), (x + 4.4, 19.2), "green")
    canvas.box(12.8, 22, 57, 2.8, "each block reads and writes the shared memory of all", "green", 0.25)


def exchange(canvas):
    """Two blocks exchange their parts, in two ways. Step barrier: each block writes its part into its own shared
    memory, both wait at a barrier of the cluster, and then each reads both parts. Step mbarrier: each block writes its part
    into its own shared memory and into that of the other, and an mbarrier beside the parts counts the bytes that arrive, 16.
    Nobody reads another block's memory."""
    canvas.height(29)
    for side, name in enumerate(("barrier: write, wait, read", "mbarrier: send, wait")):
        left = 1 + 36 * side
        canvas.text(left + 16, 1.6, name, bold=True)
        for block in range(2):
            x = left + 16.8 * block
            canvas.box(x, 3.4, 15.2, 24.6, "", "grey", dashed=True)
            canvas.text(x + 7.6, 5.2, f"block {block}")
            canvas.box(x + 2, 7, 11.2, 3.4, "max, sum", "blue", 0.25)
            if side == 0:
                canvas.arrow((x + 7.6, 10.4), (x + 7.6, 13), "orange")
                canvas.box(x + 2, 13, 11.2, 3.4, "its part", "orange", 0.25)
                canvas.arrow((x + 7.6, 16.4), (x + 7.6, 18), "orange")
                canvas.box(x + 2, 23.8, 11.2, 3.4, "reads both", "green", 0.25)
                for other in range(2):
                    to = left + 16.8 * other + 5.6 + 4 * block
                    canvas.arrow((x + 5.6 + 4 * other, 20.4), (to, 23.8), "green")
            else:
                for other in range(2):
                    to = left + 16.8 * other + 5.2 + 4.8 * block
                    canvas.arrow((x + 5.6 + 4 * other, 10.4), (to, 17), "green")
                canvas.box(x + 2, 17, 11.2, 3.4, "both parts", "green", 0.25)
                canvas.arrow((x + 7.6, 20.4), (x + 7.6, 23.8), "orange")
                canvas.box(x + 2, 23.8, 11.2, 3.4, "mbarrier: 16", "orange", 0.25)
        if side == 0:
            canvas.box(left + 1, 18, 30, 2.4, "barrier of the cluster", "grey", 0.4)


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
