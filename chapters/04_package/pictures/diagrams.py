def journey(canvas):
    """A package's way from source to import. 1: pip wheel starts g++ and nvcc on the sources in your folder, and
    setuptools packs the shared library my_kernel.so with Python files and METADATA into one file, the wheel. Here pip may
    say: No module named torch. 2: pip install copies what is in the wheel to the folder site-packages. Here pip may say: not a
    supported wheel. 3: import loads my_kernel.so into your program, where it calls torch's shared libraries. Here Python
    may say: libc10.so not found, or undefined symbol."""
    canvas.height(51)
    left, right, wide, high, upper, lower = 1, 46, 25, 18, 4, 32

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
    canvas.text(right + 6.5, upper + high + 3.2, "2 pip install", align="right", bold=True)
    canvas.text(right + 9.5, upper + high + 3.2, "not a supported\nwheel", "orange", align="left")
    canvas.arrow((right + 8, upper + high), (right + 8, lower - 4))
    canvas.text(middle, lower + 3, "3 import", bold=True)
    canvas.arrow((right, lower + 5.5), (left + wide, lower + 5.5))
    canvas.text(middle, lower + 8, "loads the .so")
    canvas.text(middle, lower + 11.7, "libc10.so: cannot\nopen ...", "orange")
    canvas.text(middle, lower + 14.7, "or")
    canvas.text(middle, lower + 17, "undefined symbol", "orange")
