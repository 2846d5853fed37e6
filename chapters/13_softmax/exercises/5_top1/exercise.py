"""top1: the largest of each row and its place, as torch.max(x, 1) has them

From the kernel to the gradient: top1.cu, top1.cpp, gradient.py, in this order.
"""

import os

import torch

from common.exercises import Wrong, check, device, extension, launchers, module, orders, refuses, seen

MINUTES = 60
HINTS = [
    "Kernel: let a struct hold a value and an index, and write a function that returns the better of two: the larger value, "
    "else the smaller index. Reduction by threads, lanes and warps is then as in block_sum() of chapter 12.",
    "Thread t has the elements t, t + 64, t + 128 ... So of two equal values the smaller index may be in the lane with the "
    "larger number: compare the indices. A shuffle moves one number, so a pair takes two shuffles.",
    "NaN: isnan(a) and not isnan(b) means that a is better; both NaN is a tie. NaN == NaN is false.",
    'Binding: check_input(x, "x", {ScalarType::Float}); the other checks by STD_TORCH_CHECK; a DeviceGuard; '
    "torch::stable::new_empty(x, {rows}, ScalarType::Long) for the indices; then the launcher, as in softmax.cpp.",
    "Gradient: only the element at indices[r] has determined values[r], so it gets grad_values[r], and all others get 0: "
    "zeros of x's shape, and scatter(1, indices[:, None], grad_values[:, None]).",
]
FAILS = "? is not written"
WRONG = {
    "last_of_ties": ("expected index 1, got 2", {"top1.cu": [("index <", "index >")]}),
    "ties_by_lane": (
        "expected index 1, got 2",
        {
            "top1.cu": [
                (
                    "if (a.value == b.value || both) return a.index < b.index ? a : b;\n"
                    "    return a.value > b.value || isnan(a.value) ? a : b;",
                    "if (both) return a.index < b.index ? a : b;\n"
                    "    return a.value >= b.value || isnan(a.value) ? a : b;",
                )
            ]
        },
    ),
    "nan_dropped": (
        "nan",
        {
            "top1.cu": [
                (
                    "const bool both = isnan(a.value) && isnan(b.value);\n"
                    "    if (a.value == b.value || both) return a.index < b.index ? a : b;\n"
                    "    return a.value > b.value || isnan(a.value) ? a : b;",
                    "if (a.value == b.value) return a.index < b.index ? a : b;\n    return a.value > b.value ? a : b;",
                )
            ]
        },
    ),
    "one_thread": (
        "400 loads, each by one lane alone",
        {
            "top1.cu": [
                ("    const int t = int(threadIdx.x);\n", "    if (threadIdx.x > 0) return;\n"),
                ("for (int64_t i = t; i < n; i += threads)", "for (int64_t i = 0; i < n; i++)"),
                (
                    "    for (int distance = 16; distance > 0; distance /= 2) {\n"
                    "        const float value = __shfl_down_sync(~0u, top.value, distance);\n"
                    "        const int64_t index = __shfl_down_sync(~0u, top.index, distance);\n"
                    "        top = better(top, {value, index});\n"
                    "    }\n"
                    "    if (t % 32 == 0) tops[t / 32] = top;\n"
                    "    __syncthreads();\n"
                    "    if (t > 0) return;\n"
                    "    for (const Top of_warp : tops) top = better(top, of_warp);\n",
                    "",
                ),
            ]
        },
    ),
    "always_three": (
        "result 0 of a matrix of 5 rows is torch.float32 of shape [3]",
        {"gradient.py": [("return x.new_empty(x.shape[0])", "return x.new_empty(3)")]},
    ),
    "strides_forgotten": (
        "two columns of a matrix",
        {
            "top1.cpp": [
                (
                    'check_input(x, "x", {ScalarType::Float}',
                    'STD_TORCH_CHECK(x.scalar_type() == ScalarType::Float, "x must have dtype Float"',
                )
            ]
        },
    ),
    "indices_in_float": ("int64", {"gradient.py": [(", dtype=torch.int64", "")]}),
    "saved_beside": (
        "nothing by save_for_backward()",
        {
            "gradient.py": [
                ("ctx.save_for_backward(indices)", "ctx.indices = indices"),
                ("(indices,) = ctx.saved_tensors", "indices = ctx.indices"),
            ]
        },
    ),
    "detached": (
        "the second derivative is [[2.0, 2.0, 2.0]], expected [[2.0, 2.0, 20.0]]",
        {"gradient.py": [("grad_values[:, None])", "grad_values.detach()[:, None])")]},
    ),
    "gradient_to_all": (
        "expected the gradient",
        {
            "gradient.py": [
                (
                    "_, indices = output\n    ctx.save_for_backward(indices)\n    ctx.shape = x.shape",
                    "values, _ = output\n    ctx.save_for_backward(x, values)",
                ),
                (
                    "(indices,) = ctx.saved_tensors\n"
                    "    return grad_values.new_zeros(ctx.shape).scatter(1, indices[:, None], "
                    "grad_values[:, None])",
                    "x, values = ctx.saved_tensors\n    return grad_values[:, None] * (x == values[:, None])",
                ),
            ]
        },
    ),
}


def run(mine):
    kernel(launchers(mine / "top1.cu").launch_top1)
    os.environ["CHAPTERS_SANITIZE"] = ""  # the kernel is right: without the memory check the binding compiles faster
    extension(mine, ["top1.cpp", "top1.cu"], stable=True)
    top1 = torch.ops.exercise13.top1
    binding(top1)
    module(mine / "gradient.py")
    fake(top1)
    gradient(top1)
    check(lambda x: top1(x)[0], lambda x: by_torch(x)[0], few_values, (1, 2, 5, 70), gradients=True, name="gradient, n")


def few_values(n):
    return (torch.randint(-3, 0, (2, n), device=device).float(),)


def with_nan(n):
    (x,) = few_values(n)
    x[:, torch.randint(n, (2,))] = torch.nan
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
    x = few_values(200)
    for row in seen(lambda: top1(*x)):
        if (row.space, row.kind) == ("global", "load") and row.threads == row.requests:
            raise Wrong(
                f"top1.cu:{row.line}: {row.threads} loads, each by one lane alone: threads that could work at the same "
                "time have nothing to do"
            )


def binding(top1):
    matrix = torch.rand(3, 4, device=device)
    found, expected = top1(matrix), by_torch(matrix)
    for mine, torchs in zip(found, expected, strict=True):
        if mine.dtype != torchs.dtype or not torch.equal(mine, torchs):
            raise Wrong(f"top1 returns {mine}, {mine.dtype}, expected {torchs}, {torchs.dtype}")
    if [t.shape for t in top1(matrix[:0])] != [(0,), (0,)]:
        raise Wrong("top1 of no rows: expected no values and no indices")
    refuses(lambda: top1(matrix[:, :2]), RuntimeError, "contiguous", "two columns of a matrix")
    refuses(lambda: top1(matrix.double()), RuntimeError, "dtype", "float64")
    refuses(lambda: top1(matrix[0]), RuntimeError, "dimensions", "a vector")
    refuses(lambda: top1(matrix.new_empty(3, 0)), RuntimeError, "column", "a matrix of 3 rows and no column")
    print(f"{'right':8}binding: results, refused tensors")


def fake(top1):
    from torch._subclasses.fake_tensor import FakeTensorMode

    for rows in 3, 5:
        with FakeTensorMode():
            found = top1(torch.empty(rows, 4, device=device))
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
    values.backward(torch.tensor([10.0, 20.0], device=device))
    expected = [[0, 10, 0], [20, 0, 0]]
    if x.grad is None or x.grad.tolist() != expected:
        raise Wrong(
            f"x = {x.tolist()}, grad_values = [10, 20]: expected the gradient {expected}, got "
            f"{'none' if x.grad is None else x.grad.tolist()}"
        )
    if not saved:
        raise Wrong(
            "setup_context() saves nothing by save_for_backward(): whoever changes a tensor in place before backward() "
            "gets a wrong gradient, and no error"
        )
    x = torch.tensor([[1.0, 2.0, 3.0]], device=device, requires_grad=True)
    (first,) = torch.autograd.grad((top1(x)[0] ** 3).sum() + (x**2).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    if second.tolist() != (expected := [[2.0, 2.0, 20.0]]):
        raise Wrong(
            f"x = {x.tolist()}: of top1(x)[0]^3 + the sum of x^2, the second derivative is {second.tolist()}, expected "
            f"{expected}"
        )
