"""The drawings of chapter 12: a sum as a tree, the last block, who adds which chunk, and who counts where."""


def tree(canvas):
    """Eight lanes hold 3, 1, 7, 0, 4, 1, 6 and 3. At distance 4, lanes 0 to 3 add what the lane four further on holds, and
    hold 7, 2, 13 and 3. At distance 2, lanes 0 and 1 hold 20 and 5. At distance 1, lane 0 holds 25, the sum. Three additions
    one after another instead of seven."""
    size, left, step = 5, 20, 9
    rows = [[3, 1, 7, 0, 4, 1, 6, 3], [7, 2, 13, 3], [20, 5], [25]]
    canvas.height(39)
    for lane in range(8):
        canvas.text(left + size * (lane + 0.5), 2, str(lane), "grey")
    canvas.text(left - 2, 2, "lane", "grey", align="right")
    for level, values in enumerate(rows):
        y = 4 + step * level
        canvas.cells(left, y, size, [str(v) for v in values], ["blue" if level == 0 else "orange"] * len(values))
        if level == 3:
            break
        half = len(values) // 2
        canvas.text(left - 2, y + size / 2 + step / 2, f"distance {half}", align="right")
        for lane in range(half):
            x = left + size * (lane + 0.5)
            canvas.arrow((x + half * size, y + size), (x + 0.8, y + step), "orange")
            canvas.line((x, y + size), (x, y + step), colour="grey")
    canvas.text(left + 7, 4 + 3 * step + size / 2, "3 additions one after another, not 7", align="left")


def last_block(canvas):
    """Time runs to the right. Each of four blocks adds its part of the array, writes its partial sum, and takes a ticket. The
    blocks end in any order: block 1 takes ticket 0, block 3 ticket 1, block 0 ticket 2. They are done then. Block 2 takes
    ticket 3, so it is the last one, and all partial sums are written: it adds them in the order 0, 1, 2, 3."""
    canvas.height(31)
    ends = [34, 22, 40, 27]
    tickets = [2, 0, 3, 1]
    for block, (end, ticket) in enumerate(zip(ends, tickets, strict=True)):
        y = 1 + 6 * block
        last = ticket == 3
        canvas.text(1, y + 2, f"block {block}", align="left", bold=last)
        canvas.box(9, y, end - 9, 4, "adds its part", "blue", 0.25)
        canvas.box(end, y, 9, 4, f"ticket {ticket}", "orange", 0.25)
        if last:
            canvas.box(end + 9, y, 22, 4, "adds sums 0, 1, 2, 3", "green", 0.25)
        else:
            canvas.text(end + 10.5, y + 2, "ends", "grey", align="left")
    canvas.arrow((9, 27), (71, 27), "grey")
    canvas.text(40, 29, "time", "grey")


def chunks(canvas):
    """Six chunks of the array, each with its partial sum. With a grid of two blocks, block 0 adds chunks 0, 2 and 4, and
    block 1 adds 1, 3 and 5. With a grid of three blocks, block 0 adds chunks 0 and 3, block 1 adds 1 and 4, block 2 adds 2
    and 5. Each chunk is added in the same order by any block, so the partial sums are the same."""
    size, left = 8, 22
    colours = ["blue", "orange", "green"]
    canvas.height(20)
    canvas.text(1, 3, "the array", align="left")
    for c in range(6):
        canvas.box(left + c * size, 1, size, 4, f"chunk {c}", "grey", 0.15)
    for row, blocks in enumerate((2, 3)):
        y = 6.5 + 5 * row
        canvas.text(1, y + 2, f"a grid of {blocks} blocks", align="left")
        for c in range(6):
            canvas.box(left + c * size, y, size, 4, f"block {c % blocks}", colours[c % blocks], 0.25)
    canvas.text(left, 18, "the same partial sums, so the same bits", align="left")


def copies(canvas):
    """Lanes 0 to 3 have read the values 2, 2, 2 and 0. On the left, one histogram: lanes 0, 1 and 2 add to the same word, bin
    2, one after another. On the right, a copy for each lane: bin 2 has a word for each lane, in another bank, so the four
    lanes add at the same time. In the end, the words of a row are added up."""
    size, values = 4.6, [2, 2, 2, 0]
    colours = ["blue", "orange", "green", "pink"]
    canvas.height(38)
    for left, title in (1, "one histogram"), (37, "a copy for each lane"):
        canvas.text(left, 2, title, align="left", bold=True)
        canvas.text(left + 10, 6, "lane", align="right", colour="grey")
        canvas.text(left + 10, 10.3, "value", align="right", colour="grey")
        for lane, value in enumerate(values):
            x = left + 11.5 + lane * (size + 1)
            canvas.text(x + size / 2, 6, str(lane), "grey")
            canvas.box(x, 8, size, size, str(value), colours[lane], 0.25)
    for value in range(4):
        y = 17 + value * size
        for left in (1, 37):
            canvas.text(left + 10, y + size / 2, f"bin {value}", align="right", colour="grey")
        canvas.box(12.5, y, size, size, {0: "+1", 2: "+3"}.get(value, ""), "text", 0.0)
        for lane in range(4):
            x = 48.5 + lane * (size + 1)
            mine = values[lane] == value
            canvas.box(x, y, size, size, "+1" if mine else "", colours[lane] if mine else "grey", 0.25 if mine else 0.0)
    canvas.text(19, 17 + 2.5 * size, "3 additions,", align="left")
    canvas.text(19, 17 + 3.1 * size, "one after another", align="left")
