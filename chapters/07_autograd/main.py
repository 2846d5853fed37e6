"""Chapter 07, autograd: gradients in C++ and in Python

python chapters/07_autograd/main.py                  build, check, time forward and backward
python chapters/07_autograd/main.py --sizes 20 26    ... with 2^20 and 2^26 elements;  --float64 or --bfloat16
python chapters/07_autograd/main.py --guess          a model learns; is its gradient right?
python chapters/07_autograd/main.py --gradcheck      ... the answer: gradients beside differences
python chapters/07_autograd/main.py --memory         what autograd keeps between forward and backward
python chapters/07_autograd/main.py --train          five models learn: with our operator, with torch's, with a wrong gradient
python chapters/07_autograd/main.py --build-times    what the headers cost
"""

import argparse
import sys
from functools import partial
from pathlib import Path

here = Path(__file__).resolve().parent
root = here.parents[1]
sys.path[:0] = [str(here), str(root)]  # so that neighbours and `common` are found, wherever you start this file from

from common import Contest, autograd_of, bench, check, device, title
from common.cpp_extension import load

import torch  # after `common`, which says what to do where torch is missing

SIZES = [2**k for k in ((20, 24, 26) if device.type == "cuda" else (20,))]  # of the tensors that benchmark() measures
STEPS = 300  # of benchmark()'s training


def build():
    return load(
        name="swiglu",
        sources=[str(here / "swiglu.cpp"), str(here / "swiglu.cu")],
        extra_include_paths=[str(root)],
        extra_cflags=["-O2"],
        # torch's flags disable the conversion float(x) of half precision. These two enable it again.
        extra_cuda_cflags=["-U__CUDA_NO_HALF_CONVERSIONS__", "-U__CUDA_NO_BFLOAT16_CONVERSIONS__"],
    )


def torch_swiglu(a, b):
    return torch.nn.functional.silu(a) * b


def torch_backward(grad, a, b):
    """Both gradients by the formulas in swiglu.h, multiplied in the kernel's order."""
    s = torch.sigmoid(a)
    return grad * (b * (s * (1 + a * (1 - s)))), grad * (a * s)


def inputs(n, backward=False, dtype=torch.float32):
    """a and b; for the backward kernel, the gradient of their result comes first."""
    return tuple(torch.randn(n, dtype=dtype, device=device) for _ in range(3 if backward else 2))


def operators(module, backward=False):
    if backward:
        ops, formula = {"swiglu_backward": module.swiglu_backward, "torch": autograd_of(torch_swiglu)}, torch_backward
    else:
        ops, formula = {"swiglu_forward": module.swiglu_forward, "torch": torch_swiglu}, torch_swiglu
    if device.type == "cuda":  # dynamic=False: compiled for each size anew
        ops["torch.compile"] = torch.compile(formula, dynamic=False)
    return ops


def tolerance(dtype):
    """For check() and bench(): each machine rounds exp() in its own way, and errors add up."""
    return {"rtol": 16 * torch.finfo(dtype).eps, "atol": 16 * torch.finfo(dtype).eps}


def bench_both(module, n, dtype=torch.float32):
    """(forward, backward): the rows of each. flops: the operations in the formulas of swiglu.h, where exp() counts as one."""
    close, typed = tolerance(dtype), partial(inputs, dtype=dtype)
    forward = bench(operators(module), typed, [n], flops=6, **close)
    # autograd's backward cannot be the reference: it always uses the inputs of its own forward pass.
    ops, three = operators(module, backward=True), partial(typed, backward=True)
    return forward, bench(ops, three, [n], flops=12, reference=torch_backward, **close)


def benchmark(module):
    """For `make bench07`: {table: rows}, and the training's curves."""
    import memory
    import training

    both = [bench_both(module, n) for n in SIZES]
    both += [bench_both(module, SIZES[-1], dtype) for dtype in (torch.float64, torch.bfloat16)]
    tables = {name: sum(rows, []) for name, rows in zip(("forward", "backward"), zip(*both, strict=True), strict=True)}
    n, heads = SIZES[0], ("saved", "held", "peak")
    bytes_of = memory.main(module, n).items()
    tables["memory"] = [
        {"op": op, "n": n, "dtype": "float32"} | dict(zip(heads, row, strict=False)) for op, row in bytes_of
    ]
    return tables | {"training": training.measure(module, STEPS)}


def sweep():
    """For `make sweep`: {operator: Contest}."""

    def contest(formula, backward, moves, **more):
        def of_shape(rows, columns, dtype):
            return tuple(x.view(rows, columns) for x in inputs(rows * columns, backward, dtype))

        dtypes = torch.float32, torch.float64, torch.float16, torch.bfloat16
        return Contest(formula, of_shape, moves, dtypes, tolerance=lambda dtype: tolerance(dtype)["atol"], **more)

    return {
        "swiglu_forward": contest(torch_swiglu, False, 3, peers={"Liger": liger}),
        "swiglu_backward": contest(torch_backward, True, 5, torch=autograd_of(torch_swiglu)),
    }


def liger():
    """Only its forward pass: its backward overwrites a and b with the gradients, so it moves fewer bytes."""
    from liger_kernel.transformers.functional import liger_swiglu

    return liger_swiglu


def launch_each_kernel(module):
    """For `make microscope07`: each kernel, once."""
    for name in "add", "swiglu_forward", "swiglu_backward":
        getattr(module, name)(*inputs(2**16, backward=name == "swiglu_backward"))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sizes", type=int, nargs="+", default=[20], metavar="K", help="time 2^K elements")
    for name in "float64", "bfloat16":
        dtype = {"action": "store_const", "dest": "dtype", "const": getattr(torch, name), "default": torch.float32}
        options.add_argument(f"--{name}", **dtype, help="for the check, the times, --train")
    options.add_argument("--guess", action="store_true", help="one model of training.py")
    options.add_argument("--gradcheck", action="store_true", help="see slopes.py")
    options.add_argument("--memory", action="store_true", help="see memory.py")
    options.add_argument("--train", action="store_true", help="see training.py")
    options.add_argument("--build-times", action="store_true", help="see build_times.py")
    options = options.parse_args()
    dtype = options.dtype

    title(7, "swiglu", "autograd")
    if options.build_times:
        import build_times

        return build_times.main()
    module = build()
    if options.guess or options.train:
        import training

        torch.set_num_threads(1)  # the model is so small that threads would wait for one another longer than they work
        return training.train_one(module) if options.guess else training.train(module, dtype)
    if options.gradcheck:
        import slopes

        return slopes.main(module)
    if options.memory:
        import memory

        return memory.main(module)
    typed = partial(inputs, dtype=dtype)
    check(module.add, torch.add, typed, rtol=0, atol=0)
    check(module.swiglu, torch_swiglu, typed, gradients=True, **tolerance(dtype))
    check(module.swiglu_backward, torch_backward, partial(typed, backward=True), **tolerance(dtype))
    for n in (2**k for k in options.sizes):
        bench_both(module, n, dtype)


if __name__ == "__main__":
    main()
