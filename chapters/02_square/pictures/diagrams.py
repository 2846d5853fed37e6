"""The drawings of chapter 02: a grid over a matrix, and the memory that a warp touches."""

THREADS = 16  # of a block along each side


def grid(canvas):
    """A matrix of 27 rows and 40 columns under a grid of 3 x 2 blocks of 16 x 16 threads. x runs to the right, y runs down.
    The blocks reach beyond the matrix at its right and lower edges; the threads there have no element. In the block with
    blockIdx (1, 0), the first two rows of 16 threads are a warp, and the thread with threadIdx (5, 3) has the element in row
    3, column 21."""
    cell, left, top, columns, rows = 1.1, 11.5, 6.5, 40, 27
    block = THREADS * cell
    canvas.height(43)
    for x in range(3):
        canvas.text(left + (x + 0.5) * block, top - 1.7, f"blockIdx.x = {x}", code=True)
    for y in range(2):
        canvas.text(left - 1, top + (y + 0.5) * block, f"blockIdx.y\n= {y}", align="right", code=True)
    canvas.text(left, top - 4.7, "x", align="left", code=True, bold=True)
    canvas.arrow((left + 1.8, top - 4.7), (left + 9, top - 4.7))
    canvas.text(left - 8, top, "y", code=True, bold=True)
    canvas.arrow((left - 8, top + 1.5), (left - 8, top + 5.5))
    width, height = columns * cell, rows * cell  # of the matrix
    canvas.box(left, top, width, height, colour="blue", fill=0.15)
    beyond = {"colour": "orange", "fill": 0.2}
    canvas.box(left + width, top, 3 * block - width, height, **beyond)
    canvas.box(left, top + height, 3 * block, 2 * block - height, **beyond)
    for k in range(3):
        canvas.text(left + (k + 0.5) * block, top + height / 2 + block, "no element")
    for y in top + block / 2, top + (block + height) / 2:
        canvas.text(left + width / 2 + 1.5 * block, y, "no\nelement")
    x = left + block  # of the block that is shown thread by thread
    canvas.box(x, top, block, 2 * cell, colour="green", fill=0.5)
    canvas.box(x + 5 * cell, top + 3 * cell, cell, cell, colour="pink", fill=1)
    for k in range(1, THREADS):
        canvas.line((x + k * cell, top), (x + k * cell, top + block), colour="grey")
        canvas.line((x, top + k * cell), (x + block, top + k * cell), colour="grey")
    for k in range(6):
        canvas.box(left + k % 3 * block, top + k // 3 * block, block, block)
    canvas.text(left + 12.5, top + 1.2 * cell, "a warp")
    canvas.arrow((left + 15.9, top + 1.2 * cell), (x, top + 1.2 * cell))
    canvas.text(left + 7.9, top + 3.5 * cell, "row 3, column 21")
    canvas.arrow((left + 15.9, top + 3.5 * cell), (x + 5 * cell, top + 3.5 * cell))
    canvas.text(left + block / 2, top + 1.35 * block, "matrix:\n27 rows,\n40 columns")


def sectors(canvas):
    """Two copies of the first 16 rows of a matrix; of each row the first two sectors of 8 floats. Where x runs along a row,
    a warp asks for 16 floats of row 0 and 16 of row 1: for all floats of 4 sectors. Where x runs down a column, a warp
    asks for the first two floats of each row: for a quarter of 16 sectors."""
    cell, high, pitch, top, gap = 1.7, 1.35, 1.75, 8.5, 0.6
    wide = 8 * cell  # of a sector
    canvas.height(46)

    def panel(left, title, lanes, asked):
        """asked(row, column): whether the warp asks for that float."""
        middle = left + wide + gap / 2
        canvas.text(middle, 1.7, title, bold=True)
        canvas.text(middle, 5.5, lanes)
        for row in range(16):
            for sector in range(2):
                x, y = left + sector * (wide + gap), top + row * pitch
                floats = [k for k in range(8) if asked(row, 8 * sector + k)]
                if floats and len(floats) < 8:
                    canvas.box(x + 2 * cell, y, wide - 2 * cell, high, colour="orange", fill=0.3)
                for k in floats:
                    canvas.box(x + k * cell, y, cell, high, colour="blue", fill=0.5)
                canvas.box(x, y, wide, high, colour="text" if floats else "grey")
            canvas.text(left + 2 * wide + gap + 0.7, top + row * pitch + high / 2, "...", align="left")

    first, second = 7.2, 41
    for row in 0, 1, 15:
        canvas.text(first - 0.8, top + row * pitch + high / 2, f"row {row}", align="right")
    panel(first, "x along a row: 4 sectors", "lanes 0 to 15 in row 0,\n16 to 31 in row 1", lambda row, _: row < 2)
    panel(second, "x down a column: 16 sectors", "lanes 0 to 15 in column 0,\n16 to 31 in column 1", lambda _, c: c < 2)
    y = top + 16 * pitch + 1.5
    canvas.box(first, y, cell, high, colour="blue", fill=0.5)
    canvas.text(first + 2.7, y + high / 2, "a float that a lane asks for", align="left")
    canvas.box(second, y, cell, high, colour="orange", fill=0.3)
    canvas.text(second + 2.7, y + high / 2, "fetched, and not asked for", align="left")
    canvas.box(first, y + 2.8, wide, high)
    canvas.text(first + wide + 1, y + 2.8 + high / 2, "a sector that is fetched: 32 bytes, 8 floats", align="left")
    canvas.box(first, y + 5.6, wide, high, colour="grey")
    canvas.text(first + wide + 1, y + 5.6 + high / 2, "a sector that is not fetched", align="left")
