"""The diagram of chapter 05: who links what."""

LEFT, MIDDLE, RIGHT, WIDE = 1, 21, 53, 17.4  # where the columns begin, and how wide a box is


def targets(canvas):
    """Arrows from each target to what it links. In this project, the Python module axpy_module, made from binding.cpp, and the
    C++ program axpy_main, made from main.cpp, link the library axpy, made from axpy.cu and axpy.cpp. A
    dashed arrow, the command cmake --install, copies the library to a folder where another project finds it, as axpy::axpy.
    There the program consumer, made from consumer.cpp, links it. The library, in both places, links torch and cuda. The
    Python module also links libtorch_python."""
    canvas.height(49.5)
    canvas.text((LEFT + MIDDLE + WIDE) / 2, 2, "this project", bold=True)
    canvas.text(RIGHT + WIDE / 2, 2, "another project", bold=True)
    canvas.line((50.5, 0.6), (50.5, 39.5), colour="grey")
    users = [(LEFT, "Python module", "axpy_module", "binding.cpp"), (MIDDLE, "C++ program", "axpy_main", "main.cpp")]
    for x, title, name, source in [*users, (RIGHT, "C++ program", "consumer", "consumer.cpp")]:
        canvas.text(x + WIDE / 2, 6.2, title, "blue")
        _target(canvas, x, 8, 7.5, name, source, "blue")
    canvas.text(MIDDLE - 1, 30.6, "library", "green", "right")
    _target(canvas, MIDDLE, 22.5, 12.5, "axpy", "axpy.cu\naxpy.cpp", "green")
    _target(canvas, RIGHT, 22.5, 12.5, "axpy::axpy", "libaxpy.so\naxpy.h", "green", dashed=True)
    canvas.arrow((MIDDLE + WIDE, 30), (RIGHT, 30), "orange", dashed=True)
    canvas.text(39.4, 26.6, "cmake\n--install", "orange", "left", code=True)
    canvas.box(LEFT, 43.5, WIDE, 5, "libtorch_python", "grey", 0.1, dashed=True, code=True)
    canvas.box(MIDDLE, 43.5, RIGHT + WIDE - MIDDLE, 5, "torch, cuda", "grey", 0.1, dashed=True, code=True)
    canvas.arrow((3.5, 15.5), (3.5, 43.5))
    canvas.text(4.7, 39.6, "links", align="left")
    canvas.arrow((11, 15.5), (MIDDLE, 25))
    canvas.text(16.6, 18.2, "links", align="left")
    for x in MIDDLE + WIDE / 2, RIGHT + WIDE / 2:
        for top, bottom in (15.5, 22.5), (35, 43.5):
            canvas.arrow((x, top), (x, bottom))
            canvas.text(x + 1.5, (top + bottom) / 2, "links", align="left")


def _target(canvas, x, y, high, name, sources, colour, dashed=False):
    canvas.box(x, y, WIDE, high, "", colour, 0.15, dashed)
    canvas.text(x + WIDE / 2, y + 2.2, name, code=True, bold=True)
    canvas.text(x + WIDE / 2, y + high / 2 + 1.4, sources, code=True)
