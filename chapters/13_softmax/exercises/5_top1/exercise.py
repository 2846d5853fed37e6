"""top1: find the largest of each row and its place, as torch.max(x, 1) does

Write an operator from the kernel to the gradient: the largest element of each row and its first index, as torch.max(x, 1).
Write top1.cu, top1.cpp (chapter 10) and gradient.py (chapter 09), in this order.
"""

import contextlib
import os
import re

import torch

from grader.checks import (
    WATCH,
    Wrong,
    check,
    device,
    extension,
    found_by_cuda,
    launchers,
    launches_rightly,
    many,
    module,
    orders,
    refuses,
    without_comments,
    work_is_divided,
)

MINUTES = 60
FAILS = "? was never written"


def run(mine):
    kernel(launchers(mine / "top1.cu").launch_top1)
    loops(mine / "top1.cu")
    os.environ["CHAPTERS_SANITIZE"] = ""  # the kernel is right: without the memory check the binding compiles faster
    extension(mine, ["top1.cpp", "top1.cu", WATCH], stable=True)
    top1 = torch.ops.exercise13.top1
    binding(top1)
    if device.type == "cpu":
        x = torch.rand(3, 4)
        launches_rightly(mine, lambda: top1(x), "top1", x)
    module(mine / "gradient.py")
    fake(top1)
    gradient(top1)
    check(top1, by_torch, few_values, (1, 2, 5, 70), gradients=True, name="gradient, n")


def few_values(n):
    return (torch.randint(-3, 0, (2, n), device=device).float(),)


def with_nan(n):
    (x,) = few_values(n)
    x[0, torch.randint(n, (2,))] = torch.nan
    x[1, torch.randint(n, (2,))] = -torch.nan  # another sign bit, also no number
    return (x,)


def zeros(n):
    return (torch.where(torch.rand(2, n, device=device) < 0.5, 0.0, -0.0),)


def with_inf(n):
    x = 1e38 * torch.randn(2, n, device=device)
    x[0, n // 2] = torch.inf
    return (x,)


def by_torch(x):
    return tuple(t.to(device) for t in torch.max(x.cpu(), 1))


def kernel(launch):
    def top1(x):
        values = torch.empty(x.shape[0], device=device)
        indices = torch.empty(x.shape[0], dtype=torch.int64, device=device)
        launch(values, indices, x, *x.shape)
        return values, indices

    check(
        top1,
        by_torch,
        lambda n: (torch.randperm(2 * n, device=device).float().view(2, n),),
        (1, 2, 33, 65, 300),
        name="n",
    )
    for places in [1, 2], [3, 66]:
        x = torch.zeros(1, 70, device=device)
        x[0, places] = 1
        for remark in orders():
            index = top1(x)[1].item()
            if index != places[0]:
                raise Wrong(
                    f"elements {places} of a row are the largest{remark}: expected index {places[0]}, got {index}"
                )
    check(top1, by_torch, few_values, (2, 5, 33, 65, 70, 200), name="ties, n")
    check(top1, by_torch, lambda n: (torch.full((1, n), -torch.inf, device=device),), (1, 100), name="all -infinity, n")
    check(top1, by_torch, with_nan, (1, 2, 33, 65, 70, 200), name="NaN, n")
    check(top1, by_torch, zeros, (2, 65), name="0 and -0, n")
    check(top1, by_torch, with_inf, (1, 65), name="large numbers, and +infinity, n")
    x = few_values(200)
    work_is_divided(lambda: top1(*x), 2 * 2 * 200, kind="load", least=2 * 200, warps=4)  # a row may be read twice
    x = torch.zeros(1, 2**24 + 2, device=device)
    x[0, -1] = 1
    if (found := top1(x)[1].item()) != x.numel() - 1:
        raise Wrong(f"a row of {x.numel()}, whose last element is the largest: expected {x.numel() - 1}, got {found}")
    rows, n = 2**22 + 1, 1024
    matrix = many(rows * n)
    if matrix is not None:
        matrix[-1] = 1
        values, indices = torch.zeros(rows), torch.zeros(rows, dtype=torch.int64)
        bits = "How many bits has the place where a row begins?"
        try:
            launch(values, indices, matrix, rows, n, threads=rows, only_last=True)
        except RuntimeError as error:
            raise Wrong(f"{rows} rows of {n}: {found_by_cuda(error)}\n{bits}") from None
        if (found := (values[-1].item(), indices[-1].item())) != (1, n - 1):
            raise Wrong(
                f"{rows} rows of {n}: of the last one expected 1 at {n - 1}, got {found[0]:g} at {found[1]}\n{bits}"
            )
        print(f"{'right':8}{rows} rows of {n}")


def loops(file):
    """A row with more than 2^31 elements takes too long for a run."""
    kind, text = r"\b(?:int|unsigned|unsigned int|u?int32_t) +", without_comments(file)
    loop = rf"{kind}(\w+) *=[^;]*;\s*(?:while *\( *)?\1\b[^;]*< *n\b"
    name = r"(\w*(?:ind|idx|arg|pos|place|where|col)\w*|[ijk])\b"
    index = rf"struct \w+ *{{[^}}]*?{kind}{name}|{kind}{name} *= *__shfl|__shared__ +{kind}{name}"
    for pattern, why in (loop, "an n above 2^32 is never reached"), (index, "is that enough for an index?"):
        if found := re.search(pattern, text):
            line = text.count("\n", 0, found.start(found.lastindex)) + 1
            raise Wrong(f"{file.name}:{line}: {found[found.lastindex]} has 32 bits, and n has 64: {why}")


def binding(top1):
    matrix = torch.rand(3, 4, device=device)
    found, expected = top1(matrix), by_torch(matrix)
    top1(-matrix)
    for mine, torchs in zip(found, expected, strict=True):
        if mine.dtype != torchs.dtype or not torch.equal(mine, torchs):
            raise Wrong(
                f"top1 returns {mine}, {mine.dtype} (then came another call), expected {torchs}, {torchs.dtype}"
            )
    if [t.shape for t in top1(matrix[:0])] != [(0,), (0,)]:
        raise Wrong("top1 of no rows: expected no values and no indices")
    refuses(lambda: top1(matrix[:, :2]), RuntimeError, "contiguous", "two columns of a matrix")
    for other in matrix.double(), matrix.half(), matrix.int():
        refuses(lambda x=other: top1(x), RuntimeError, "dtype", str(other.dtype).removeprefix("torch."))
    refuses(lambda: top1(matrix[0]), RuntimeError, "dimensions", "a vector")
    refuses(lambda: top1(matrix[None]), RuntimeError, "dimensions", "a batch of matrices")
    refuses(lambda: top1(matrix.new_empty(3, 0)), RuntimeError, "column", "a matrix of 3 rows and no column")
    print(f"{'right':8}binding: results, refused tensors")


def fake(top1):
    from torch._subclasses.fake_tensor import FakeTensorMode

    for rows, where in (3, "cuda"), (5, "cpu"):
        with FakeTensorMode():
            found = top1(torch.empty(rows, 4, device=where))
        if elsewhere := [mine.device for mine in found if mine.device.type != where]:
            raise Wrong(f"fake() makes results on {elsewhere[0]} of a matrix on {where}")
        if not all(mine.is_contiguous() for mine in found):
            raise Wrong(
                f"fake() makes results with strides {[mine.stride() for mine in found]}, and top1 contiguous ones"
            )
        for i, (mine, dtype) in enumerate(zip(found, (torch.float32, torch.int64), strict=True)):
            if mine.shape != (rows,) or mine.dtype != dtype:
                raise Wrong(
                    f"fake() says that result {i} of a matrix of {rows} rows is {mine.dtype} of shape "
                    f"{list(mine.shape)}; it is {dtype} of shape [{rows}]"
                )
    print(f"{'right':8}fake()")


def gradient(top1):
    x = torch.tensor([[1.0, 2.0, 2.0], [3.0, 0.0, 0.0]], device=device, requires_grad=True)
    saved = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: saved.append(t) or t, lambda t: t):
        values, _ = top1(x)
    values.backward(torch.tensor([10.0, torch.inf], device=device))
    expected = [[0, 10, 0], [torch.inf, 0, 0]]
    if x.grad is None or x.grad.tolist() != expected:
        raise Wrong(
            f"x = {x.tolist()}, grad_values = [10, inf]: expected the gradient {expected}, got "
            f"{'none' if x.grad is None else x.grad.tolist()}"
        )
    if not saved:
        raise Wrong(
            "setup_context() saves nothing by save_for_backward(): whoever changes a tensor in place before backward() "
            "gets a wrong gradient, and no error"
        )
    for place, changed in enumerate(("x", "indices")):
        x = torch.tensor([[1.0, 3.0, 2.0]], device=device, requires_grad=True)
        values, indices = top1(x)
        top1(-x)
        (x.detach(), indices)[place].zero_()
        with contextlib.suppress(RuntimeError):  # autograd has noticed it
            values.backward()
            if x.grad.tolist() != [[0, 1, 0]]:
                raise Wrong(
                    f"after another call, and {changed}.zero_(), backward() gives the gradient {x.grad.tolist()}, expected "
                    "[[0, 1, 0]] or an error: what does ctx keep beside save_for_backward()?"
                )
    x = torch.tensor([[1.0, 2.0, 3.0]], device=device, requires_grad=True)
    (first,) = torch.autograd.grad((top1(x)[0] ** 3).sum() + (x**2).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    if second.tolist() != (expected := [[2.0, 2.0, 20.0]]):
        raise Wrong(
            f"x = {x.tolist()}: of top1(x)[0]^3 + the sum of x^2, the second derivative is {second.tolist()}, expected "
            f"{expected}"
        )
