def journey(canvas):
    """A package's way from source to import. 1: pip wheel starts g++ and nvcc on the sources in your folder, and packs
    the shared library my_kernel.so with Python files and METADATA into one file, the wheel. Here pip may say: No module
    named torch. 2: pip install copies what is in the wheel to the folder site-packages. 3: import loads my_kernel.so
    into your program, where it calls torch's shared libraries. Here Python may say: libc10.so not found, or undefined
    symbol."""
    canvas.height(49)
    left, right, wide, high, upper, lower = 1, 46, 25, 18, 4, 30

    def place(x, y, title, lines, colour):
        canvas.text(x + wide / 2, y - 2, title, colour, bold=True)
        canvas.box(x, y, wide, high, "", colour, 0.12)
        for k, (indent, line) in enumerate(lines):
            canvas.text(x + 2 + indent, y + 3 + 3 * k, line, align="left", code=True)

    sources = ["pyproject.toml", "setup.py", "package.cpp", "package_kernel.cu", "src/.../__init__.py"]
    package = [(0, "my_cuda_extension/"), (2, "__init__.py"), (2, "my_kernel.so")]
    place(left, upper, "your folder", [(0, file) for file in sources], "blue")
    place(right, upper, "wheel: one file", [*package, (0, "METADATA")], "green")
    place(right, lower, "site-packages", [*package, (0, "torch/"), (2, "lib/libc10.so")], "green")
    place(left, lower, "your program", [], "pink")
    canvas.box(left + 5, lower + 1.5, 15, 4.5, "my_kernel.so", "text", code=True)
    canvas.arrow((left + 8, lower + 6), (left + 8, lower + 12))
    canvas.text(left + 10, lower + 9, "calls", align="left")
    canvas.box(left + 5, lower + 12, 15, 4.5, "libc10.so", "text", code=True)

    middle = (left + wide + right) / 2
    canvas.text(middle, upper + 3, "1 pip wheel", bold=True)
    canvas.arrow((left + wide, upper + 5.5), (right, upper + 5.5))
    canvas.text(middle, upper + 9, "g++ and nvcc\ncompile")
    canvas.text(middle, upper + 15, "No module\nnamed 'torch'", "orange")
    canvas.text(right + 10, upper + high + 2.8, "2 pip install", align="right", bold=True)
    canvas.arrow((right + wide / 2, upper + high), (right + wide / 2, lower - 3.8))
    canvas.text(middle, lower + 3, "3 import", bold=True)
    canvas.arrow((right, lower + 5.5), (left + wide, lower + 5.5))
    canvas.text(middle, lower + 9, "Python loads\nthe .so")
    canvas.text(middle, lower + 15, "libc10.so ...\nundefined symbol", "orange")
