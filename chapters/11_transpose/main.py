"""Chapter 11, transpose: shared memory, barriers and banks

python chapters/11_transpose/main.py                      build, check, time
python chapters/11_transpose/main.py --shape 4 4097 8191  ... a tensor of that shape, of 2 or 3 dimensions
python chapters/11_transpose/main.py --counts             what each kernel asks of memory, counted from its addresses
python chapters/11_transpose/main.py --counts 1 8         ... for elements of 1 byte and of 8 bytes
python chapters/11_transpose/main.py --once               each kernel once, for a profiler
"""

import argparse
import functools
import math
import sys
from functools import partial
from pathlib import Path

here = Path(__file__).resolve().parent
root = here.parents[1]
sys.path[:0] = [str(here), str(root)]  # so that counts.py and `common` are found, wherever you start this file from

from common import Contest, bench, check, device, title
from common.cpp_extension import load_stable

import torch  # after `common`, which says what to do where torch is missing

STEPS = "naive", "tile", "padded", "swizzled", "wide", "strips"
BYTES = 1, 2, 4, 8  # of an element
LARGE = 2**28 if device.type == "cuda" else 2**14  # elements: so many that the GPU's memory is what counts


@functools.cache  # torch takes a registration once in a process
def build():
    load_stable("transpose", [str(here / "transpose.cpp"), str(here / "transpose.cu")])
    register("transpose")
    register("transpose_step")
    return torch.ops.chapter11


def register(name):
    """What torch.compile asks for, the shape of the result, and the gradient, which is also a transpose."""
    op = getattr(torch.ops.chapter11, name)

    @torch.library.register_fake(f"chapter11::{name}")
    def _(x, *step):
        torch._check(x.dtype.itemsize in BYTES, lambda: f"x must have a dtype of 1, 2, 4 or 8 bytes, got {x.dtype}")
        torch._check(x.is_contiguous(), lambda: f"x must be contiguous, got strides {x.stride()}; pass x.contiguous()")
        torch._check(x.dim() in (2, 3), lambda: f"x must have 2 or 3 dimensions, got {x.dim()}")
        torch._check(set(step) <= set(STEPS), lambda: f"step must be {', '.join(STEPS[:-1])} or strips, got {step[0]}")
        return x.new_empty((*x.shape[:-2], x.shape[-1], x.shape[-2]))

    def save(ctx, inputs, output):
        ctx.step = inputs[1:]  # the step, or nothing

    def backward(ctx, grad):
        return op(grad.contiguous(), *ctx.step), *[None for _ in ctx.step]

    torch.library.register_autograd(f"chapter11::{name}", backward, setup_context=save)


def torch_transpose(x):
    return x.mT.contiguous()


def inputs(n, dtype=torch.float32, shape=None):
    """A tensor of that shape, else two matrices of n x 80. Packs of 16 bytes fit where n is a multiple of 16."""
    return ((256 * torch.rand(shape or (2, n, 80), device=device)).to(dtype),)


def operators(module, steps=()):
    """The operator, or these of its steps, beside torch."""
    ops = {step: partial(module.transpose_step, step=step) for step in steps} or {"transpose": module.transpose}
    ops["torch"] = torch_transpose
    if device.type == "cuda":
        torch.compiler.reset()  # or torch.compile would give up after eight shapes and dtypes
        ops["torch.compile"] = torch.compile(torch_transpose, dynamic=False)
    return ops


def bench_shape(module, *shape, dtype=torch.float32, steps=()):
    of_shape = partial(inputs, dtype=dtype, shape=shape)
    return bench(operators(module, steps), of_shape, [torch.Size(shape).numel()], rtol=0, atol=0)


def benchmark(module):
    """For `make bench11`: {table: rows}."""
    side = math.isqrt(LARGE)
    odd, even = (4, side // 4 + 1, side // 2 - 1), (4, side // 4, side // 2)
    shapes = {"square": (side, side), "tall": (4 * side, side // 4), "odd": odd, "even": even}
    shapes |= {"three rows": (3, LARGE // 4), "three columns": (LARGE // 4, 3), "eight rows": (8, LARGE // 8)}
    tables = {"ladder": bench_shape(module, side, side, steps=STEPS)}
    for dtype in torch.float32, torch.bfloat16, torch.uint8, torch.float64:
        for name, shape in shapes.items():
            if dtype.itemsize in (2, 4) or name in ("square", "odd", "eight rows"):
                tables[f"{name} {str(dtype).removeprefix('torch.')}"] = bench_shape(module, *shape, dtype=dtype)
    return tables


def sweep():
    """For `make sweep`: {operator: Contest}."""

    def matrix(rows, columns, dtype):
        return inputs(columns, dtype, (rows, columns))

    dtypes = torch.float32, torch.bfloat16, torch.uint8, torch.float64
    named = (3, 2**25, torch.uint8), (64, 2**22, torch.uint8)
    return {"transpose": Contest(torch_transpose, matrix, 2, dtypes, named=named)}


def check_all(module):
    exact = {"sizes": (0, 1, 31, 32, 33, 63, 64, 65, 144), "rtol": 0, "atol": 0}
    for step in STEPS:
        check(partial(module.transpose_step, step=step), torch_transpose, inputs, name=step, **exact)
    for dtype in torch.uint8, torch.bfloat16, torch.float64:
        name = f"transpose, {str(dtype).removeprefix('torch.')}"
        check(module.transpose, torch_transpose, partial(inputs, dtype=dtype), name=name, **exact)


def launch_each_kernel(module, side=256):
    """For `make microscope11`: each kernel, once."""
    for step in STEPS:
        module.transpose_step(torch.rand(side, side, device=device), step)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument(
        "--shape", type=int, nargs="+", default=[math.isqrt(LARGE)] * 2, metavar="N", help="of what is timed"
    )
    options.add_argument("--counts", type=int, nargs="*", choices=BYTES, metavar="BYTES", help="see counts.py")
    options.add_argument("--once", action="store_true", help="run each kernel once, on a matrix of 4096 x 4096")
    options = options.parse_args()

    title(11, "transpose", "stable ABI")
    if options.counts is not None:
        import counts

        return counts.main(options.counts or [4])
    module = build()
    if options.once:
        return launch_each_kernel(module, 4096)
    check_all(module)
    bench_shape(module, *options.shape, steps=STEPS)


if __name__ == "__main__":
    main()
