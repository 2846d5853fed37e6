"""Chapter 09, library: an operator that torch.compile understands

python chapters/09_library/main.py                  build, check, what the registration buys, time forward and backward
python chapters/09_library/main.py --sizes 20 26    ... with 2^20 and 2^26 elements;  --float64 or --bfloat16
python chapters/09_library/main.py --tanh           ... approximate="tanh"
python chapters/09_library/main.py --graphs         what torch.compile makes of the same kernel, bound in two ways
python chapters/09_library/main.py --steps          what torch can do with it, entry by entry
python chapters/09_library/main.py --pybind         the same kernel bound by pybind11: its graph break, and its calls
python chapters/09_library/main.py --model          export a model that uses the operator, and run it from C++
"""

import argparse
import functools
import subprocess
import sys
from pathlib import Path

here = Path(__file__).resolve().parent
root = here.parents[1]
sys.path[:0] = [str(here), str(root)]  # so that library.py and `common` are found, wherever you start this file from

from common import Contest, autograd_of, bench, check, cmake, device, title
from common.cpp_extension import load

import torch  # after `common`, which says what to do where torch is missing

import library

SIZES = [2**k for k in ((4, 20, 26) if device.type == "cuda" else (4, 20))]  # of the tensors that benchmark() measures
COLUMNS = 4096  # the longest row of inputs()


def load_one(name, *sources, **options):
    return load(
        name=name,
        sources=[str(here / source) for source in sources],
        extra_include_paths=[str(root)],
        extra_cflags=["-O2"],
        # torch's flags disable the conversion float(x) of half precision. These two enable it again.
        extra_cuda_cflags=["-U__CUDA_NO_HALF_CONVERSIONS__", "-U__CUDA_NO_BFLOAT16_CONVERSIONS__"],
        **options,
    )


@functools.cache  # torch takes a registration once in a process
def build():
    """The operators, as attributes. The library is not a Python module: loading it enters them in the dispatcher."""
    load_one("bias_gelu", "bias_gelu.cpp", "bias_gelu.cu", is_python_module=False)
    library.register("chapter09", device.type)
    return torch.ops.chapter09


@functools.cache
def build_cpp():
    """The gradient in C++, in a library of its own, which finds the operators by name."""
    build()
    load_one("bias_gelu_autograd", "autograd.cpp", is_python_module=False)
    return torch.ops.chapter09_cpp


def build_pybind():
    return load_one("bias_gelu_pybind", "binding.cpp", "bias_gelu.cu")


def run_model():
    """(the program that runs the model, the model). torch compiles the model, in about a minute. CMake starts model.py."""
    cmake.build("bias_gelu_model", ["bias_gelu.cu", "bias_gelu.cpp", "model.cpp"], ["bias_gelu_model"])
    folder = cmake.build("bias_gelu.pt2", ["model.py"], ["bias_gelu_pt2"]) / "chapters" / here.name
    return folder / "bias_gelu_model", folder / "bias_gelu.pt2"


def torch_bias_gelu(x, bias, approximate="none"):
    return torch.nn.functional.gelu(x + bias, approximate=approximate)


def torch_backward(grad, x, bias, approximate="none"):
    grad_x = torch.ops.aten.gelu_backward(grad, x + bias, approximate=approximate)
    return grad_x, grad_x.flatten(end_dim=-2).sum(0) if x.dim() > 1 else grad_x


def shape(n):
    """n elements, in rows of 4096. In one row if they do not fill several."""
    return (n // COLUMNS, COLUMNS) if n and n % COLUMNS == 0 else (n,)


def inputs(n, backward=False, dtype=torch.float32):
    """x and bias. For backward, grad comes first."""
    of = functools.partial(torch.randn, dtype=dtype, device=device)
    return *(of(shape(n)) for _ in range(2 if backward else 1)), of(shape(n)[-1])


def three_rows(dtype):
    """n -> 3 rows of n elements and a bias, for check(). For most n, the second row is not aligned."""
    of = functools.partial(torch.randn, dtype=dtype, device=device)
    return lambda n: (of(3, n), of(n))


def rounded_once(function):
    """The reference for check() and bench(). In half precision torch rounds after each operation, the kernels only once."""

    def reference(*tensors, approximate="none"):
        dtype = tensors[0].dtype
        numbers = (x.to(torch.promote_types(dtype, torch.float32)) for x in tensors)
        results = function(*numbers, approximate=approximate)
        return tuple(y.to(dtype) for y in results) if isinstance(results, tuple) else results.to(dtype)

    return reference


def tolerance(dtype):
    """For check() and bench(): each machine rounds erf() in its own way, and a sum over rows adds up errors. In half
    precision, two numbers that are almost equal may be rounded to two neighbours."""
    eps = torch.finfo(torch.promote_types(dtype, torch.float32)).eps
    return {"rtol": max(16 * eps, torch.finfo(dtype).eps), "atol": 64 * eps}


def compiled(function):
    return {"torch.compile": torch.compile(function, dynamic=False)} if device.type == "cuda" else {}


def operators(module, backward=False, approximate="none"):
    a_torch, b_torch = (functools.partial(f, approximate=approximate) for f in (torch_bias_gelu, torch_backward))
    if backward:
        ours = functools.partial(module.bias_gelu_backward, approximate=approximate)
        return {"bias_gelu_backward": ours, "torch": autograd_of(a_torch)} | compiled(b_torch)
    ours = functools.partial(module.bias_gelu, approximate=approximate)
    return {"bias_gelu": ours, "torch": a_torch} | compiled(a_torch)


def bench_both(module, n, dtype=torch.float32, approximate="none"):
    """(forward, backward): the rows of each. flops: the operations per element, where erf() and exp() count as one."""
    close = tolerance(dtype)
    far = close | {"atol": 1e-10 if dtype == torch.float64 else 1e-3}  # the bias gradient is a sum of thousands

    def timed(backward, function, **options):
        reference = functools.partial(rounded_once(function), approximate=approximate)
        typed = functools.partial(inputs, backward=backward, dtype=dtype)
        return bench(operators(module, backward, approximate), typed, [n], reference=reference, **options)

    return timed(False, torch_bias_gelu, flops=6, **close), timed(True, torch_backward, flops=12, **far)


def bench_calls(module, n=16):
    """The host's time for a call, for each way to bind."""
    ways = {
        "pybind11": build_pybind().bias_gelu,
        "dispatcher, gradient in C++": build_cpp().bias_gelu,
        "dispatcher, gradient in Python": module.bias_gelu,
        "torch": torch_bias_gelu,
    }
    return bench(ways | compiled(torch_bias_gelu), inputs, [n], **tolerance(torch.float32))


def benchmark(module):
    """For `make bench09`: {table: rows}."""
    both = [bench_both(module, n) for n in SIZES[1:]]
    both += [bench_both(module, SIZES[-1], dtype) for dtype in (torch.float64, torch.bfloat16)]
    both += [bench_both(module, SIZES[-1], approximate="tanh")]
    tables = {name: sum(rows, []) for name, rows in zip(("forward", "backward"), zip(*both, strict=True), strict=True)}
    return tables | {"call": bench_calls(module, SIZES[0])}


def sweep():
    """For `make sweep`: {operator: Contest}."""

    def contest(formula, tensors, units, **more):
        def of_shape(rows, columns, dtype):
            of = functools.partial(torch.randn, dtype=dtype, device=device)
            return *(of(rows, columns) for _ in range(tensors)), of(columns)

        dtypes = torch.float32, torch.float64, torch.float16, torch.bfloat16
        return Contest(
            formula, of_shape, tensors + 1, dtypes, tolerance=lambda dtype: units * torch.finfo(dtype).eps, **more
        )

    return {
        "bias_gelu": contest(torch_bias_gelu, 1, 64),
        # The bias gradient adds up to 2^28 numbers of both signs.
        "bias_gelu_backward": contest(torch_backward, 2, 1024, torch=autograd_of(torch_bias_gelu)),
    }


def launch_each_kernel(module):
    """For `make microscope09`: each kernel, once."""
    module.bias_gelu(*inputs(2**16))
    module.bias_gelu_backward(*inputs(2**16, backward=True))


def run(*command):
    if subprocess.run(command).returncode:
        sys.exit(1)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sizes", type=int, nargs="+", default=[20], metavar="K", help="time 2^K elements")
    for name in "float64", "bfloat16":
        dtype = {"action": "store_const", "dest": "dtype", "const": getattr(torch, name), "default": torch.float32}
        options.add_argument(f"--{name}", **dtype, help="for the check and the times")
    options.add_argument("--tanh", action="store_true", help='approximate="tanh": for the check and the times')
    options.add_argument("--graphs", action="store_true", help="two ways to bind, and what torch.compile makes of them")
    options.add_argument("--steps", action="store_true", help="see steps.py")
    options.add_argument("--pybind", action="store_true", help="what a call costs for each way to bind")
    options.add_argument("--model", action="store_true", help="an exported model in a program without Python")
    options = options.parse_args()
    dtype = options.dtype
    approximate = "tanh" if options.tanh else "none"

    title(9, "bias_gelu", "TORCH_LIBRARY")
    if options.model:
        return run(*run_model())
    module = build()
    import buys

    if options.steps:
        import steps

        return steps.main(module, build_pybind())
    if options.graphs:
        return buys.graph_break(module, build_pybind())
    if options.pybind:
        buys.graph_break(module, build_pybind())
        return bench_calls(module)

    def ours(x, bias):
        return module.bias_gelu(x, bias, approximate=approximate)

    reference = functools.partial(rounded_once(torch_bias_gelu), approximate=approximate)
    check(ours, reference, three_rows(dtype), gradients=True, name="bias_gelu, 3 rows", **tolerance(dtype))
    buys.main(module)
    for n in (2**k for k in options.sizes):
        bench_both(module, n, dtype, approximate)


if __name__ == "__main__":
    main()
