"""Diagrams of chapter 06."""


def in_flight(canvas):
    """Time runs to the right. A warp that waits for each pair of loads has one pair in flight, and four pairs take four times
    the latency. A warp that issues four pairs before it waits has four in flight, and all have arrived after little more than
    one latency."""
    latency, store = 12.6, 1.4
    canvas.height(32)
    canvas.text(1, 2, "a warp that loads a pair, waits, adds, stores, and begins again", align="left", bold=True)
    canvas.text(1, 6, "1 in flight", align="left")
    for k in range(4):
        x = 14 + k * (latency + store)
        canvas.box(x, 4.5, latency, 3, f"pair {k + 1}", "blue", 0.25)
        canvas.box(x + latency, 4.5, store, 3, "", "orange", 0.6)
    canvas.text(1, 12, "a warp that loads four pairs, and only then waits for the first", align="left", bold=True)
    canvas.text(1, 20.5, "4 in flight", align="left")
    for k in range(4):
        canvas.box(14 + k, 14.5 + 3 * k, latency, 3, f"pair {k + 1}", "blue", 0.25)
        canvas.box(14 + latency + k * store, 14.5 + 3 * k, store, 3, "", "orange", 0.6)
    canvas.box(40, 16, 5, 2.4, "", "blue", 0.25)
    canvas.text(46, 17.2, "a[i] and b[i] on their way", align="left")
    canvas.box(43.6, 20.4, store, 2.4, "", "orange", 0.6)
    canvas.text(46, 21.6, "add and store", align="left")
    canvas.arrow((14, 29), (70, 29), "grey")
    canvas.text(42, 30.8, "time", "grey")


def aligned_middle(canvas):
    """13 floats that begin 4 bytes after a multiple of 16 bytes. The first three are the head and the last two are the tail:
    threads add them one by one. Between them lie two float4 that begin at multiples of 16 bytes: thread 0 adds one, thread 1
    the other. Thread 0 adds its float4, then element 0, then element 11."""
    size, left = 4.2, 2.4
    canvas.height(25)
    for k in range(5):
        x = left + 4 * k * size
        canvas.line((x, 3.4), (x, 11), colour="grey", dashed=True)
        canvas.text(x, 2, f"{16 * k}" if k else "0", "grey")
    canvas.text(left + 2 * size, 2, "bytes", "grey")
    colours = ["grey"] + ["orange"] * 3 + ["blue"] * 8 + ["orange"] * 2 + ["grey"] * 2
    texts = [""] + [str(k) for k in range(13)] + ["", ""]
    canvas.cells(left, 5, size, texts, colours)
    parts = (1, 3, "head", "threads 0 1 2"), (4, 4, "float4", "thread 0"), (8, 4, "float4", "thread 1")
    for first, count, name, who in (*parts, (12, 2, "tail", "threads 0 1")):
        x = left + first * size
        canvas.line((x + 0.5, 11.6), (x + count * size - 0.5, 11.6))
        canvas.text(x + count * size / 2, 13.6, name, bold=True)
        canvas.text(x + count * size / 2, 16.4, who)
    canvas.cells(left, 20.6, 2.4, [""], ["grey"])
    canvas.text(left + 3.4, 21.8, "not part of the slice", align="left")
    canvas.text(32, 21.8, "thread 0 adds its float4, then 0, then 11", align="left")
