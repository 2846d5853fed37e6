"""The drawings of chapter 11: sectors that a warp touches, and banks of shared memory."""

from collections import Counter

SIDE = 32  # of a tile, and the banks of shared memory


def grid(canvas, left, top, cell, rows, marked, high, step=1):
    """SIDE columns of cells, with a line after so many rows. marked: {(row, column): colour}."""
    for k in [*range(0, rows, step), rows]:
        canvas.line((left, top + k * high), (left + SIDE * cell, top + k * high), colour="grey")
    for k in range(0, SIDE + 1, 8):
        canvas.line((left + k * cell, top), (left + k * cell, top + rows * high), colour="grey")
    for (row, column), colour in marked.items():
        canvas.box(left + column * cell, top + row * high, cell, high, colour=colour, fill=0.6)


def tile(canvas):
    """A warp of the kernel naive reads 32 neighbours of row 0, which fill 4 sectors, and writes them into column 0 of the
    result: into 32 sectors, 4 bytes of each. A warp of the kernel tile reads a row as well, and writes it into a row of a
    tile in shared memory. Then it reads a column of the tile, which other warps have written, and writes it into a row of the
    result: into 4 sectors."""
    cell, high, rows = 0.62, 1.3, 8
    wide = SIDE * cell
    canvas.height(45)
    first, second, third = 1, 26.1, 51.2

    def panel(left, top, name, words, marked):
        canvas.text(left + wide / 2, top - 1.8, name, code=True)
        grid(canvas, left, top, cell, rows, marked, high)
        canvas.text(left + wide / 2, top + rows * high + 1.7, words)

    row, column = [(0, k) for k in range(SIDE)], [(k, 0) for k in range(rows)]
    rest = {(r, c): "orange" for r in range(rows) for c in range(1, 8)}
    canvas.text(1, 1.8, "naive", align="left", bold=True)
    panel(first, 6, "in", "load: 4 sectors", dict.fromkeys(row, "blue"))
    canvas.arrow((first + wide + 1, 7), (third - 1, 7))
    panel(third, 6, "out", "store: 32 sectors", rest | dict.fromkeys(column, "blue"))
    canvas.box(26.1, 9.4, cell * 2, high, colour="blue", fill=0.6)
    canvas.text(28.3, 10, "loaded by a warp", align="left")
    canvas.box(26.1, 12.4, cell * 2, high, colour="orange", fill=0.6)
    canvas.text(28.3, 13, "rest of its sectors", align="left")
    canvas.box(26.1, 15.4, cell * 2, high, colour="green", fill=0.6)
    canvas.text(28.3, 16, "stored by a warp of tile", align="left")
    top = 27
    canvas.text(1, top - 4.4, "tile", align="left", bold=True)
    panel(first, top, "in", "load: 4 sectors", dict.fromkeys(row, "blue"))
    canvas.arrow((first + wide + 0.6, top + 0.7), (second - 0.6, top + 0.7))
    panel(second, top, "shared", "row in, column out", dict.fromkeys(row, "blue") | dict.fromkeys(column, "green"))
    canvas.arrow((second + wide + 0.6, top + 0.7), (third - 0.6, top + 0.7))
    panel(third, top, "out", "store: 4 sectors", dict.fromkeys(row, "green"))
    canvas.text(36, 43.4, "8 rows of 32 are shown; a sector is 8 floats, from one vertical line to the next", "grey")


def banks(canvas):
    """Three drawings of shared memory, 32 banks wide. Marked: where the 32 elements of column 5 of a tile lie. tile: all in
    bank 5. padded: each one bank further than the one above, so in 32 banks. swizzled: element r in bank 5 xor r, so also in
    32 banks."""
    cell, top, column = 0.65, 9, 5
    wide = SIDE * cell
    canvas.height(38)
    places = {
        "tile": lambda r: (r, column),
        "padded": lambda r: divmod(r * (SIDE + 1) + column, SIDE),
        "swizzled": lambda r: (r, column ^ r),
    }
    formulas = {"tile": "shared[r][5]", "padded": "shared[r][5]", "swizzled": "shared[r][5 ^ r]"}
    for k, (name, place) in enumerate(places.items()):
        left = 1 + 24.7 * k
        marked = [place(r) for r in range(SIDE)]
        passes = max(Counter(bank for _, bank in marked).values())
        canvas.text(left + wide / 2, 1.8, f"{name}, rows of {33 if name == 'padded' else 32}", bold=True)
        canvas.text(left + wide / 2, 4.5, formulas[name], code=True)
        canvas.text(left, top - 1.5, "bank 0", "grey", align="left")
        canvas.text(left + wide, top - 1.5, "31", "grey", align="right")
        lines = max(line for line, _ in marked) + 1
        grid(canvas, left, top, cell, lines, dict.fromkeys(marked, "green"), cell, step=8)
        canvas.text(left + wide / 2, top + 33 * cell + 2.6, f"{passes} pass" + "es" * (passes > 1), bold=True)
    canvas.text(36, 36.2, "lane r reads row r, from above; a line of the drawing is 128 bytes, 4 in each bank", "grey")


def strips(canvas):
    """Two matrices and their transposes. Few rows: the tile has all three rows of the matrix and four of its columns, three
    lines of four elements. In the result it is one line of twelve elements without a gap: a strip. Few columns: the tile has
    all three columns and four rows, which follow one another. In the matrix it is one strip of twelve elements, and in the
    result three lines of four."""
    cell, colours = 3, ["blue", "green", "orange"]
    canvas.height(36)

    def lines(left, top, words, few_rows):
        """Three lines of ten elements, of which the tile has four."""
        canvas.text(left, top - 1.6, words, align="left")
        for r in range(3):
            for c in range(10):
                canvas.box(left + c * cell, top + r * cell, cell, cell, colour="grey")
            for c in range(3, 7):
                text = f"{r}{c}" if few_rows else f"{c}{r}"
                canvas.box(left + c * cell, top + r * cell, cell, cell, text, colours[r], 0.35)

    def strip(left, top, words, few_rows):
        """The same elements as they follow one another, in two rows of the drawing."""
        canvas.text(left, top - 1.6, words, align="left")
        for k in range(12):
            c, r = divmod(k, 3)
            text = f"{r}{c + 3}" if few_rows else f"{c + 3}{r}"
            canvas.box(left + k % 6 * cell, top + k // 6 * cell, cell, cell, text, colours[r], 0.35)

    for top, words, few_rows in (2, "few rows", True), (20, "few columns", False):
        canvas.text(1, top, words, align="left", bold=True)
        if few_rows:
            lines(1, top + 4.4, "in: 3 lines of the tile", few_rows)
            canvas.arrow((33, top + 9), (48, top + 9))
            strip(50, top + 5.9, "out: one line, a strip", few_rows)
        else:
            strip(1, top + 5.9, "in: one line, a strip", few_rows)
            canvas.arrow((22, top + 9), (37, top + 9))
            lines(39, top + 4.4, "out: 3 lines of the tile", few_rows)
    canvas.text(
        36,
        34.6,
        "named by row and column of the matrix; a strip goes on in its second row",
        "grey",
    )


def wide(canvas):
    """Above: the first 9 of 64 rows of a tile of floats, each 8 sectors long, and which load of a block's first warp fetches
    which sector: load k fetches the 8 sectors of row k and those of row 4 + k, in 4 loads. In the middle: a square of four
    packs in the registers of a thread, each a row of four floats. The thread exchanges rows and columns: each pack then has
    one element of each of the four. Below: the places of 8 packs in a row of shared memory, four banks each. Lanes 0 to 7 read
    a pack each, of column 0 of packs and of rows 0, 4, 8 to 28. Without a swizzle all eight lie in the same four banks, and
    take 8 passes. At place x xor y they lie in eight different groups of four banks, and take 1 pass."""
    canvas.height(75.5)
    colours = ["blue", "green", "orange", "pink"]
    left_of, unit, high, top = (8.6, 43), 3.4, 2.0, 6.2
    canvas.text(
        1, 1.8, "which load of the first warp fetches a sector (the first 9 rows of a tile)", align="left", bold=True
    )
    left = 25.8
    canvas.text(left + 4 * unit, 4.6, "4 loads of 16 sectors")
    for row in range(9):
        canvas.text(left - 0.8, top + (row + 0.5) * high, f"row {row}", "grey", align="right")
        for k in range(8):
            canvas.box(left + k * unit, top + row * high, unit, high, colour="grey")
            if row < 8:
                canvas.box(left + k * unit, top + row * high, unit, high, str(row % 4), colours[row % 4], 0.4)

    top = 28
    canvas.text(1, top, "a square in the registers of a thread", align="left", bold=True)
    cell = 3

    def square(left, text):
        for r in range(4):
            for c in range(4):
                canvas.box(
                    left + c * cell, top + 2.5 + r * cell, cell, cell, text(r, c), colours[int(text(r, c)[0])], 0.3
                )

    square(13, lambda r, c: f"{r}{c}")
    canvas.arrow((26.6, top + 8.5), (31.4, top + 8.5))
    square(33, lambda r, c: f"{c}{r}")
    canvas.text(11.8, top + 4, "a pack", align="right")
    canvas.text(46.2, top + 4, "a pack", align="left")
    canvas.text(46.2, top + 10, "number and colour of an\nelement as on the left", align="left")

    top = 52.5
    canvas.text(1, 46.5, "lanes 0 to 7 read column 0 of packs from shared memory", align="left", bold=True)
    cases = {"without a swizzle": lambda lane: 0, "at place x ^ y": lambda lane: lane}
    for left, (words, place) in zip(left_of, cases.items(), strict=True):
        canvas.text(left + 4 * unit, 49, words)
        canvas.text(left, top - 1.4, "banks 0-3", "grey", align="left")
        canvas.text(left + 8 * unit, top - 1.4, "28-31", "grey", align="right")
        marked = [(lane, place(lane)) for lane in range(8)]
        for lane in range(8):
            canvas.text(left - 0.8, top + (lane + 0.5) * high, f"row {4 * lane}", "grey", align="right")
            for k in range(8):
                canvas.box(left + k * unit, top + lane * high, unit, high, colour="grey")
        for lane, k in marked:
            canvas.box(left + k * unit, top + lane * high, unit, high, str(lane), "green", 0.4)
        passes = max(Counter(k for _, k in marked).values())
        canvas.text(left + 4 * unit, top + 8 * high + 2, f"{passes} pass" + "es" * (passes > 1), bold=True)
    canvas.text(36, top + 8 * high + 5.2, "half of each row is shown: banks repeat after 8 packs, a row has 16", "grey")
