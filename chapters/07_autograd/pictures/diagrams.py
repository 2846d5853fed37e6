"""Chapter 07: the graph of one operator with what it saves, and the same function as two operators and as one."""


def graph(canvas):
    """Forward, from left to right: a kernel reads a and b and writes out; the rest of the model makes a loss of it. The
    node out.grad_fn saves a and b. Backward, from right to left: the rest of the graph hands the node grad, the gradient of
    out; the node's kernel reads grad and the saved a and b, and writes grad_a and grad_b."""
    canvas.height(43)
    canvas.text(1, 2, "forward", "blue", "left", bold=True)
    canvas.text(71, 2, "dashed: the rest of the model", "grey", "right")
    for y, name in (4.5, "a"), (10.5, "b"):
        canvas.box(1, y, 9, 4.5, name, "blue", 0.15, code=True)
        canvas.arrow((10, y + 2.25), (20, y + 2.25), "blue")
    canvas.box(20, 4, 24, 11.5, "kernel\nswiglu_forward", "blue")
    canvas.arrow((44, 9.75), (50, 9.75), "blue")
    canvas.box(50, 7.5, 7, 4.5, "out", "blue", 0.15, code=True)
    canvas.arrow((57, 9.75), (64, 9.75), "blue", dashed=True)
    canvas.box(64, 7.5, 7, 4.5, "loss", "blue", 0.15, code=True)

    canvas.box(17, 18, 30, 23.5, colour="grey")
    canvas.line((53.5, 12), (53.5, 20.25), colour="grey")
    canvas.arrow((53.5, 20.25), (47, 20.25), "grey")
    canvas.text(54.5, 16, "grad_fn", "grey", "left", code=True)
    canvas.text(19, 20.5, "node", "grey", "left", bold=True)
    canvas.text(19, 24.75, "saved", "green", "left", bold=True)
    canvas.box(27, 22.5, 7, 4.5, "a", "green", 0.25, code=True)
    canvas.box(36, 22.5, 7, 4.5, "b", "green", 0.25, code=True)
    for x in 30.5, 39.5:
        canvas.arrow((x, 27), (x, 30), "green")

    canvas.text(1, 27, "backward", "orange", "left", bold=True)
    canvas.box(20, 30, 24, 10, "kernel\nswiglu_backward", "orange")
    for y, name in (29.75, "grad_a"), (35.75, "grad_b"):
        canvas.box(1, y, 9, 4.5, name, "orange", 0.15, code=True)
        canvas.arrow((20, y + 2.25), (10, y + 2.25), "orange")
    canvas.box(50, 32.75, 7, 4.5, "grad", "orange", 0.15, code=True)
    canvas.arrow((50, 35), (44, 35), "orange")
    canvas.arrow((67.5, 35), (57, 35), "orange", dashed=True)
    canvas.line((67.5, 12), (67.5, 35), colour="orange", dashed=True)


def fused(canvas):
    """Above, torch's two operators: a kernel reads a and writes silu(a), a second one reads silu(a) and b and writes out;
    a, silu(a) and b are saved. Below, one operator: a kernel reads a and b and writes out, silu(a) stays in a register; a
    and b are saved."""
    canvas.height(36)
    canvas.text(1, 2, "torch: two kernels", align="left", bold=True)
    canvas.text(71, 2, "green: saved for backward", "green", "right")
    canvas.box(1, 5, 8, 4.5, "a", "green", 0.25, code=True)
    canvas.box(16, 5, 11, 4.5, "silu", code=True)
    canvas.box(34, 5, 10, 4.5, "silu(a)", "green", 0.25, code=True)
    canvas.box(51, 5, 6, 4.5, "*", code=True)
    canvas.box(63, 5, 8, 4.5, "out", "blue", 0.15, code=True)
    for start, end in (9, 16), (27, 34), (44, 51), (57, 63):
        canvas.arrow((start, 7.25), (end, 7.25))
    canvas.box(34, 12, 10, 4.5, "b", "green", 0.25, code=True)
    canvas.line((44, 14.25), (54, 14.25))
    canvas.arrow((54, 14.25), (54, 9.5))

    canvas.text(1, 21, "fused: one kernel", align="left", bold=True)
    canvas.box(1, 24, 8, 4.5, "a", "green", 0.25, code=True)
    canvas.box(1, 30, 8, 4.5, "b", "green", 0.25, code=True)
    canvas.box(16, 24, 41, 10.5, "silu(a) * b\nsilu(a) stays in a register")
    for y in 26.25, 32.25:
        canvas.arrow((9, y), (16, y))
    canvas.arrow((57, 29.25), (63, 29.25))
    canvas.box(63, 27, 8, 4.5, "out", "blue", 0.15, code=True)
