"""Chapter 10, stable: one wheel for torch 2.11 and later

python chapters/10_stable/main.py                 build the library, check, time
python chapters/10_stable/main.py --sizes 20 26   ... with 2^20 and 2^26 elements
python chapters/10_stable/main.py --other-torch   which torch can load this library, and which chapter 09's
python chapters/10_stable/main.py --wheel         the package: what is in it, and which Pythons of this machine take it
python chapters/10_stable/main.py --wheel PYTHON  ... and that Python, which may have another torch
python chapters/10_stable/main.py --calls         what a call costs for each way to bind
python chapters/10_stable/main.py --build-times   what a build costs for each way to bind
"""

import argparse
import functools
import importlib.util
import sys
from pathlib import Path

here = Path(__file__).resolve().parent
root = here.parents[1]
sys.path[:0] = [str(here), str(root)]  # so that package.py and `common` are found, wherever you start this file from

from common import Contest, bench, check, device, title
from common.cpp_extension import load

import torch  # after `common`, which says what to do where torch is missing

TARGET = "-DTORCH_TARGET_VERSION=0x020b000000000000"  # torch 2.11, as in setup.py
# torch's flags disable the conversion float(x) of half precision. These two enable it again.
HALF = ["-U__CUDA_NO_HALF_CONVERSIONS__", "-U__CUDA_NO_BFLOAT16_CONVERSIONS__"]
CHAPTER_09 = root / "chapters" / "09_library"
COLUMNS = 4096  # the longest row of inputs()


def load_library(name, folder, sources, stable=False, build_directory=None):
    """Builds and loads a library that enters operators in the dispatcher, or a module of pybind11."""
    return load(
        name=name,
        sources=[str(folder / source) for source in sources],
        extra_include_paths=[str(root)],
        extra_cflags=["-O2"] + ["-DUSE_CUDA", TARGET] * stable,
        extra_cuda_cflags=HALF + [TARGET] * stable,
        build_directory=build_directory and str(build_directory),
        is_python_module="binding.cpp" in sources,
    )


@functools.cache  # torch takes a registration once in a process
def build():
    """The library without its package, and what the package adds in Python."""
    load_library("bias_gelu_stable", here, ["bias_gelu.cpp", CHAPTER_09 / "bias_gelu.cu"], stable=True)
    registration = python_part(here / "src" / "bias_gelu" / "registration.py")
    python_part(CHAPTER_09 / "library.py").register("chapter10", registration.device_type)
    return torch.ops.chapter10


def python_part(file):
    """A module of the package. `import bias_gelu` would look for the package's library."""
    spec = importlib.util.spec_from_file_location(f"bias_gelu_{file.stem}", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def torch_bias_gelu(x, bias):
    return torch.nn.functional.gelu(x + bias)


def torch_backward(grad, x, bias):
    grad_x = torch.ops.aten.gelu_backward(grad, x + bias)
    return grad_x, grad_x.flatten(end_dim=-2).sum(0) if x.dim() > 1 else grad_x


def compiled(function):
    return {"torch.compile": torch.compile(function, dynamic=False)} if device.type == "cuda" else {}


def inputs(n, backward=False):
    """x and bias. For backward, grad comes first. n elements in rows of 4096, or in one row."""
    shape = (n // COLUMNS, COLUMNS) if n and n % COLUMNS == 0 else (n,)
    return tuple(torch.randn(s, device=device) for s in [shape] * (2 if backward else 1) + [shape[-1:]])


def three_rows(n):
    """For check(). For most n, the second row is not aligned."""
    return torch.randn(3, n, device=device), torch.randn(n, device=device)


CLOSE = {"rtol": 2e-6, "atol": 8e-6}  # each machine rounds erf() in its own way


def operators(module, backward=False):
    if backward:
        return {"bias_gelu_backward": module.bias_gelu_backward, "torch": torch_backward} | compiled(torch_backward)
    return {"bias_gelu": module.bias_gelu, "torch": torch_bias_gelu} | compiled(torch_bias_gelu)


def bench_both(module, n):
    """(forward, backward): the rows of each."""
    forward = bench(operators(module), inputs, [n], flops=6, **CLOSE)
    far = CLOSE | {"atol": 1e-3}  # the gradient of bias is a sum over all rows
    ops, three = operators(module, backward=True), functools.partial(inputs, backward=True)
    return forward, bench(ops, three, [n], flops=12, **far)


def bench_calls(module, n=16):
    """The host's time for a call, for each way to bind."""
    load_library("bias_gelu", CHAPTER_09, ["bias_gelu.cpp", "bias_gelu.cu"])
    binding = load_library("bias_gelu_pybind", CHAPTER_09, ["binding.cpp", "bias_gelu.cu"])
    ways = {
        "stable ABI": module.bias_gelu,
        "TORCH_LIBRARY": torch.ops.chapter09.bias_gelu,
        "pybind11": binding.bias_gelu,
        "torch": torch_bias_gelu,
    }
    return bench(ways, inputs, [n], **CLOSE)


def benchmark(module):
    """For `make bench10`: {table: rows}."""
    sizes = [2**20, 2**26] if device.type == "cuda" else [2**20]
    forward, backward = zip(*(bench_both(module, n) for n in sizes), strict=True)
    return {"forward": sum(forward, []), "backward": sum(backward, []), "call": bench_calls(module)}


def sweep():
    """For `make sweep`: {operator: Contest}."""

    def contest(formula, tensors, units):
        def of_shape(rows, columns, dtype):
            of = functools.partial(torch.randn, dtype=dtype, device=device)
            return *(of(rows, columns) for _ in range(tensors)), of(columns)

        dtypes = torch.float32, torch.float64, torch.float16, torch.bfloat16
        return Contest(formula, of_shape, tensors + 1, dtypes, tolerance=lambda dtype: units * torch.finfo(dtype).eps)

    # The bias gradient adds up to 2^28 numbers of both signs.
    return {"bias_gelu": contest(torch_bias_gelu, 1, 64), "bias_gelu_backward": contest(torch_backward, 2, 1024)}


def launch_each_kernel(module):
    """For `make microscope10`: each kernel, once."""
    module.bias_gelu(*inputs(2**16))
    module.bias_gelu_backward(*inputs(2**16, backward=True))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sizes", type=int, nargs="+", default=[20], metavar="K", help="time 2^K elements")
    options.add_argument("--other-torch", action="store_true", help="see other_torch.py")
    options.add_argument("--wheel", nargs="*", metavar="PYTHON", help="see package.py")
    options.add_argument("--calls", action="store_true", help="what a call costs")
    options.add_argument("--build-times", action="store_true", help="see build_times.py")
    options = options.parse_args()

    title(10, "bias_gelu", "stable ABI")
    if options.wheel is not None:
        import package

        return package.main(options.wheel)
    if options.build_times:
        import build_times

        return build_times.main(load_library)
    module = build()
    if options.other_torch:
        import other_torch

        load_library("bias_gelu", CHAPTER_09, ["bias_gelu.cpp", "bias_gelu.cu"])
        return other_torch.main()
    if options.calls:
        return bench_calls(module)
    check(module.bias_gelu, torch_bias_gelu, three_rows, gradients=True, name="bias_gelu, 3 rows", **CLOSE)
    for n in (2**k for k in options.sizes):
        bench_both(module, n)


if __name__ == "__main__":
    main()
