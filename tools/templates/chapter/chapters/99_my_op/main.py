"""Chapter 99, my_op: factor times x

python chapters/99_my_op/main.py                 build, check, time
python chapters/99_my_op/main.py --sizes 20 28   ... with 2^20 and 2^28 elements
"""

import argparse
import functools
import sys
from pathlib import Path

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here.parents[1]))  # so that `common` is found, wherever you start this file from

from common import bench, check, device, title
from common.cpp_extension import load_stable

import torch  # after `common`, which says what to do where torch is missing

FACTOR = 0.3  # no power of two, so a product has to be rounded
TOLERANCE = 0  # absolute and relative, of a result. 0: to the last bit. With exp(), or a sum of many: 1e-6
SIZES = [2**k for k in ((16, 20, 28) if device.type == "cuda" else (20,))]  # that benchmark() measures


@functools.cache  # torch takes a registration once in a process
def build():
    load_stable("my_op", [f"{here}/my_op.cpp", f"{here}/my_op.cu"])
    torch.library.register_fake("chapter99::my_op", shape_of_result)
    torch.library.register_autograd("chapter99::my_op", backward, setup_context=save)
    return torch.ops.chapter99


def shape_of_result(x, factor):
    """torch.compile calls this with tensors that have a shape and no memory. It refuses what the kernel's binding refuses."""
    dtypes = torch.float32, torch.float16, torch.bfloat16
    torch._check(x.dtype in dtypes, lambda: f"x must have dtype Float or Half or BFloat16, got {x.dtype}")
    torch._check(x.is_contiguous(), lambda: f"x must be contiguous, got strides {x.stride()}; pass x.contiguous()")
    return torch.empty_like(x)


def save(ctx, inputs, output):
    _, ctx.factor = inputs


def backward(ctx, grad):  # the derivative of factor * x is factor; the factor itself gets no gradient
    grad = grad.contiguous()  # that of a sum is one element, repeated by strides of 0
    return torch.ops.chapter99.my_op(grad, ctx.factor), None


def reference(x, factor=FACTOR):
    """In float32, rounded once, as the kernel rounds. x becomes float once, so torch rounds the gradient once."""
    y = x.float()
    return (factor * y).to(x.dtype)


def tolerance(dtype=torch.float32):
    """For check() and bench(). Where TOLERANCE is not 0, results in half precision may differ in the last bit."""
    return {"rtol": TOLERANCE and max(TOLERANCE, torch.finfo(dtype).eps), "atol": TOLERANCE}


def inputs(n, dtype=torch.float32):
    return (torch.randn(n, device=device, dtype=dtype),)


def operators(module):
    ops = {"my_op": functools.partial(module.my_op, factor=FACTOR), "torch": reference}
    if device.type == "cuda":
        ops["torch.compile"] = torch.compile(reference, dynamic=False)
    return ops


def benchmark(module):
    """For `make bench99`: {table: rows}."""
    return {"sizes": bench(operators(module), inputs, SIZES, flops=1, **tolerance())}


def launch_each_kernel(module):
    """For `make microscope99`: the kernel, once."""
    operators(module)["my_op"](*inputs(2**16))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sizes", type=int, nargs="+", default=[20], metavar="K", help="time 2^K elements")
    options = options.parse_args()

    title(99, "my_op", "stable ABI")
    ops = operators(build())
    for dtype in torch.float32, torch.float16, torch.bfloat16:
        name = f"my_op, {str(dtype).removeprefix('torch.')}"
        typed = functools.partial(inputs, dtype=dtype)
        check(ops["my_op"], reference, typed, **tolerance(dtype), gradients=True, name=name)
    bench(ops, inputs, [2**k for k in options.sizes], flops=1, **tolerance())


if __name__ == "__main__":
    main()
