"""The diagrams of chapter 03: four files, two streams, and six ways to time a kernel."""


def quartet(canvas):
    """A call of add2(a, b) passes through four files, from left to right. main.py, in Python, builds, checks and times the
    operator. add2.cpp takes tensors, checks them, and returns a tensor. add2.cu gets pointers, a size and a stream: it holds
    the launcher, which runs on the host, and the kernel, which runs on the GPU. add2.h declares the launcher, so that
    add2.cpp can call it."""
    canvas.height(22)
    wide, high, top = 18.5, 9, 3
    files = [
        (0.5, "main.py", "Python\nbuild, check, time", "pink"),
        (26.7, "add2.cpp", "check the tensors,\nallocate the result", "blue"),
        (52.9, "add2.cu", "launcher (host)\nkernel (GPU)", "green"),
    ]
    for x, name, job, colour in files:
        canvas.box(x, top, wide, high, "", colour, 0.15)
        canvas.text(x + wide / 2, top + 2.2, name, code=True, bold=True)
        canvas.text(x + wide / 2, top + 6, job)
    for x, what in (19, "tensors"), (45.2, "pointers"):
        canvas.arrow((x, top + 4.5), (x + 7.7, top + 4.5))
        canvas.text(x + 3.8, top - 1.6, what)
    canvas.box(40, 16.5, wide, 4.5, "", "grey", 0.1)
    canvas.text(40 + wide / 2, 18.75, "add2.h", code=True, bold=True)
    canvas.text(39, 18.75, "declares the launcher for both", align="right")
    canvas.line((42.5, 12), (42.5, 16.5), colour="grey")
    canvas.line((56.5, 12), (56.5, 16.5), colour="grey")


def streams(canvas):
    """Two timelines of the same program: it makes a and b on a side stream, adds them, and uses c. Above, add2 is launched
    on the current stream, which is the side stream: it runs after a and b are made, and before c is used. Below, add2 is
    launched on the default stream: it runs at once, while a and b are still being made, and reads what was there before, so c
    is wrong."""
    canvas.height(41.5)
    for top, title, ours in (1, "right: add2 on the current stream", 1), (22, "wrong: add2 on the default stream", 2):
        canvas.text(1, top + 1.2, title, "green" if ours == 1 else "orange", "left", bold=True)
        for lane, name in enumerate(("host", "side stream\n(current)", "default stream")):
            y = top + 3.6 + 5.2 * lane
            canvas.text(1, y + 2, name, align="left")
            canvas.line((17, y + 4), (71, y + 4), colour="grey")
        host, side, default = (top + 3.6 + 5.2 * lane for lane in range(3))
        for k in range(3):
            canvas.box(18 + 4 * k, host, 3.4, 4, "123"[k], "blue", 0.2)
        canvas.box(21.6, side, 21.4, 4, "1  make a and b", "text", 0.1)
        if ours == 1:
            canvas.box(43.6, side, 12, 4, "2  add2", "green", 0.25)
            canvas.box(56.2, side, 12, 4, "3  use c", "text", 0.1)
        else:
            canvas.box(43.6, side, 12, 4, "3  use c", "orange", 0.3)
            canvas.text(57, side + 2, "c is wrong", "orange", "left")
            canvas.box(25, default, 12, 4, "2  add2", "orange", 0.3)
            canvas.text(39, default + 2, "a and b are not ready", "orange", "left")
    canvas.text(60, 2.2, "time", "grey", "right")
    canvas.arrow((61, 2.2), (71, 2.2), "grey")


HOST, GPU, CLOCK = "blue", "green", "orange"


def timeline(canvas):
    """Six timelines of host and GPU, one for each way to time a kernel, and the span that the clock measures. First call:
    the call, which loads the kernel, the kernel and the wait. No synchronize: the calls only, the kernels end later. One run:
    one call, its kernel and the wait. Synchronize once: from the first call to the end of the last kernel. Events around 100
    calls: kernels one after another, without the host. Events, cold L2: before each call the host has the L2 cache
    overwritten, and the clock measures each kernel with its launch."""
    canvas.height(60)
    rows = [
        ("first call", [(0, 20, "call: load kernel"), (20, 8, "wait")], [(21.5, 5, "")], [(0, 28)]),
        ("no synchronize", *_calls(), [(0, 25)]),
        ("one run", [(0, 5, "call"), (5, 8, "wait")], [(6.5, 5, "")], [(0, 13)]),
        ("synchronize once,\n100 calls", *_calls((25, 8, "wait")), [(0, 33)]),
        ("events around\n100 calls", *_queued()),
        ("events, cold L2\n(bench)", *_cold()),
    ]
    _legend(canvas)
    for k, (name, host, gpu, spans) in enumerate(rows):
        _row(canvas, 5 + 9 * k, name, host, gpu, spans, events=k > 3)


def _calls(*then):
    """Calls that follow one another; the kernel of each runs while the host makes the next call. then: what follows."""
    return [*((5 * k, 5, "call") for k in range(5)), *then], [(6.5 + 5.2 * k, 4, "") for k in range(5)]


def _queued():
    host = [(5 * k, 5, "call") for k in range(5)]
    return host, [(0, 26, "a kernel that waits"), *((26 + 4 * k, 4, "") for k in range(5))], [(26, 46)]


def _cold():
    host = [part for k in range(2) for part in ((14 * k, 9, "overwrite"), (14 * k + 9, 5, "call"))]
    gpu = [part for k in range(2) for part in ((3 + 21.5 * k, 13, "overwrite L2"), (18 + 21.5 * k, 6, ""))]
    return host, gpu, [(16, 24), (37.5, 45.5)]


def _legend(canvas):
    canvas.box(1, 1, 3, 2, "", HOST, 0.2)
    canvas.text(5, 2, "work of the host", align="left")
    canvas.box(22, 1, 3, 2, "", GPU, 0.5)
    canvas.text(26, 2, "the kernel", align="left")
    canvas.arrow((38, 2), (44, 2), CLOCK, both=True)
    canvas.text(45, 2, "what the clock measures", align="left")


def _row(canvas, top, name, host, gpu, spans, events):
    """One way to time. The parts of host and GPU are (start, width, text), the spans (start, end), to the right of x."""
    x, upper, lower = 24, top + 2.4, top + 5
    canvas.text(0.5, upper + 2.4, name, align="left")
    canvas.text(x - 1, upper + 1.1, "host", "grey", "right")
    canvas.text(x - 1, lower + 1.2, "GPU", "grey", "right")
    for start, width, text in host:
        canvas.box(x + start, upper, width, 2.3, text, HOST, 0 if text == "wait" else 0.2, dashed=text == "wait")
    for start, width, text in gpu:
        canvas.box(x + start, lower, width, 2.3, text, "grey" if text else GPU, 0.15 if text else 0.5)
    for start, end in spans:
        y = lower + 3.5 if events else upper - 1.3  # beside the one whose clock it is
        far = lower if events else upper + 2.3
        for edge in start, end:
            canvas.line((x + edge, y + (0.8 if events else -0.8)), (x + edge, far), colour=CLOCK)
        canvas.arrow((x + start, y), (x + end, y), CLOCK, both=True)
