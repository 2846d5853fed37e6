"""The diagram of chapter 05: who links what."""

LEFT, MIDDLE, RIGHT, WIDE = 1, 21, 53, 17  # where the columns begin, and how wide a box is


def targets(canvas):
    """Arrows from each target to what it links. In the chapter, the Python module axpy_module, made from binding.cpp, and the
    C++ program axpy_main, made from main.cpp, link the library axpy, made from axpy.cu and axpy.cpp. The command
    cmake --install copies the library to where another project finds it, as axpy::axpy; the program consumer links that.
    The library, in both places, links torch and cuda. The Python module also links libtorch_python."""
    canvas.height(43.5)
    canvas.box(50.5, 0.6, 21, 30.4, colour="grey", fill=0.08)
    users = [(LEFT, "Python module", "axpy_module", "binding.cpp"), (MIDDLE, "C++ program", "axpy_main", "main.cpp")]
    for x, title, name, source in [*users, (RIGHT, "another project", "consumer", "consumer.cpp")]:
        canvas.text(x + WIDE / 2, 2.8, title, "blue", bold=True)
        _target(canvas, x, 4.5, 7.5, name, source, "blue")
    canvas.text(MIDDLE - 1, 24.5, "library", "green", "right", bold=True)
    _target(canvas, MIDDLE, 19, 10.5, "axpy", "axpy.cu\naxpy.cpp", "green")
    _target(canvas, RIGHT, 19, 10.5, "axpy::axpy", "libaxpy.so\naxpy.h", "green", dashed=True)
    canvas.arrow((MIDDLE + WIDE, 25), (RIGHT, 25), "grey")
    canvas.text(39.2, 21.6, "cmake\n--install", "grey", "left", code=True)
    canvas.box(LEFT, 37.5, WIDE, 5, "libtorch_python", "grey", 0.1, dashed=True, code=True)
    canvas.box(MIDDLE, 37.5, RIGHT + WIDE - MIDDLE, 5, "torch, cuda", "grey", 0.1, dashed=True, code=True)
    canvas.arrow((5, 12), (5, 37.5))
    canvas.arrow((13, 12), (MIDDLE, 20.5))
    for x in MIDDLE + WIDE / 2, RIGHT + WIDE / 2:
        for top, bottom in (12, 19), (29.5, 37.5):
            canvas.arrow((x, top), (x, bottom))
            canvas.text(x + 1.5, (top + bottom) / 2 + (top > 20) * 0.8, "links", align="left")


def _target(canvas, x, y, high, name, sources, colour, dashed=False):
    canvas.box(x, y, WIDE, high, "", colour, 0.15, dashed)
    canvas.text(x + WIDE / 2, y + 2.2, name, code=True, bold=True)
    canvas.text(x + WIDE / 2, y + high / 2 + 1.4, sources, code=True)
