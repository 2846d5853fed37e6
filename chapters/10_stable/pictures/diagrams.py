def ties(canvas):
    """What two libraries use. Left, chapter 04's, bound by pybind11: C++ functions of torch, such as
    c10::GradMode::is_enabled, which are those of torch 2.11 alone, and functions of Python, such as
    PyInstanceMethod_New, which are those of Python 3.12 alone. Right, this chapter's, by the stable ABI: C functions of
    torch, such as aoti_torch_get_sizes, which torch 2.11 and later have, and none of Python. Python calls the operator
    in torch, and torch calls the library."""
    canvas.height(48)
    wide, left, right = 33, 1, 38

    def library(x, title, file, colour):
        canvas.text(x + wide / 2, 2, title, colour, bold=True)
        canvas.box(x, 4.5, wide, 6, file, colour, 0.15, code=True)

    def functions(x, y, width, title, names, colour):
        canvas.box(x, y, width, 5 + 3 * len(names), "", colour, 0.08)
        canvas.text(x + 1.5, y + 2.5, title, align="left", bold=True)
        for k, name in enumerate(names):
            canvas.text(x + 1.5, y + 5.8 + 3 * k, name, align="left", code=True)

    library(left, "pybind11: chapter 04", "my_kernel.cpython-312-*.so", "orange")
    canvas.arrow((left + 4, 10.5), (left + 4, 15.5), "orange")
    canvas.text(left + 6, 13, "C++ functions", align="left")
    functions(
        left, 15.5, 29, "torch 2.11, no other", ["c10::GradMode::is_enabled", "c10::Error::Error", "..."], "orange"
    )
    canvas.arrow((left + wide - 1.5, 10.5), (left + wide - 1.5, 35.5), "orange")
    canvas.text(left + wide - 3, 32.5, "functions of Python", align="right")
    functions(left, 35.5, wide, "Python 3.12, no other", ["PyInstanceMethod_New", "..."], "orange")

    library(right, "stable ABI: chapter 10", "_C.abi3.so", "green")
    canvas.arrow((right + 4, 10.5), (right + 4, 15.5), "green")
    canvas.text(right + 6, 13, "C functions", align="left")
    canvas.arrow((right + 21, 15.5), (right + 21, 10.5))
    canvas.text(right + 23, 13, "calls it", align="left")
    functions(
        right, 15.5, wide, "torch 2.11 and later", ["aoti_torch_get_sizes", "torch_call_dispatcher", "..."], "green"
    )
    canvas.arrow((right + 4, 35.5), (right + 4, 29.5))
    canvas.text(right + 6, 32.5, "calls the operator", align="left")
    functions(right, 35.5, wide, "Python 3.10 and later", ["torch.ops.chapter10", ".bias_gelu(x, bias)"], "green")
