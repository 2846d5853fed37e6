"""Chapter 12, reduce: one number from all threads

python chapters/12_reduce/main.py                 build, check, time
python chapters/12_reduce/main.py --sizes 16 28   ... with 2^16 and 2^28 elements
python chapters/12_reduce/main.py --steps         each step of the sum
python chapters/12_reduce/main.py --bits          which steps give the same bits in each run and on each grid
python chapters/12_reduce/main.py --error         how far each step, and torch, are from the exact sum
python chapters/12_reduce/main.py --histogram     the histogram, on random and on constant input
"""

import argparse
import functools
import os
import sys
from pathlib import Path
from unittest import mock

here = Path(__file__).resolve().parent
root = here.parents[1]
sys.path.insert(0, str(root))  # so that `common` is found, wherever you start this file from

from common import Contest, bench, check, device, rounded_once, title
from common.cpp_extension import load_stable

import torch  # after `common`, which says what to do where torch is missing

FLOATS = {torch.float32: "Float", torch.float64: "Double", torch.float16: "Half", torch.bfloat16: "BFloat16"}
LADDER = "atomic", "tree", "shuffle", "packs", "last_block", "chunks"
GPU = device.type == "cuda"
LARGE = 2**28 if GPU else 2**18  # elements: so many that memory is what counts
CLOSE, EXACT = {"rtol": 1e-5, "atol": 1e-5}, {"rtol": 0, "atol": 0}


@functools.cache  # a process can register an operator only once
def build():
    load_stable("reduce", [str(here / name) for name in ("reduce.cpp", "reduce.cu", "histogram.cu")])
    for name, fake in {
        "sum": fake_sum,
        "sum_by": fake_sum_by,
        "histogram": fake_histogram,
        "histogram_by": fake_histogram_by,
    }.items():
        torch.library.register_fake(f"chapter12::{name}", fake)
    for name in "sum", "sum_by":
        torch.library.register_autograd(f"chapter12::{name}", gradient_of_sum, setup_context=keep_shape)
    return torch.ops.chapter12


# ---- for tensors that have a shape and no memory; the messages are those of reduce.cpp ---------------------------------
def check_fake(x, dtypes):
    torch._check(x.dtype in dtypes, lambda: f"x must have dtype {' or '.join(dtypes.values())}, got {x.dtype}")
    torch._check(x.is_contiguous(), lambda: (
        f"x must be contiguous, got strides {x.stride()} for shape {x.shape}; pass x.contiguous()"))  # fmt: skip


def fake_sum(x, *, deterministic=False):
    check_fake(x, FLOATS)
    return x.new_empty(())


def fake_sum_by(x, step, *, blocks=0):
    result = fake_sum(x)
    torch._check(step in LADDER, lambda: f"step must be {', '.join(LADDER[:-1])} or {LADDER[-1]}, got {step}")
    torch._check(0 <= blocks <= 2**16, lambda: f"blocks must be 0 to 65536, got {blocks}")
    return result


def fake_histogram(x, bins):
    check_fake(x, {torch.uint8: "Byte", torch.int32: "Int"})
    torch._check(1 <= bins < 2**31, lambda: f"bins must be 1 to 2147483647, got {bins}")
    return x.new_empty(bins, dtype=torch.int64)


def fake_histogram_by(x, bins, step):  # only the GPU knows whether the bins fit into its shared memory
    result = fake_histogram(x, bins)
    torch._check(step in ("global", "shared", "copies"), lambda: f"step must be global, shared or copies, got {step}")
    return result


# ---- gradients ---------------------------------------------------------------------------------------------------------
def keep_shape(ctx, inputs, output, keyword_only_inputs=None):
    ctx.shape, ctx.others = inputs[0].shape, len(inputs) - 1


def gradient_of_sum(ctx, grad):  # each element's gradient is the sum's; a view, not a copy
    return grad.expand(ctx.shape), *[None] * ctx.others


exact = rounded_once(torch.sum)


def step_of(module, step):
    return functools.partial(module.sum_by, step=step)


def inputs(n):
    return (torch.rand(n, device=device),)


def integers(dtype=torch.float32):
    """-1, 0 and 1: their sum is exact in any order, and fits into half precision."""
    return lambda n: (torch.randint(-1, 2, (n,), device=device).to(dtype),)


def operators(module, dtype=torch.float32):
    compiled = {"torch.compile": torch.compile(torch.sum, dynamic=False)} if GPU else {}
    ours = {"sum": module.sum, "sum: deterministic": functools.partial(module.sum, deterministic=True)}
    others = cub() if dtype == torch.float32 else {}
    return ours | {"torch": torch.sum} | compiled | others


def bench_sums(module, sizes):
    return bench(operators(module), inputs, sizes, flops=1, reference=exact, **CLOSE)


def bench_half(module, n, dtype):
    return bench(operators(module, dtype), integers(dtype), [n], flops=1, reference=exact, **EXACT)


def cub():
    """{"cub::DeviceReduce": the sum of CUB, NVIDIA's library}, on a GPU."""
    return {"cub::DeviceReduce": cub_sum()} if GPU else {}


@functools.cache
def cub_sum():
    load_stable("cub_sum", [str(here / "cub" / name) for name in ("cub_sum.cpp", "cub_sum.cu")])
    return torch.ops.chapter12_cub.sum


def bench_steps(module, n):
    steps = {f"sum: {step}": step_of(module, step) for step in LADDER}
    return bench(steps, integers(), [n], flops=1, reference=exact, **EXACT)


# ---- which bits --------------------------------------------------------------------------------------------------------
def bits(module, n=2**20 + 3, runs=20, grids=(1, 2, 7, 100, 132, 264)):
    """step -> (how many different results in many runs, how many on several grids), for the same numbers. Prints them. CUDA on
    CPU has two orders of threads and blocks, and each of them always gives the same result."""
    x = torch.rand(n, generator=torch.Generator().manual_seed(12)).to(device)
    in_runs = f"in {runs} runs" if GPU else "in 2 orders"
    print(f"{'bits':8}{f'n = {n}, float32: different results':<44}{in_runs:>12}{f'on {len(grids)} grids':>12}")
    found = {}
    for step in LADDER:
        results = different(step_of(module, step)(x) for _ in order_of_threads(runs))
        ordered = step in ("last_block", "chunks")  # the others add by atomics, in any order
        on_grids = different(module.sum_by(x, step, blocks=b) for b in grids) if ordered else None
        found[step] = results, on_grids
        print(f"{'':8}{step:<44}{results:>12}{on_grids or '':>12}".rstrip())
    print(f"{'':8}the sum of chunks: {float(module.sum(x, deterministic=True)).hex()}, on every machine")
    return found


def different(results):
    return len({float(result) for result in results})


def order_of_threads(runs):
    """On a GPU, each run has an order of its own. CUDA on CPU has two orders, and CUDA_REVERSE chooses one."""
    for run in range(runs if GPU else 2):
        with mock.patch.dict(os.environ, {} if GPU else {"CUDA_REVERSE": str(run)}):
            yield run


# ---- how far from the exact sum ----------------------------------------------------------------------------------------
def numbers_that_punish(n):
    """name -> n numbers in float32."""
    generator = torch.Generator().manual_seed(12)
    noise = torch.rand(n, generator=generator)
    signs = 1 - 2 * (torch.arange(n) % 2)
    return {
        "equal: 1": torch.ones(n),
        "equal: 0.1": torch.full((n,), 0.1),
        "alternating: +1, -1, and noise": signs + 1e-3 * noise,
        "large and small: 1e8, then 1": torch.ones(n).index_fill_(0, torch.tensor([0]), 1e8),
        "random: 0 to 1": noise,
    }


def errors(module, n):
    """input -> step -> the relative error of the sum of n numbers. Prints them."""
    found = {}
    ours = {step: step_of(module, step) for step in LADDER} | {"torch": torch.sum}
    print(f"{'error':8}{f'n = {n}, relative to float64':<31}" + "".join(f"{step:>11}" for step in ours))
    for name, x in numbers_that_punish(n).items():
        x = x.to(device)
        right = float(x.double().sum())
        found[name] = {step: abs(float(op(x)) - right) / abs(right) for step, op in ours.items()}
        print(f"{'':8}{name:<31}" + "".join(f"{error:>11.1e}" for error in found[name].values()))
    return found


# ---- histogram ---------------------------------------------------------------------------------------------------------
KINDS = {
    "random": lambda n: (torch.randint(0, 256, (n,), dtype=torch.uint8, device=device),),
    "constant": lambda n: (torch.full((n,), 7, dtype=torch.uint8, device=device),),
}


def counts(x):
    return torch.bincount(x, minlength=256)


def bench_histogram(module, n, kind):
    ours = {"histogram": functools.partial(module.histogram, bins=256)}
    for step in "global", "shared":
        ours[f"histogram: {step}"] = functools.partial(module.histogram_by, bins=256, step=step)
    others = {"torch.bincount": counts}
    if GPU:  # on a CPU it refuses integers. Its counts are of x's dtype, uint8, and overflow, so they are not compared
        others["torch.histc"] = lambda x: torch.histc(x, 256, 0, 255)
    print(f"{'':8}{kind} numbers")
    return bench(ours | others, KINDS[kind], [n], flops=1, reference=counts, **EXACT)


# ------------------------------------------------------------------------------------------------------------------------
def benchmark(module):
    """For `make bench12`: {table: rows}."""
    return {
        "sum": bench_sums(module, [2**16, *[2**20, 2**22, 2**24, 2**26] * GPU, LARGE]),
        "half": [row for dtype in (torch.float16, torch.bfloat16) for row in bench_half(module, LARGE, dtype)],
        "steps": bench_steps(module, LARGE),
    } | {f"histogram_{kind}": bench_histogram(module, LARGE, kind) for kind in KINDS}


def sweep():
    """For `make sweep`: {operator: Contest}."""

    def small(rows, columns, dtype):
        return integers(dtype)(rows * columns)

    def bytes_and_bins(rows, columns, dtype):
        return torch.randint(0, 256, (rows * columns,), dtype=dtype, device=device), 256

    def counts_of(x, bins):
        return torch.bincount(x, minlength=bins)

    def histc():
        return lambda x, bins: torch.histc(x, bins, 0, bins - 1)

    return {
        "sum": Contest(torch.sum, small, 1, tuple(FLOATS), peers={"CUB": cub_sum}),
        "histogram": Contest(counts_of, bytes_and_bins, 1, (torch.uint8, torch.int32), peers={"torch.histc": histc}),
    }


def launch_each_kernel(module):
    """For `make microscope12`: each kernel, once."""
    for step in LADDER:
        step_of(module, step)(*inputs(2**16))
    for step in "global", "shared":
        module.histogram_by(*KINDS["random"](2**16), bins=256, step=step)


def check_all(module):
    sizes = 0, 1, 31, 255, 256, 257, 2**20 + 3 if GPU else 2**16 + 3
    for step in LADDER:
        check(step_of(module, step), exact, integers(), sizes, name=step, **EXACT)
    check(module.sum, exact, inputs, sizes, gradients=True, name="sum and its gradient", **CLOSE)
    check(lambda x: module.histogram(x, 256), counts, KINDS["random"], sizes, name="histogram", **EXACT)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sizes", type=int, nargs="+", default=[16, 20 if GPU else 16], metavar="K", help="time 2^K")
    options.add_argument("--steps", action="store_true", help="time each step")
    options.add_argument("--bits", action="store_true", help="the same bits in each run, on each grid?")
    options.add_argument("--error", action="store_true", help="distance to the exact sum")
    options.add_argument("--histogram", action="store_true", help="time the histogram")
    options = options.parse_args()

    title(12, "reduce", "stable ABI")
    module = build()
    if options.bits:
        return bits(module)
    if options.error:
        return errors(module, 2**28 if GPU else 2**25)
    if options.steps:
        return bench_steps(module, LARGE)
    if options.histogram:
        return [bench_histogram(module, LARGE, kind) for kind in KINDS]
    check_all(module)
    bench_sums(module, sorted({2**k for k in options.sizes}))


if __name__ == "__main__":
    main()
