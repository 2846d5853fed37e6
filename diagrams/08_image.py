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
    """The memory in pieces of 16 bytes. A row of a crop begins at address 5, so the 48 bytes of thread 0 lie in pieces 0 to 3,
    and those of thread 1 in pieces 3 to 6. Each thread loads its four pieces; both load piece 3."""
    canvas.height(28)
    piece = 9.6
    byte = piece / 16
    canvas.text(LEFT, 1.6, "A row begins at address 5; the memory in pieces of 16 bytes", align="left", bold=True)
    for k in range(7):
        canvas.text(LEFT + k * piece, 5, str(16 * k), "grey", align="center" if k else "left")
        canvas.box(LEFT + k * piece, 6.4, piece, 2.6, "")
    canvas.text(LEFT + 7 * piece, 5, "112", "grey", align="right")
    for thread, colour in enumerate(("blue", "orange")):
        canvas.box(LEFT + (5 + 48 * thread) * byte, 9.4, 48 * byte, 3, f"48 bytes of thread {thread}", colour, 0.35)
        for k in range(4):
            x, y = LEFT + (3 * thread + k) * piece, 15 + 4.6 * thread
            canvas.box(x + 0.2, y, piece - 0.4, 3, f"load {k + 1}", colour, 0.12)
    canvas.text(LEFT + 4 * piece + 1.2, 16.5, "thread 0", align="left")
    canvas.text(LEFT + 3 * piece - 1.2, 21.1, "thread 1", align="right")
    canvas.text(36, 25.8, "Each thread has 64 bytes in 16 registers, and shifts them by 5.")
