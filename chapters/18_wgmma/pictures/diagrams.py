"""The drawings of chapter 18: the path of the operands, a box in shared memory, the ring of buffers, divided tiles."""


def path(canvas):
    """The path of a number: from a and b in device memory, TMA copies boxes into shared memory. There wgmma reads them, and
    adds to sums in the registers of a warpgroup. The sums go to device memory. A thread starts TMA, 128 threads start
    wgmma, and only the last part of the path is stores of threads."""
    canvas.height(23)
    for x, height, name, colour in (
        (0.5, 18.6, "device memory", "grey"),
        (28, 13.4, "shared memory", "orange"),  # the stores pass below it
        (55.5, 18.6, "registers", "green"),
    ):
        canvas.box(x, 3.4, 16, height, "", colour, 0.12)
        canvas.text(x + 8, 1.6, name, bold=True)
    for k, (y, name) in enumerate(((5, "a"), (11, "b"))):
        canvas.box(2.5, y, 12, 4.4, name, "blue", 0.3)
        canvas.box(30, y, 12, 4.4, f"boxes of {name}", "orange", 0.35)
        canvas.arrow((14.5, y + 2.2), (30, y + 2.2), "blue")
        canvas.arrow((42, y + 2.2), (57.5, 8.8 + 2 * k), "orange")
    canvas.text(22.25, 5.2, "TMA", bold=True)
    canvas.text(22.25, 10.2, "one thread")
    canvas.text(49.75, 5.2, "wgmma", bold=True)
    canvas.text(49.75, 14.6, "128 threads")
    canvas.box(57.5, 6.6, 12, 6.4, "sums", "green", 0.35)
    canvas.box(2.5, 17, 12, 4.2, "out", "green", 0.3)
    canvas.line((63.5, 13), (63.5, 19), colour="green")
    canvas.arrow((63.5, 19), (14.5, 19), "green")
    canvas.text(22.25, 20.8, "stores")


def box(canvas):
    """Eight rows of a box in shared memory, 128 bytes each: eight packs of 16 bytes. Pack x of row y lies at place x XOR y,
    so that pack 0 of the eight rows lies in eight different columns, which are eight different groups of banks."""
    canvas.height(27)
    for side, name in enumerate(("in the matrix", "in shared memory")):
        left = 6 + 36 * side
        canvas.text(left + 12, 1.6, name, bold=True)
        for y in range(8):
            canvas.text(left - 1, 5 + 2.6 * y, str(y), align="right")
            for x in range(8):
                place = x ^ y if side else x
                colour, fill = ("orange", 0.6) if x == 0 else ("blue", 0.12)
                canvas.box(left + 3 * place, 3.7 + 2.6 * y, 3, 2.6, str(x), colour, fill)
    canvas.arrow((31.5, 14), (38.5, 14), "grey")
    canvas.text(35, 12.4, "TMA")


def ring(canvas):
    """Six steps of k go through a ring of four buffers, as time passes. TMA fills a buffer, then two warpgroups multiply what
    is there (mul), then it is empty. Step 4 uses the buffer of step 0 again, and step 5 that of step 1. While the warpgroups
    multiply one step, the next ones are already there or on their way."""
    canvas.height(23)
    left, wide = 11.5, 8.5
    canvas.text(left + 2.5, 1.6, "time", bold=True)
    canvas.arrow((left + 5, 1.4), (left + 14, 1.4), "grey")
    for step in range(6):
        y = 3.6 + 4.8 * (step % 4)
        fills = left + wide * (
            step * 0.4 if step < 4 else step - 1.9
        )  # at first one after another, then where there is room
        if step < 4:
            canvas.text(1, y + 1.7, f"buffer {step}", align="left")
        canvas.box(fills, y, wide - 0.6, 3.4, f"TMA {step}", "orange", 0.3)
        canvas.box(left + wide * (1.1 + step), y, wide - 0.6, 3.4, f"mul {step}", "blue", 0.3)


def divided(canvas):
    """A tile of 188 steps, and time passes to the right. Whole: one block works for 188 steps. Divided: each of eight blocks
    does 24 of them, the last one 20; then each adds up an eighth of the columns, which takes as long as 5 steps."""
    canvas.height(27)
    left, step, high = 18, 0.28, 2.4
    canvas.text(1, 3.2, "whole", align="left", bold=True)
    canvas.text(left - 0.8, 2.9, "block 0", align="right")
    canvas.box(left, 1.8, 188 * step, high - 0.4, "188 steps", "blue", 0.2)
    canvas.text(1, 15.2, "divided", align="left", bold=True)
    for block in range(8):
        steps, y = (20 if block == 7 else 24), 5.4 + high * block
        canvas.text(left - 0.8, y + 1.1, f"block {block}", align="right")
        canvas.box(left, y, steps * step, high - 0.4, f"{steps}", "blue", 0.2)
        canvas.box(left + 24 * step + 0.3, y, 5 * step, high - 0.4, "5", "orange", 0.2)  # by the estimate of plan.h
    canvas.arrow((left, 25.6), (left + 12, 25.6), "grey")
    canvas.text(left + 14.8, 25.9, "time")
