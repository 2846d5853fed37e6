"""Chapter 09: the path of a call through the dispatcher, and what torch.compile makes of two kinds of functions."""


def path(canvas):
    """A call of torch.ops.chapter09.bias_gelu goes down a list of the dispatcher's keys, to the function under each. Autocast,
    in an autocast region only: one dtype for both; from library.py. Autograd: make the node of the graph, if a gradient is
    wanted; from library.py. ADInplaceOrView: refuse forward mode, count versions; from bias_gelu.cpp. Then one of two, both
    from bias_gelu.cpp. CUDA, for x on a GPU: launch the kernel. Meta, for x without memory: give the shape."""
    canvas.height(50)
    canvas.box(9, 1, 41, 5, "torch.ops.chapter09.bias_gelu(x, bias)", "blue", 0.15, code=True)
    canvas.text(60.5, 3.5, "added by", "grey", bold=True)
    steps = [
        ("Autocast", "in an autocast region: one dtype for both", "library.py"),
        ("Autograd", "makes the node, if a gradient is wanted", "library.py"),
        ("ADInplaceOrView", "refuses forward mode, counts versions", "bias_gelu.cpp"),
    ]
    y = 6
    for key, does, file in steps:
        canvas.arrow((29.5, y), (29.5, y + 3.5))
        canvas.box(9, y + 3.5, 41, 7, "", "orange", 0.12)
        canvas.text(29.5, y + 5.5, key, code=True, bold=True)
        canvas.text(29.5, y + 8.5, does)
        canvas.text(60.5, y + 7, file, "grey", code=True)
        y += 10.5
    for x, key, does, when in (
        (1, "CUDA", "launches the kernel", "x on a GPU"),
        (
            31,
            "Meta",
            "gives the shape",
            "x without memory",
        ),
    ):
        canvas.arrow((x + 13, y), (x + 13, y + 5))
        canvas.text(x + 14, y + 2.2, when, align="left")
        canvas.box(x, y + 5, 26, 7, "", "green", 0.15)
        canvas.text(x + 13, y + 7, key, code=True, bold=True)
        canvas.text(x + 13, y + 10, does)
    canvas.text(64.5, y + 8.5, "bias_gelu.cpp", "grey", code=True)


def compiled(canvas):
    """A model with the operations linear, bias_gelu, times 2. If bias_gelu is a pybind11 function, torch.compile makes two
    graphs: one with linear, one with times 2. Between them Python calls the function. If bias_gelu is registered, all three
    are in one graph, and the Meta function tells the compiler the shape of the result."""
    canvas.height(33)
    canvas.text(1, 2, "a pybind11 function: the graph breaks", align="left", bold=True)
    canvas.box(1, 4.5, 17, 8, "", "blue")
    canvas.box(3.5, 6.25, 12, 4.5, "linear", "blue", 0.15, code=True)
    canvas.arrow((18, 8.5), (24, 8.5))
    canvas.box(24, 6.25, 24, 4.5, "module.bias_gelu", "orange", 0.15, dashed=True, code=True)
    canvas.arrow((48, 8.5), (54, 8.5))
    canvas.box(54, 4.5, 17, 8, "", "blue")
    canvas.box(56.5, 6.25, 12, 4.5, "2 *", "blue", 0.15, code=True)
    for x, text in (9.5, "graph 1"), (36, "Python calls it"), (62.5, "graph 2"):
        canvas.text(x, 14.5, text, "orange" if x == 36 else "blue")

    canvas.text(1, 19.5, "a registered operator: one graph", align="left", bold=True)
    canvas.box(1, 22, 70, 8, "", "blue")
    canvas.box(3.5, 23.75, 12, 4.5, "linear", "blue", 0.15, code=True)
    canvas.arrow((15.5, 26), (22, 26))
    canvas.box(22, 23.75, 28, 4.5, "chapter09.bias_gelu", "green", 0.15, code=True)
    canvas.arrow((50, 26), (56.5, 26))
    canvas.box(56.5, 23.75, 12, 4.5, "2 *", "blue", 0.15, code=True)
    canvas.text(36, 31.7, "Meta gives the shape of the result", "green")
