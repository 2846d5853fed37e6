"""The drawings of chapter 00: the machine, the numbers of threads, a grid on multiprocessors, a launch, the memories."""

from tools.maintain import tables

DATA = tables.figures("nvidia-h200", "00_threads", "memory")


def machine(canvas):
    """On the left the CPU, called the host, with its memory; on the right the GPU, called the device, with its own. The
    CPU launches kernels on the GPU. Each reads and writes its own memory. A copy leads from one memory to the other."""
    canvas.height(27)
    for x, name, colour in (2, "CPU, the host", "blue"), (42, "GPU, the device", "orange"):
        canvas.box(x, 1, 28, 25, colour=colour)
        canvas.text(x + 14, 3, name, bold=True)
        canvas.arrow((x + 12, 12.5), (x + 12, 18.5), both=True)
        canvas.text(x + 13.5, 15.5, "read, write", align="left")
        canvas.box(x + 2, 18.5, 24, 5.5, "host memory" if x == 2 else "device memory", colour, 0.15)
    canvas.box(4, 5, 24, 7.5, "main.py, threads.cpp,\nthe launchers", "blue", 0.15)
    for k in range(6):
        canvas.box(44 + 4.1 * k, 7.5, 3.5, 5, colour="orange", fill=0.15)
    canvas.text(56, 5.7, "multiprocessors run kernels")
    canvas.arrow((28, 10), (44, 10))
    canvas.text(36, 8.3, "launch")
    canvas.arrow((28, 21.25), (44, 21.25), both=True)
    canvas.text(36, 19.5, "copy")


def numbers(canvas):
    """Three blocks of four threads above an array of ten elements. Thread 1 of block 2 has the number 2 * 4 + 1 = 9 and writes
    element 9. Threads 10 and 11 have no element below them."""
    canvas.height(25)
    cell, left, top = 4, 15, 5.5
    canvas.text(left - 1, top + 2, "threadIdx.x", align="right", code=True)
    canvas.text(left - 1, 19, "out", align="right", code=True)
    for block in range(3):
        x = left + 4.6 * cell * block
        mine = block == 2
        canvas.text(x + 2 * cell, 2, f"blockIdx.x = {block}", code=True)
        colours = ["blue", "green", "orange", "orange"] if mine else ["blue"] * 4
        canvas.cells(x, top, cell, "0123", colours)
        for thread in range(4):
            i = 4 * block + thread
            middle = x + (thread + 0.5) * cell
            colour = colours[thread]
            if i < 10:
                canvas.arrow((middle, top + cell), (middle, 17), colour)
                canvas.box(x + thread * cell, 17, cell, cell, str(i), colour, 0.25)
            else:
                canvas.arrow((middle, top + cell), (middle, 17), colour, dashed=True)
                canvas.box(x + thread * cell, 17, cell, cell, str(i), colour, dashed=True)
    x = left + 9.2 * cell
    canvas.text(x + 2 * cell - 0.4, 23, "2 * 4 + 1 = 9", "green", align="right", code=True)
    canvas.text(x + 2 * cell + 0.4, 23, "no element", "orange", align="left")


def grid(canvas):
    """Above, a grid of six blocks, numbered 0 to 5. Below on the left, two multiprocessors with room for two blocks each: they
    run blocks 0 to 3, and blocks 4 and 5 wait. On the right, a close-up of block 2: 64 threads, in two warps of 32 lanes."""
    canvas.height(33)
    canvas.text(1, 3, "grid of 6 blocks", align="left")
    colours = ["blue", "blue", "orange", "blue", "grey", "grey"]
    canvas.cells(18, 1, 4, "012345", colours)
    for k, (first, second) in enumerate([(0, 2), (1, 3)]):
        y = 9 + 9 * k
        canvas.box(1, y, 27, 7.5)
        canvas.text(2, y + 3.75, f"multiprocessor {k}:\nroom for 2 blocks", align="left")
        canvas.cells(19, y + 1.75, 4, [str(first), str(second)], [colours[first], colours[second]])
    canvas.text(1, 29.5, "waiting for room", align="left")
    canvas.cells(19, 27.5, 4, "45", colours[4:])
    canvas.line((27, 12.75), (33, 9), colour="orange", dashed=True)
    canvas.box(33, 7.5, 38, 24.5, colour="orange")
    canvas.text(52, 9.75, "block 2 (orange): 64 threads", bold=True)
    for warp in range(2):
        y = 13.5 + 9 * warp
        canvas.text(34.5, y + 2, f"warp {warp}, lane", align="left")
        canvas.cells(48, y, 4, ["0", "1"], ["orange"] * 2)
        canvas.text(58.5, y + 2, "...")
        canvas.cells(61, y, 4, ["30", "31"], ["orange"] * 2)
        canvas.text(34.5, y + 5.7, "threadIdx.x", align="left", code=True)
        for x, lane in (50, 0), (54, 1), (63, 30), (67, 31):
            canvas.text(x, y + 5.7, str(32 * warp + lane))


def launch(canvas):
    """Time runs to the right. The host launches a kernel and goes on with other work. The device begins the kernel a little
    later. The host then calls synchronize, and waits until the kernel has ended."""
    canvas.height(19)
    canvas.text(1, 4, "host", align="left")
    canvas.text(1, 12, "device", align="left")
    canvas.box(9, 1.5, 8, 5, "launch", "blue", 0.3)
    canvas.box(17, 1.5, 15, 5, "other work", "blue", 0.1)
    canvas.box(32, 1.5, 32, 5, "synchronize: waits", "grey", 0.1)
    canvas.box(21, 9.5, 41, 5, "kernel", "orange", 0.3)
    canvas.arrow((15, 6.5), (21, 9.5))
    canvas.arrow((62, 9.5), (64, 6.5))
    canvas.line((17, 1), (17, 16), colour="grey", dashed=True)
    canvas.text(18, 16.7, "the launch has returned", align="left")
    canvas.arrow((55, 16.7), (70, 16.7), colour="grey")
    canvas.text(53.5, 16.7, "time", align="right")


def memories(canvas):
    """The memories of a GPU from the fastest to the slowest: in each multiprocessor registers, shared memory and the L1 cache;
    for all multiprocessors the L2 cache and the device memory. To the right, how large each is and how long a load takes."""
    measured = {row["level"]: row for of in DATA.values() for row in of["tables"]["memory"]}
    canvas.height(34)
    if measured:
        canvas.text(57, 2, "size", bold=True)
        canvas.text(67, 2, "latency", bold=True)

    def level(y, name, colour, key=None, left=1, width=50):
        canvas.box(left, y, width, 4.5, name, colour, 0.15)
        row = measured.get(key)
        if row:
            canvas.text(59.5, y + 2.25, tables.size(row["size"]) if "size" in row else "", align="right")
            canvas.text(70.5, y + 2.25, f"{row['latency'] * 1e9:.3g} ns", align="right")

    canvas.box(1, 3.5, 50, 17.5, colour="text")
    level(4.5, "registers of each thread", "blue", left=2, width=48)
    level(10, "shared memory", "blue", "shared memory", left=2, width=48)
    level(15.5, "L1 cache", "blue", "L1 cache", left=2, width=48)
    canvas.text(26, 2, "in each multiprocessor", bold=True)
    level(23, "L2 cache, for all multiprocessors", "green", "L2 cache")
    level(28.5, "device memory", "orange", "memory")
