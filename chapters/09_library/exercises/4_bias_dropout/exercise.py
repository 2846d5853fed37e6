"""bias_dropout: fuse two operations, with a gradient, and register them

Write bias_dropout, fused and registered: its kernels, its functions for fake tensors and its gradient, without a second
derivative. The node saves no tensor, because the same seed drops the same elements in backward. You need chapters 03, 07 and
09.
"""

import numpy as np
import torch

from grader.checks import Wrong, check, device, last_element, launchers, many, module, orders, work_is_divided

MINUTES = 60
FAILS = "launch_bias_dropout() launches no kernel"
P, SEED, ROWS = 0.25, 7, 8
SIZES = (0, 1, 3, 33, 300)


def uniform(n, seed):
    """The first n numbers, as uniform() of bias_dropout.cu makes them."""
    with np.errstate(over="ignore"):
        z = np.uint64(seed % 2**64) + np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return (z >> np.uint64(40)).astype(np.float32) * np.float32(2**-24)


def kept(shape, p, seed):
    """The mask: bool, of that shape."""
    return torch.from_numpy(uniform(int(np.prod(shape)), seed) >= np.float32(p)).reshape(shape).to(device)


def reference(x, bias, p=P, seed=SEED):
    return torch.where(kept(x.shape, p, seed), (x + bias) / (1 - p), 0)


def inputs(n, rows=ROWS):
    """x, and the bias."""
    return torch.randint(-9, 9, (rows, n), device=device).float(), torch.randint(-9, 9, (n,), device=device).float()


def run(mine):
    launch = launchers(mine / "bias_dropout.cu")
    of_kernels(launch)
    of_a_long_row(launch)
    module(mine / "bias_dropout.py").register(launch, device.type)
    ops = torch.ops.exercise
    of_fake_tensors(ops)

    print("        torch.ops.exercise.bias_dropout, and its gradient")
    check(ops.bias_dropout, reference, lambda n: (*inputs(n), 0.5, n - 9), SIZES, gradients=True, name="columns")
    x, bias = (t.requires_grad_() for t in inputs(33))
    saved = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: saved.append(t) or t, lambda t: t):
        out = ops.bias_dropout(x, bias, P, SEED)
    if on_ctx := [name for name, value in vars(out.grad_fn).items() if isinstance(value, torch.Tensor)]:
        raise Wrong(f"the node keeps a tensor as ctx.{on_ctx[0]}, expected none: p and seed are enough")
    if saved:
        count = sum(t.untyped_storage().nbytes() for t in saved)
        raise Wrong(
            f"x of {ROWS} rows and 33 columns: the node saves {count} bytes, expected none: p and seed are enough"
        )
    ops.bias_dropout(x, bias, 0.5, 8)
    found, expected = (torch.autograd.grad(y.sum(), (x, bias)) for y in (out, reference(x, bias)))
    if not all(map(torch.allclose, found, expected)):
        raise Wrong(f"bias_dropout with p = {P}, then with p = 0.5: the gradient of the first result is wrong")
    try:
        torch.library.opcheck(
            ops.bias_dropout, (x, bias, P, SEED), test_utils=("test_schema", "test_aot_dispatch_dynamic")
        )
    except Exception as error:
        raise Wrong(f"torch.library.opcheck finds\n{error}") from None
    print("right   fake tensors, opcheck, nothing is saved")


def of_kernels(launch):
    def forward(x, bias, p=P, seed=SEED):
        out = torch.empty_like(x)
        launch.launch_bias_dropout(out, x, bias, len(x), x.shape[1], p, seed)
        return out

    def backward(grad, bias, p=P, seed=SEED):
        grad_x, grad_bias = torch.empty_like(grad), torch.empty_like(bias)
        launch.launch_bias_dropout_backward(grad_x, grad_bias, grad, len(grad), grad.shape[1], p, seed)
        return grad_x, grad_bias

    def backward_reference(grad, bias, p=P, seed=SEED):
        grad_x = torch.where(kept(grad.shape, p, seed), grad / (1 - p), 0)
        return grad_x, grad_x.sum(0)

    print(f"        launch_bias_dropout, {ROWS} rows, p = {P}, seed = {SEED}")
    check(forward, reference, inputs, SIZES, name="columns", any_n=1)
    work_is_divided(lambda: forward(*inputs(100)), ROWS * 100)
    print("        launch_bias_dropout_backward")
    outputs = "grad_x", "grad_bias"
    check(backward, backward_reference, inputs, SIZES, name="columns", outputs=outputs, any_n=ROWS)
    # 1000 columns: grad_x has ROWS rows of them, grad_bias one.
    work_is_divided(lambda: backward(*inputs(1000)), (ROWS + 1) * 1000, least=ROWS * 1000, warps=8)
    # A seed of more than 32 bits, and a p that is one of the numbers: its element is not dropped.
    for rows, p, seed in (1100, 0.5, 2**40 + 1), (19, float(uniform(1, -3)[0]), -3):
        print(f"        both, {rows} rows, p = {p:.3g}, seed = {seed}; the first column is inf, the second NaN")

        def special(n, rows=rows, p=p, seed=seed):
            x, bias = inputs(n, rows)
            x[:, 0], x[:, 1] = float("inf"), float("nan")
            return x, bias, p, seed

        check(forward, reference, special, (3, 33), name="columns")
        check(backward, backward_reference, special, (3, 33), name="columns", outputs=outputs)
    for remark in orders():
        empty, grad_bias = torch.empty(0, 3, device=device), torch.full((3,), 5.0, device=device)
        launch.launch_bias_dropout_backward(empty, grad_bias, empty, 0, 3, P, SEED)
        if grad_bias.any():
            raise Wrong(
                f"x without rows, 3 columns{remark}: grad_bias is {grad_bias.tolist()}, expected [0.0, 0.0, 0.0]"
            )


def of_a_long_row(launch):
    # With this seed and p, the last element is not dropped, and those are to which an index of 32 bits leads.
    p, seed = 0.5, 52
    for rows, columns in (1, 2**32 + 10), (5, 2**30 + 1000):
        x, bias, out, grad_x = (many(n) for n in (rows * columns, columns, rows * columns, rows * columns))
        if grad_x is None:
            return
        x[:1000], x[-1], bias[:1000] = 5, 3, 9  # an index of 32 bits leads to the first of these
        numbers, where = (rows, columns, p, seed), f"rows = {rows}, columns = {columns}, p = {p}"
        last_element(launch.launch_bias_dropout, out, x, bias, *numbers, expected=6, where=where)
        backward, grad_bias = launch.launch_bias_dropout_backward, bias
        last_element(backward, grad_x, grad_bias, x, *numbers, expected=6, where=f"{where}, backward", threads=columns)
        if grad_x[-1] == 6 and grad_bias[-1] != 6:
            raise Wrong(f"{where}, backward: the last of grad_bias is {grad_bias[-1]:g}, expected 6")


def of_fake_tensors(ops):
    """What the operators promise for tensors without memory is what they return for others."""
    calls = [(ops.bias_dropout, (*inputs(5, rows), P, SEED)) for rows in (ROWS, 3)]
    calls += [(ops.bias_dropout_backward, (inputs(5, rows)[0], P, SEED)) for rows in (ROWS, 3)]
    for op, args in calls:
        name = f"exercise::{op.__name__}"
        meta = [a.to("meta") if isinstance(a, torch.Tensor) else a for a in args]
        with torch.no_grad():
            expected = op(*args)
            try:
                found = op(*meta)
            except NotImplementedError:
                raise Wrong(f"{name} has no function for fake tensors") from None
        expected, found = (r if isinstance(r, tuple) else (r,) for r in (expected, found))
        if not all(t.is_meta for t in found):
            raise Wrong(f"{name}: the function for fake tensors returns a tensor on another device than x's")
        expected, found = (
            ", ".join(f"{list(t.shape)} {t.dtype}, strides {list(t.stride())}" for t in r) for r in (expected, found)
        )
        if expected != found:
            raise Wrong(f"{name}: the function for fake tensors promises {found}, the operator returns {expected}")
