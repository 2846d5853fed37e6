"""The drawings of chapter 12: a sum as a tree, the last block, who adds which chunk, and who counts where."""


def tree(canvas):
    """Eight threads hold 3, 1, 7, 0, 4, 1, 6 and 3. At distance 4, threads 0 to 3 add what the thread four further on holds,
    and hold 7, 2, 13 and 3. At distance 2, threads 0 and 1 hold 20 and 5. At distance 1, thread 0 holds 25, the sum. Three
    additions one after another instead of seven."""
    size, left, step = 5, 20, 9
    rows = [[3, 1, 7, 0, 4, 1, 6, 3], [7, 2, 13, 3], [20, 5], [25]]
    canvas.height(39)
    for thread in range(8):
        canvas.text(left + size * (thread + 0.5), 2, str(thread), "grey")
    canvas.text(left - 2, 2, "thread", "grey", align="right")
    for level, values in enumerate(rows):
        y = 4 + step * level
        canvas.cells(left, y, size, [str(v) for v in values], ["blue" if level == 0 else "orange"] * len(values))
        if level == 3:
            break
        half = len(values) // 2
        canvas.text(left - 2, y + size / 2 + step / 2, f"distance {half}", align="right")
        for thread in range(half):
            x = left + size * (thread + 0.5)
            canvas.arrow((x + half * size, y + size), (x + 0.8, y + step), "orange")
            canvas.line((x, y + size), (x, y + step), colour="grey")
    canvas.text(left + 7, 4 + 3 * step + size / 2, "3 additions one after another, not 7", align="left")


def last_block(canvas):
    """Time runs to the right. Each of four blocks adds its part of the array, writes its partial sum to device memory, and
    takes a ticket. One memory fence stands before the ticket, and one after it. The blocks come in any order: block 1 takes
    ticket 0, block 3 ticket 1, block 0 ticket 2, and these three blocks end. Block 2 takes ticket 3. So it is the last one,
    all partial sums have been written, and it adds all four."""
    canvas.height(34)
    ends = [28, 22.5, 30.5, 25]
    tickets = [2, 0, 3, 1]
    for block, (end, ticket) in enumerate(zip(ends, tickets, strict=True)):
        y = 1 + 6 * block
        last = ticket == 3
        canvas.text(1, y + 2, f"block {block}", align="left", bold=last)
        canvas.box(9, y, end - 9, 4, "adds its part", "blue", 0.25)
        canvas.box(end, y, 11.5, 4, "writes sum", "pink", 0.25)
        canvas.box(end + 12.5, y, 9, 4, f"ticket {ticket}", "orange", 0.25)
        for fence in end + 12, end + 22:
            canvas.line((fence, y - 0.6), (fence, y + 4.6))
        if last:
            canvas.box(end + 22.5, y, 18, 4, "adds sums 0 to 3", "green", 0.25)
        else:
            canvas.text(end + 24, y + 2, "ends", "grey", align="left")
    canvas.line((57, 25.2), (57, 28))
    canvas.text(58.2, 26.5, "memory fence", align="left")
    canvas.arrow((9, 30), (71, 30), "grey")
    canvas.text(40, 32, "time", "grey")


def chunks(canvas):
    """Six chunks of the array. With a grid of six blocks, block 0 adds chunk 0, block 1 chunk 1, and so on. With a grid of
    two, block 0 adds chunks 0, 2 and 4, and block 1 adds 1, 3 and 5. Each chunk is added in the same order by any block, so
    the six partial sums below are the same."""
    size, left = 8, 23
    colours = ["blue", "orange", "green", "pink", "yellow", "grey"]
    canvas.height(24)
    canvas.text(1, 3, "the array", align="left")
    for c in range(6):
        canvas.box(left + c * size, 1, size, 4, f"chunk {c}", "grey", 0.15)
    for row, (name, blocks) in enumerate({"a grid of 6 blocks": 6, "a grid of 2 blocks": 2}.items()):
        y = 6.5 + 5 * row
        canvas.text(1, y + 2, name, align="left")
        for c in range(6):
            canvas.box(left + c * size, y, size, 4, f"block {c % blocks}", colours[c % blocks], 0.25)
    canvas.text(1, 20.5, "partial sums of both", align="left")
    for c in range(6):
        x = left + (c + 0.5) * size
        canvas.arrow((x, 15.5), (x, 18.5), "grey")
        canvas.box(left + (c + 0.05) * size, 18.5, 0.9 * size, 4, f"sum {c}", "text")


def copies(canvas):
    """Lanes 0 to 3 of a warp have read the values 2, 2, 2 and 0. On the left, one histogram: lanes 0, 1 and 2 add to the same
    word, bin 2, one after another. On the right, a copy of the histogram for each lane, a column, in a bank of its own: the
    lanes add to different words at the same time. In the end, the words of a row are added up: 3 in bin 2, 1 in bin 0."""
    size, values = 4.6, [2, 2, 2, 0]
    colours = ["blue", "orange", "green", "pink"]
    lefts = 1, 32
    canvas.height(41)
    for left, title in zip(lefts, ("one histogram", "a copy for each lane"), strict=True):
        canvas.text(left, 2, title, align="left", bold=True)
        canvas.text(left + 7, 6, "lane", align="right", colour="grey")
        canvas.text(left + 7, 10.3, "value", align="right", colour="grey")
        for lane, value in enumerate(values):
            x = left + 8.5 + lane * (size + 1)
            canvas.text(x + size / 2, 6, str(lane), "grey")
            canvas.box(x, 8, size, size, str(value), colours[lane], 0.25)
    canvas.text(lefts[1] + 7, 16, "bank", align="right", colour="grey")
    for lane in range(4):
        canvas.text(lefts[1] + 8.5 + lane * (size + 1) + size / 2, 16, str(lane), "grey")
    canvas.text(68.5, 16, "sum", "grey")
    for value in range(4):
        y = 18 + value * size
        for left in lefts:
            canvas.text(left + 7, y + size / 2, f"bin {value}", align="right", colour="grey")
        canvas.box(lefts[0] + 8.5, y, size, size, {0: "1", 2: "3"}.get(value, "0"), "text", 0.0)
        for lane in range(4):
            x = lefts[1] + 8.5 + lane * (size + 1)
            mine = values[lane] == value
            canvas.box(x, y, size, size, "+1" if mine else "", colours[lane] if mine else "grey", 0.25 if mine else 0.0)
        canvas.arrow((63, y + size / 2), (66.5, y + size / 2), "grey")
        canvas.text(68.5, y + size / 2, {0: "1", 2: "3"}.get(value, "0"))
    canvas.text(lefts[0] + 1, 39, "3 additions one after another", align="left")
    canvas.text(lefts[1] + 7, 39, "all 4 at the same time", align="left")
