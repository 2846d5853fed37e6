"""The drawings of chapter 08: which thread loads which bytes."""

LEFT = 2.4


def interleaved(canvas):
    """16 pixels in a row, numbered 0 to 15, each of three bytes: red, green and blue. Thread 0 loads these 48 bytes as three
    pieces of 16. Pixels 5 and 10 lie in two pieces each. The thread stores the 16 grey bytes at once."""
    canvas.height(29.5)
    size = 1.4
    canvas.text(LEFT, 1.6, "Thread 0: pixels 0 to 15 of a row, three bytes each", align="left", bold=True)
    for k, colour in enumerate(("orange", "green", "blue")):
        canvas.box(55 + 5 * k, 0.9, size, size, "", colour, 0.6)
        canvas.text(57 + 5 * k, 1.6, "RGB"[k], align="left")
    for pixel in range(16):
        canvas.text(LEFT + (3 * pixel + 1.5) * size, 5, str(pixel), "grey")
        for k, colour in enumerate(("orange", "green", "blue")):
            canvas.box(LEFT + (3 * pixel + k) * size, 6.4, size, 2.6, "", colour, 0.6)
        canvas.line((LEFT + 3 * pixel * size, 6.2), (LEFT + 3 * pixel * size, 9.2))
    for load in range(3):
        x, width = LEFT + 16 * load * size, 16 * size
        canvas.box(x + 0.2, 10.2, width - 0.4, 3.4, f"load {load + 1}: bytes {16 * load} to {16 * load + 15}")
    canvas.arrow((36, 14.2), (36, 18))
    canvas.text(37.5, 16, "48 bytes in 12 registers", align="left")
    canvas.text(34.5, 16, "16 sums", align="right")
    canvas.cells(LEFT + 16 * size, 18.6, size, [""] * 16, ["grey"] * 16, 0.6)
    canvas.box(LEFT + 16 * size + 0.2, 21, 16 * size - 0.4, 3.4, "1 store: 16 grey bytes")
    canvas.text(36, 27.6, "Thread 1 does the same with bytes 48 to 95, thread 2 with bytes 96 to 143.")


def shifted(canvas):
    """The memory in pieces of 16 bytes. A row of a crop begins at address 5. The 48 bytes of thread 0 begin there, those of
    thread 1 at 53 and those of thread 2 at 101. Thread 1 loads the four pieces from 48 to 111, and thread 2 those from 96 to
    159; both load the piece from 96 to 111. The piece in which thread 0's bytes begin lies partly before the row, so thread 0
    goes pixel by pixel."""
    canvas.height(28)
    piece = 6.72
    byte = piece / 16
    canvas.text(LEFT, 1.6, "A row begins at address 5; the memory in pieces of 16 bytes", align="left", bold=True)
    for k in range(10):
        canvas.text(LEFT + k * piece, 5, str(16 * k), "grey", align="center" if k else "left")
        canvas.box(LEFT + k * piece, 6.4, piece, 2.6, "")
    canvas.text(LEFT + 10 * piece, 5, "160", "grey", align="right")
    names = ["thread 0, by pixels", "bytes 53 to 100", "bytes 101 to 148"]
    for thread, (name, colour) in enumerate(zip(names, ("text", "blue", "orange"), strict=True)):
        canvas.box(LEFT + (5 + 48 * thread) * byte, 9.4, 48 * byte, 3, name, colour, 0.35 if thread else 0)
    for thread, colour in enumerate(("blue", "orange"), 1):
        for k in range(4):
            x, y = LEFT + (3 * thread + k) * piece, 10.4 + 4.6 * thread
            canvas.box(x + 0.2, y, piece - 0.4, 3, f"load {k + 1}", colour, 0.12)
        canvas.text(LEFT + 3 * thread * piece - 1.2, 11.9 + 4.6 * thread, f"thread {thread}", align="right")
    canvas.text(36, 25.8, "Threads 1 and 2 have 64 bytes in 16 registers each, and shift them by 5.")
