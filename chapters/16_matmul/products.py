"""What the matmul of chapters 16 to 18 lacks in C++, added in Python: shapes for torch.compile, gradients, autocast."""

import functools

import torch

NAMES = {torch.float32: "Float", torch.float16: "Half", torch.bfloat16: "BFloat16"}  # as C++ prints them


def register(namespace, dtypes, steps, device_type):
    """Call this once in a process, after the library has been loaded.

    namespace: "chapter16", whose matmul(a, b, *, step="auto") takes these dtypes and steps and runs on that type of device.
    """
    op = getattr(torch.ops, namespace).matmul
    fake = functools.partial(fake_matmul, dtypes, steps)
    torch.library.register_fake(f"{namespace}::matmul", lambda a, b, *, step="auto": fake(a, b, step))
    torch.library.register_autograd(f"{namespace}::matmul", functools.partial(gradients, op), setup_context=save)
    cast = functools.partial(in_one_dtype, op, dtypes, device_type)
    torch.library.impl(f"{namespace}::matmul", f"Autocast{device_type.upper()}", cast)


# ---- for tensors that have a shape and no memory; the words are those of operands.h ----------------------------------
def check(x, name, dtypes):
    words = " or ".join(NAMES[dtype] for dtype in dtypes)
    torch._check(x.dtype in dtypes, lambda: f"{name} must have dtype {words}, got {x.dtype}")


def check_sides(x, name):
    for side in x.shape:
        torch._check(side < 2**31, lambda: (
            f"{name} must have at most 2147483647 rows and columns, got the shape {x.shape}"))  # fmt: skip


def check_product(a, b, dtypes):
    check(a, "a", dtypes)
    check(b, "b", [a.dtype])
    torch._check(a.dim() in (2, 3), lambda: f"a must have 2 or 3 dimensions, got {a.dim()}")

    def words():
        k, batches = a.shape[-1], a.shape[0] if a.dim() == 3 else "batches"
        return f"b must have the shape [{k}, n] or [{batches}, {k}, n], as a has the shape {a.shape}, got {b.shape}"

    torch._check(b.dim() in (2, 3), words)
    torch._check(b.shape[-2] == a.shape[-1], words)
    if a.dim() == b.dim() == 3:
        torch._check(a.shape[0] == b.shape[0], words)
    check_sides(a, "a")
    check_sides(b, "b")
    torch._check(a.device == b.device, lambda: f"a and b must be on the same device, got {a.device} and {b.device}")


def fake_matmul(dtypes, steps, a, b, step):
    check_product(a, b, dtypes)
    torch._check(step in steps, lambda: f"step must be {', '.join(steps[:-1])} or {steps[-1]}, got {step}")
    batches = a.shape[:-2] or b.shape[:-2]
    return a.new_empty((*batches, a.shape[-2], b.shape[-1]))


# ---- gradients -------------------------------------------------------------------------------------------------------
def save(ctx, inputs, keyword_only_inputs, output):
    ctx.save_for_backward(*inputs)


def gradients(op, ctx, grad):
    """Of out = a @ b: grad @ b.T for a, a.T @ grad for b. Both are products again, so they have gradients of any order.

    The transposed tensors are views: the kernels read them as they lie.
    """
    a, b = ctx.saved_tensors
    of_a = of_b = None
    if ctx.needs_input_grad[0]:
        of_a = op(grad, b.mT)
        if a.dim() < of_a.dim():  # one a for all b: the gradients add up
            of_a = of_a.sum(0)
    if ctx.needs_input_grad[1]:
        if b.dim() < grad.dim():  # one b for all a: the rows of all a are those of one tall matrix
            a, grad = a.flatten(0, 1), grad.flatten(0, 1)
        of_b = op(a.mT, grad)
    return of_a, of_b


# ---- autocast --------------------------------------------------------------------------------------------------------
def in_one_dtype(op, dtypes, device_type, a, b, *, step="auto"):
    """In an autocast region both become the region's dtype, as for torch.matmul, or the only one that the operator takes.

    Autocast never converts float64.
    """
    region = torch.get_autocast_dtype(device_type)
    to = region if region in dtypes else dtypes[0]
    a, b = (x.to(to) if x.is_floating_point() and x.dtype != torch.float64 else x for x in (a, b))
    with torch.autocast(device_type, enabled=False):  # otherwise this function would call itself
        return op(a, b, step=step)
