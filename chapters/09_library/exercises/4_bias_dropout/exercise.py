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


def kept(shape, p, seed):
    """The mask, as uniform() of bias_dropout.cu makes it: bool, of that shape."""
    with np.errstate(over="ignore"):
        z = np.uint64(seed) + np.arange(1, int(np.prod(shape)) + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    uniform = (z >> np.uint64(40)).astype(np.float32) * np.float32(2**-24)
    return torch.from_numpy(uniform >= np.float32(p)).reshape(shape).to(device)


def reference(x, bias, p=P, seed=SEED):
    return torch.where(kept(x.shape, p, seed), (x + bias) / (1 - p), 0)


def inputs(n):
    """x of 8 rows, and the bias."""
    return torch.randint(-9, 9, (ROWS, n), device=device).float(), torch.randint(-9, 9, (n,), device=device).float()


def run(mine):
    launch = launchers(mine / "bias_dropout.cu")
    of_kernels(launch)
    of_a_long_row(launch)
    module(mine / "bias_dropout.py").register(launch, device.type)
    ops = torch.ops.exercise
    of_fake_tensors(ops)

    def bias_dropout(x, bias):
        return ops.bias_dropout(x, bias, P, SEED)

    print("        torch.ops.exercise.bias_dropout, and its gradient")
    check(bias_dropout, reference, inputs, SIZES, gradients=True, name="columns")
    x, bias = (t.requires_grad_() for t in inputs(33))
    saved = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: saved.append(t) or t, lambda t: t):
        bias_dropout(x, bias)
    if saved:
        count = sum(t.untyped_storage().nbytes() for t in saved)
        raise Wrong(
            f"x of {ROWS} rows and 33 columns: the node saves {count} bytes, expected none: p and seed are enough"
        )
    try:
        torch.library.opcheck(
            ops.bias_dropout, (x, bias, P, SEED), test_utils=("test_schema", "test_aot_dispatch_dynamic")
        )
    except Exception as error:
        raise Wrong(f"torch.library.opcheck finds\n{error}") from None
    print("right   fake tensors, opcheck, nothing is saved")


def of_kernels(launch):
    def forward(x, bias):
        out = torch.empty_like(x)
        launch.launch_bias_dropout(out, x, bias, len(x), x.shape[1], P, SEED)
        return out

    def backward(grad, bias):
        grad_x, grad_bias = torch.empty_like(grad), torch.empty_like(bias)
        launch.launch_bias_dropout_backward(grad_x, grad_bias, grad, len(grad), grad.shape[1], P, SEED)
        return grad_x, grad_bias

    def backward_reference(grad, bias):
        grad_x = torch.where(kept(grad.shape, P, SEED), grad / (1 - P), 0)
        return grad_x, grad_x.sum(0)

    print(f"        launch_bias_dropout, {ROWS} rows, p = {P}, seed = {SEED}")
    check(forward, reference, inputs, SIZES, name="columns", any_n=1)
    work_is_divided(lambda: forward(*inputs(100)), ROWS * 100)
    print("        launch_bias_dropout_backward")
    outputs = "grad_x", "grad_bias"
    check(backward, backward_reference, inputs, SIZES, name="columns", outputs=outputs, any_n=ROWS)
    for remark in orders():
        empty, grad_bias = torch.empty(0, 3, device=device), torch.full((3,), 5.0, device=device)
        launch.launch_bias_dropout_backward(empty, grad_bias, empty, 0, 3, P, SEED)
        if grad_bias.any():
            raise Wrong(
                f"x without rows, 3 columns{remark}: grad_bias is {grad_bias.tolist()}, expected [0.0, 0.0, 0.0]"
            )


def of_a_long_row(launch):
    x, zeros, out, grad_x = (many(columns := 2**32 + 10) for _ in range(4))
    if grad_x is None:
        return
    x[:1000] = x[-1] = 3  # an index of 32 bits leads to the first of these
    numbers, where = (1, columns, 0.0, SEED), f"1 row, {columns} columns, p = 0"
    last_element(launch.launch_bias_dropout, out, x, zeros, *numbers, expected=3, where=where)
    backward = launch.launch_bias_dropout_backward  # the zeros get the gradient of bias
    last_element(backward, grad_x, zeros, x, *numbers, expected=3, where=f"{where}, backward")


def of_fake_tensors(ops):
    """What the operators promise for tensors without memory is what they return for others."""
    real = inputs(5)
    grad = torch.ones(ROWS, 5, device=device)
    for op, args in (ops.bias_dropout, (*real, P, SEED)), (ops.bias_dropout_backward, (grad, P, SEED)):
        name = f"exercise::{op.__name__}"
        meta = [a.to("meta") if isinstance(a, torch.Tensor) else a for a in args]
        with torch.no_grad():
            expected = op(*args)
            try:
                found = op(*meta)
            except NotImplementedError:
                raise Wrong(f"{name} has no function for fake tensors") from None
        expected, found = (r if isinstance(r, tuple) else (r,) for r in (expected, found))
        expected, found = (", ".join(f"{list(t.shape)} {t.dtype}" for t in r) for r in (expected, found))
        if expected != found:
            raise Wrong(f"{name}: the function for fake tensors promises {found}, the operator returns {expected}")
