def source_to_import(canvas):
    """Four steps from source to import. 1: load_inline() writes build.ninja; the C++ text, with a binding at its end, to
    main.cpp; and the CUDA text to cuda.cu. 2: ninja runs two compilers: g++ compiles main.cpp to the object file main.o,
    and nvcc compiles cuda.cu to cuda.cuda.o. 3: ninja runs the linker, which puts both into the shared library hello.so.
    4: Python imports hello.so as the module hello. The loader connects it to torch's libraries."""
    canvas.height(53.5)
    left, right, wide, high = 24, 49, 22, 5  # two lanes of boxes: C++ for the CPU, and CUDA
    tops = [3.5, 14.5, 25.5, 36.5, 47.5]
    canvas.text(left + wide / 2, 1.5, "C++", "blue", bold=True)
    canvas.text(right + wide / 2, 1.5, "CUDA", "orange", bold=True)
    texts = [("hello.cpp", "hello.cu"), ("main.cpp", "cuda.cu"), ("main.o", "cuda.cuda.o")]
    for top, (cpp, cuda) in zip(tops, texts, strict=False):
        canvas.box(left, top, wide, high, cpp, "blue", 0.15, code=True)
        canvas.box(right, top, wide, high, cuda, "orange", 0.15, code=True)
    for top, below in zip(tops, tops[1:], strict=False):
        canvas.arrow((left + 4, top + high), (left + 4, below))
    for top, below in zip(tops[:2], tops[1:3], strict=True):
        canvas.arrow((right + 4, top + high), (right + 4, below))
    canvas.text(left + 6, 11.5, "adds the binding", align="left")
    canvas.text(left + 6, 22.5, "g++", align="left", code=True)
    canvas.text(right + 6, 22.5, "nvcc", align="left", code=True)
    canvas.arrow((right + 4, tops[2] + high), (left + wide - 4, tops[3]))
    canvas.box(left, tops[3], wide, high, "hello.so", "green", 0.15, code=True)
    canvas.box(left, tops[4], wide, high, "module hello", "green", 0.15, code=True)
    canvas.box(right + 3, 42, wide - 3, high, "torch's libraries")
    canvas.arrow((right + 3, 44.5), (left + 4.3, 44.5))
    canvas.text(left + 6, 43, "the loader", align="left")
    steps = [(11.5, "1", "load_inline() writes\nfiles and build.ninja"), (22.5, "2", "ninja runs\ntwo compilers")]
    steps += [(33.5, "3", "ninja runs\nthe linker"), (44.5, "4", "Python imports\nthe library")]
    canvas.text(4, 6, "your strings", align="left")
    for y, number, text in steps:
        canvas.text(1, y, number, align="left", bold=True)
        canvas.text(4, y, text, align="left")
