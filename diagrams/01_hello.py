def source_to_import(canvas):
    """Four steps from source to import. 1: load_inline() writes the C++ text, with a binding at its end, to main.cpp,
    and the CUDA text to cuda.cu. 2: g++ compiles main.cpp to the object file main.o, and nvcc compiles cuda.cu to
    cuda.cuda.o. 3: the linker puts both into the shared library hello.so. 4: Python imports hello.so as the module hello."""
    canvas.height(52)
    left, right, wide, high = 24, 49, 22, 5  # two lanes of boxes: C++ for the CPU, and CUDA
    tops = [3.5, 14.5, 25.5, 36.5, 46]
    canvas.text(left + wide / 2, 1.5, "C++", "blue", bold=True)
    canvas.text(right + wide / 2, 1.5, "CUDA", "orange", bold=True)
    texts = [("hello.cpp", "hello.cu"), ("main.cpp", "cuda.cu"), ("main.o", "cuda.cuda.o")]
    for top, (cpp, cuda) in zip(tops, texts, strict=False):
        canvas.box(left, top, wide, high, cpp, "blue", 0.15, code=True)
        canvas.box(right, top, wide, high, cuda, "orange", 0.15, code=True)
    for top, below in zip(tops[:2], tops[1:3], strict=True):
        for lane in left, right:
            canvas.arrow((lane + 4, top + high), (lane + 4, below))
    canvas.text(left + 6, 11.5, "adds the binding", align="left")
    canvas.text(left + 6, 22.5, "g++", align="left", code=True)
    canvas.text(right + 6, 22.5, "nvcc", align="left", code=True)
    centre = (left + right + wide) / 2
    for lane, end in (left, centre - 6), (right, centre + 6):
        canvas.arrow((lane + wide / 2, tops[2] + high), (end, tops[3]))
    canvas.box(centre - 12, tops[3], 24, high, "hello.so", "green", 0.15, code=True)
    canvas.arrow((centre, tops[3] + high), (centre, tops[4]))
    canvas.box(centre - 12, tops[4], 24, high, "module hello", "green", 0.15, code=True)
    steps = [(11.5, "1", "load_inline()\nwrites files"), (22.5, "2", "two compilers\nmake object files")]
    steps += [(33.5, "3", "the linker makes\na shared library"), (43.8, "4", "Python imports\nthe library")]
    canvas.text(4, 6, "your strings", align="left")
    for y, number, text in steps:
        canvas.text(1, y, number, align="left", bold=True)
        canvas.text(4, y, text, align="left")
