"""Chapter 18, wgmma: a product without a load

python chapters/18_wgmma/main.py                        build, check, time the rungs of the ladder
python chapters/18_wgmma/main.py --size 4095 4097 4093  ... of an M x K and a K x N matrix, given M, N and K
python chapters/18_wgmma/main.py --tiles                time every tile, whole and divided, instead
"""

import argparse
import functools
import sys
from functools import partial
from pathlib import Path

here = Path(__file__).resolve().parent
root = here.parents[1]
sys.path[:0] = [
    str(here),
    str(here.parent / "16_matmul"),
    str(root),
]  # so that linear_gelu.py, chapter 16's files and `common` are found, wherever you start this file from

from common import bench, check, device, has_wgmma, title
from common.cpp_extension import load_stable

import torch  # after `common`, which says what to do where torch is missing
import torch.nn.functional as F

import linear_gelu
import product_times
import products
from linear_gelu import HALVES, RUNGS, STEPS, TILES
from product_times import contest, exact, matrices, named, shapes_of, tolerance

ON_GPU = device.type == "cuda"
BFLOAT16 = torch.bfloat16

# M, N and K. Rows of 4104 and 8200 numbers begin at odd multiples of 16 bytes, those of the odd sides anywhere.
SQUARES = [512, 1024, 2048, 4096, 8192, 16384] if ON_GPU else [128]
SHAPES = [(n, n, n) for n in SQUARES]
if ON_GPU:
    SHAPES += [(4096, 11008, 4096), (64, 4096, 4096), (65536, 768, 768), (4096, 4096, 4104), (8192, 8192, 8200),
               (56, 80, 12000)]  # fmt: skip
ODD = [(4095, 4097, 4093), (4096, 4096, 4095), (4096, 4095, 4096), (290, 39, 68)] if ON_GPU else [(95, 97, 93)]
LAYERS = [(8192, 8192, 2048), (16384, 4096, 1024), (8192, 28672, 4096)] if ON_GPU else [(64, 96, 64)]


@functools.cache  # torch takes a registration once in a process
def build():
    kernels = "wgmma.cu", "divided.cu", "direct.cu", "ladder.cu", "copy_rows.cu", "gelu.cu"
    sources = [here / name for name in ("wgmma.cpp", *kernels)]
    sources.append(here.parent / "17_tensor_cores" / "tensor_cores.cu")
    load_stable("wgmma_stable", [str(source) for source in sources], wgmma=True)
    products.register("chapter18", HALVES, STEPS, device.type)
    linear_gelu.register(device.type)
    return torch.ops.chapter18


def steps_here(*steps):
    """Those that this device can run."""
    return [step for step in steps if step in ("auto", "fallback") or has_wgmma()]


# ---- linear_gelu by torch -----------------------------------------------------------------------------------------------
def torch_linear_gelu(x, weight, bias, approximate="none"):
    return F.gelu(F.linear(x, weight, bias), approximate=approximate)


def exact_linear_gelu(x, weight, bias, approximate="none"):
    """In float32, and rounded once."""
    return torch_linear_gelu(x.float(), weight.float(), bias.float(), approximate).to(x.dtype)


def cublas_linear_gelu(x, weight, bias):
    """tanh only: torch's way to the epilogue of cublasLt."""
    return torch._addmm_activation(bias, x, weight.t(), use_gelu=True)


def layer(shape, dtype=BFLOAT16):
    """x, weight and bias, for M, N and K. The product of x and weight has normal numbers again."""
    m, n, k = shape
    normal = partial(torch.randn, dtype=dtype, device=device)
    return normal(m, k), normal(n, k) / max(k, 1) ** 0.5, normal(n)


def inputs(n, name="matmul"):
    return (layer if name == "linear_gelu" else matrices)((n, n, n), dtype=BFLOAT16)


def operators(module, name="matmul", approximate="none"):
    if name == "matmul":
        return product_times.operators(module)
    formula = partial(torch_linear_gelu, approximate=approximate)
    ops = {name: partial(module.linear_gelu, approximate=approximate), "torch": formula}
    if ON_GPU:
        torch.compiler.reset()
        ops["torch.compile"] = torch.compile(formula, dynamic=False)
        if approximate == "tanh":
            ops["torch: cublasLt's epilogue"] = cublas_linear_gelu
    return ops


# ---- times -----------------------------------------------------------------------------------------------------------
bench_products = partial(product_times.bench_products, dtype=BFLOAT16)


def bench_layers(module, approximate):
    rows = []
    for shape in LAYERS:
        m, n, k = shape
        print(f"{'':8}gelu ({approximate}) of {m} x {k} by {k} x {n}")
        ops = operators(module, "linear_gelu", approximate) | {"torch: linear alone": F.linear}
        formula = partial(exact_linear_gelu, approximate=approximate)
        timed = bench(ops, lambda _, shape=shape: layer(shape), [m * n], 2 * k, formula, **tolerance(k, BFLOAT16),
                      rate="TFLOP/s")  # fmt: skip
        rows += named(shape, timed)
    return rows


def benchmark(module):
    """For `make bench18`: {table: rows}."""
    squares = [shape for shape in SHAPES if shape[0] == shape[1] == shape[2]]
    return {
        "rungs": bench_products(module, squares, steps_here(*RUNGS, "auto")),
        "rows": bench_products(module, SHAPES + ODD),
        "columns": bench_products(module, SHAPES + ODD, b_transposed=True),
        "gelu": bench_layers(module, "none"),
        "gelu_tanh": bench_layers(module, "tanh"),
    }


def sweep():
    """For `make sweep`: {operator: Contest}."""
    return {"matmul": contest(HALVES)}


def launch_each_kernel(module):
    """For `make microscope18`: each rung, the tile 128 x 256, a divided one, and two ways for rows that TMA cannot read."""
    for step in steps_here(*RUNGS, "128x256", "64x128 k/2"):
        module.matmul(*matrices((256, 256, 128), BFLOAT16, b_transposed=True), step=step)
    for step in steps_here("128x256", "direct"):
        module.matmul(*matrices((128, 256, 125), BFLOAT16, b_transposed=True), step=step)


# ---- right? ----------------------------------------------------------------------------------------------------------
def check_all(module):
    for dtype in HALVES:
        for step in steps_here(*RUNGS, "auto", "fallback"):
            op = partial(module.matmul, step=step)
            check(op, exact, lambda n, dtype=dtype: matrices((n, n + 3, 72), dtype, b_transposed=n % 2),
                  sizes=(1, 64, 133), name=f"matmul, {step}, {str(dtype)[6:]}", **tolerance(72, dtype))  # fmt: skip
        for approximate in "none", "tanh":
            op, formula = (partial(f, approximate=approximate) for f in (module.linear_gelu, exact_linear_gelu))
            check(op, formula, lambda n, dtype=dtype: layer((n, n + 3, 72), dtype), sizes=(1, 64, 133),
                  name=f"linear_gelu, {approximate}, {str(dtype)[6:]}", **tolerance(72, dtype))  # fmt: skip


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--size", type=int, nargs="+", metavar="N", help="M, N and K, or one number for all three")
    options.add_argument("--tiles", action="store_true", help="time every tile instead of the ladder")
    options = options.parse_args()
    shapes = shapes_of(options.size, 4096 if ON_GPU else 128)

    title(18, "wgmma", "stable ABI")
    module = build()
    check_all(module)
    steps = STEPS[STEPS.index(TILES[0]) :] if options.tiles else RUNGS
    bench_products(module, shapes, steps_here(*steps, "auto"), b_transposed=True)


if __name__ == "__main__":
    main()
