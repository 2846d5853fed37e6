"""Chapter 09, library: an operator that torch.compile understands

python chapters/09_library/main.py                  build, check, what the registration buys, time forward and backward
python chapters/09_library/main.py --sizes 20 26    ... with 2^20 and 2^26 elements;  --float64 in double precision
python chapters/09_library/main.py --tanh           ... approximate="tanh"
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

from common import autograd_of, bench, check, cmake, device, title
from common.cpp_extension import load

import torch  # after `common`, which says what to do where torch is missing

import library

SIZES = [2**k for k in ((4, 20, 26) if device.type == "cuda" else (4, 20))]  # that benchmark() measures
COLUMNS = 4096  # of x, at most


def load_one(name, *sources, **options):
    sources = [str(here / source) for source in sources]
    return load(name=name, sources=sources, extra_include_paths=[str(root)], extra_cflags=["-O2"], **options)


@functools.cache  # torch takes a registration once in a process
def build():
    """The operators, as attributes. The library is no Python module: loading it enters them in the dispatcher."""
    load_one("bias_gelu", "bias_gelu.cpp", "bias_gelu.cu", is_python_module=False)
    library.register("chapter09", device.type)
    return torch.ops.chapter09


@functools.cache
def build_cpp():
    """The gradient in C++, in a library of its own, which finds the operators by their names."""
    build()
    load_one("bias_gelu_autograd", "autograd.cpp", is_python_module=False)
    return torch.ops.chapter09_cpp


def build_pybind():
    return load_one("bias_gelu_pybind", "binding.cpp", "bias_gelu.cu")


def run_model():
    """The program that runs the model, and the model, which takes a while: torch compiles it. CMake starts model.py."""
    cmake.build("bias_gelu_model", ["bias_gelu.cu", "bias_gelu.cpp", "model.cpp"], ["bias_gelu_model"])
    folder = cmake.build("bias_gelu.pt2", ["model.py"], ["bias_gelu_pt2"]) / "chapters" / here.name
    return folder / "bias_gelu_model", folder / "bias_gelu.pt2"


def torch_bias_gelu(x, bias, approximate="none"):
    return torch.nn.functional.gelu(x + bias, approximate=approximate)


def torch_backward(grad, x, bias, approximate="none"):
    grad_x = torch.ops.aten.gelu_backward(grad, x + bias, approximate=approximate)
    return grad_x, grad_x.flatten(end_dim=-2).sum(0) if x.dim() > 1 else grad_x


def shape(n):
    """n elements, in rows of up to 4096; in one row where they do not fill several."""
    return (n // COLUMNS, COLUMNS) if n and n % COLUMNS == 0 else (n,)


def inputs(n, backward=False, dtype=torch.float32):
    """x and the bias; for the backward kernels, the gradient of their result comes first."""
    of = functools.partial(torch.randn, dtype=dtype, device=device)
    return *(of(shape(n)) for _ in range(2 if backward else 1)), of(shape(n)[-1])


def three_rows(dtype):
    """n -> 3 rows of n elements and a bias, for check(): the second row begins anywhere."""
    of = functools.partial(torch.randn, dtype=dtype, device=device)
    return lambda n: (of(3, n), of(n))


def tolerance(dtype):
    """For check() and bench(): erf() is rounded in its own way on each machine, and a sum over rows adds errors up."""
    return {"rtol": 16 * torch.finfo(dtype).eps, "atol": 64 * torch.finfo(dtype).eps}


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
    """(forward, backward): the rows of each. flops: operations of an element, erf() and exp() as one."""
    typed = functools.partial(inputs, dtype=dtype)
    reference = functools.partial(torch_backward, approximate=approximate)
    forward, backward = (operators(module, backward, approximate) for backward in (False, True))
    close = tolerance(dtype)
    far = close | {"atol": 1e-3 if dtype == torch.float32 else 1e-10}  # the bias gradient is a sum of thousands
    return (
        bench(forward, typed, [n], flops=6, **close),
        bench(backward, functools.partial(typed, backward=True), [n], flops=12, reference=reference, **far),
    )


def bench_calls(module, n=16):
    """The host's time for a call, by each way to bind."""
    ways = {
        "pybind11": build_pybind().bias_gelu,
        "dispatcher, gradient in C++": build_cpp().bias_gelu,
        "dispatcher, gradient in Python": module.bias_gelu,
        "torch": torch_bias_gelu,
    }
    return bench(ways | compiled(torch_bias_gelu), inputs, [n], **tolerance(torch.float32))


def benchmark(module):
    """For `make bench09`: {table: rows}."""
    both = [bench_both(module, n) for n in SIZES[1:]] + [bench_both(module, SIZES[-1], torch.float64)]
    both += [bench_both(module, SIZES[-1], approximate="tanh")]
    tables = {name: sum(rows, []) for name, rows in zip(("forward", "backward"), zip(*both, strict=True), strict=True)}
    return tables | {"call": bench_calls(module, SIZES[0])}


def once(module):
    """For `make microscope09`: each kernel, once."""
    module.bias_gelu(*inputs(2**16))
    module.bias_gelu_backward(*inputs(2**16, backward=True))


def run(*command):
    if subprocess.run(command).returncode:
        sys.exit(1)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sizes", type=int, nargs="+", default=[20], metavar="K", help="time 2^K elements")
    options.add_argument("--float64", action="store_true", help="double precision: for the check and the times")
    options.add_argument("--tanh", action="store_true", help='approximate="tanh": for the check and the times')
    options.add_argument("--pybind", action="store_true", help="beside the same kernel bound by pybind11")
    options.add_argument("--model", action="store_true", help="an exported model in a program with no Python")
    options = options.parse_args()
    dtype = torch.float64 if options.float64 else torch.float32
    approximate = "tanh" if options.tanh else "none"

    title(9, "bias_gelu", "TORCH_LIBRARY")
    if options.model:
        return run(*run_model())
    module = build()
    import buys

    if options.pybind:
        buys.graph_break(module, build_pybind())
        return bench_calls(module)

    def ours(x, bias):
        return module.bias_gelu(x, bias, approximate=approximate)

    a_torch = functools.partial(torch_bias_gelu, approximate=approximate)
    check(ours, a_torch, three_rows(dtype), gradients=True, name="bias_gelu, 3 rows", **tolerance(dtype))
    buys.main(module)
    for n in (2**k for k in options.sizes):
        bench_both(module, n, dtype, approximate)


if __name__ == "__main__":
    main()
