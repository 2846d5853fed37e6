"""The drawings of chapter 17: which lane holds what, where the packs of a tile lie, what happens at the same time."""


def grid(canvas, x, y, rows, columns, size):
    for row in range(rows + 1):
        canvas.line((x, y + row * size), (x + columns * size, y + row * size), colour="grey")
    for column in range(columns + 1):
        canvas.line((x + column * size, y), (x + column * size, y + rows * size), colour="grey")


def fragments(canvas):
    """Three grids: a with 16 x 16 elements, b with 16 x 8, the result with 16 x 8. Filled: what lane 5 of 32 holds. Of a, two
    neighbours in each of rows 1 and 9, from columns 2 and 10 on. Of b, four elements of column 1, in rows 2, 3, 10 and 11. Of
    the result, two neighbours in each of rows 1 and 9, from column 2 on. Grey: what these results need, which is rows 1
    and 9 of a and columns 2 and 3 of b. None of the four elements of b is among them."""
    canvas.height(31)
    size, y = 1.5, 4.6
    for name, x, columns in (("a", 2, 16), ("b", 30.5, 8), ("a @ b", 58, 8)):
        canvas.text(x + columns * size / 2, 2, name, bold=True)
        grid(canvas, x, y, 16, columns, size)

    for row in (1, 9):
        canvas.box(2, y + row * size, 16 * size, size, "", "grey", 0.4)
    canvas.box(30.5 + 2 * size, y, 2 * size, 16 * size, "", "grey", 0.4)

    def held(x, cells, colour):
        for row, column in cells:
            canvas.box(x + column * size, y + row * size, size, size, "", colour, 0.75)

    held(2, [(row, column + i) for row in (1, 9) for column in (2, 10) for i in (0, 1)], "blue")
    held(30.5, [(row, 1) for row in (2, 3, 10, 11)], "orange")
    held(58, [(row, column) for row in (1, 9) for column in (2, 3)], "green")
    canvas.text(28.2, y + 8 * size, "@")
    canvas.arrow((44, y + 8 * size), (56.5, y + 8 * size), "text")
    canvas.text(50.2, y + 8 * size - 2, "mma.sync", code=True)


def swizzle(canvas):
    """Two tiles of eight rows of eight packs; a row of packs fills the 32 banks. Filled: the eight packs that ldmatrix reads
    at a time, pack 2 of each row. In row order all eight lie below each other, in the same four banks: 8 passes. Swizzled,
    pack 2 of row r lies at place 2 xor r, in each row in a different group of four banks: 1 pass."""
    canvas.height(24.5)
    size, y = 2.2, 6.2
    for x, name, place in (
        (10, "pack p at place p", lambda row: 2),
        (44, "pack p at place p ^ row", lambda row: 2 ^ row),
    ):
        canvas.text(x + 4 * size, 1.6, name, code=True)
        canvas.text(x + 4 * size, 4.2, "32 banks", "grey")
        for row in range(8):
            canvas.text(x - 1, y + (row + 0.5) * size, f"row {row}", align="right")
            canvas.cells(x, y + row * size, size, [""] * 8)
            canvas.box(x + place(row) * size, y + row * size, size, size, "2", "blue", 0.45)


def stages(canvas):
    """What a block does as time passes, with three stages. Copies: the tiles of step 2 are on their way from product 0.0
    until the wait before product 1.3, those of step 3 from 1.0 until the wait before 2.3, and so on. Below, each step of
    64 elements has four products of 16, and fragments for the next product are loaded during each: during the last product
    of step 0, the first fragments of step 1."""
    canvas.height(28)
    left, wide = 18, 17.6
    for y, name in (7, "copies"), (16, "fragments"), (22.6, "products"):
        canvas.text(1, y, name, align="left", bold=True)
    for step in range(1, 5):  # at which they are needed: a copy begins two steps earlier, where the drawing has that
        begin = max(left, left + wide * (step - 2))
        end = min(left + wide * (step - 1) + 3 * wide / 4 - 0.35, left + 3 * wide - 1)
        canvas.box(begin, 3 if step % 2 == 0 else 7.4, end - begin, 3.6, f"{step} to stage {step % 3}", "grey", 0.25)
    for step in range(3):
        x = left + wide * step
        for k in range(4):
            at, part = x + k * wide / 4, wide / 4 - 0.6
            of, number = (step, k + 1) if k < 3 else (step + 1, 0)
            canvas.box(at, 14.2, part, 3.6, f"{of}.{number}", "blue", 0.25)
            canvas.box(at, 20.8, part, 3.6, f"{step}.{k}", "orange", 0.25)
            if not (step == 2 and k == 3):
                canvas.arrow((at + part / 2, 17.8), (at + part / 2 + wide / 4, 20.8), "grey")
        canvas.line((x + 3 * wide / 4 - 0.35, 2), (x + 3 * wide / 4 - 0.35, 25.4), colour="text", dashed=True)
    canvas.text(left + 3 * wide / 4 - 0.3, 26.7, "wait, barrier")
