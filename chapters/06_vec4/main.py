"""Chapter 06, vec4: from one element a thread to full memory bandwidth

python chapters/06_vec4/main.py                       build, check, time
python chapters/06_vec4/main.py --sizes 20 28         ... with 2^20 and 2^28 elements
python chapters/06_vec4/main.py --elements 10000000   ... with 10 million
python chapters/06_vec4/main.py --flight              what counts: the width of a load, or the bytes in flight?
python chapters/06_vec4/main.py --slices              what a misaligned slice costs
python chapters/06_vec4/main.py --cached              with all data in the L2 cache
"""

import argparse
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

here = Path(__file__).resolve().parent
root = here.parents[1]
sys.path.insert(0, str(root))  # so that `common` is found, wherever you start this file from

from common import Contest, bench, check, device, title
from common.cpp_extension import load
from common.timing import Timing, call_time, copy_bandwidth, middle

import torch  # after `common`, which says what to do where torch is missing

LARGE = 2**28 if device.type == "cuda" else 2**20  # elements: enough to make memory the limit


def build():
    return load(
        name="vec4",
        sources=[str(here / "vec4.cpp"), str(here / "vec4.cu")],
        extra_include_paths=[str(root)],  # for common/cuda_check.h
        extra_cflags=["-O2"],
        # torch's flags switch off float(x) for x in half precision. These switch it on again.
        extra_cuda_cflags=["-U__CUDA_NO_HALF_CONVERSIONS__", "-U__CUDA_NO_BFLOAT16_CONVERSIONS__"],
    )


def versions(module):
    """name -> operator, from plain to fast, and torch's."""
    names = "add_scalar", "add_grid_stride", "add_unrolled", "add_vec4", "add_forward"
    return {name: getattr(module, name) for name in names} | {"torch": torch.add}


def inputs(n, dtype=torch.float32):
    return torch.rand(n, dtype=dtype, device=device), torch.rand(n, dtype=dtype, device=device)


def misaligned(n):
    """Slices: each begins 4 bytes beyond a multiple of 16."""
    return torch.rand(n + 1, device=device)[1:], torch.rand(n + 1, device=device)[1:]


def operators(module):
    """versions(), and on a GPU torch.compile. dynamic=False gives code for exactly one size, the best that it can do."""
    compiled = {"torch.compile": torch.compile(torch.add, dynamic=False)} if device.type == "cuda" else {}
    return versions(module) | compiled


def benchmark(module):
    """For `make bench06`: {table: rows}."""
    tables = {
        "sizes": bench(operators(module), inputs, sorted({min(10_000_000, LARGE), LARGE}), flops=1) + bfloat16(module),
        "sweep": bench(versions(module), inputs, [2**k for k in range(10, 29) if 2**k <= LARGE], flops=1),
        "slices": slices(module),
    }
    if device.type == "cuda":
        tables |= {"flight": flight(module), "cached": cached(module)}
    return tables


def bfloat16(module):
    """add_forward beside torch, with elements of 2 bytes. Returns the rows."""
    ops = {name: op for name, op in operators(module).items() if name in ("add_forward", "torch", "torch.compile")}
    return bench(ops, partial(inputs, dtype=torch.bfloat16), [LARGE], flops=1, rtol=0, atol=0)


def flight(module):
    """Loads of 4 or 16 bytes, more or fewer of them before a thread's first store, more or fewer threads. Returns the rows.

    KiB in flight: what all threads of a multiprocessor have asked for, when they all wait.
    """
    ops, kept = {}, []
    for width, kind, few in (1, "float", (2, 4)), (4, "float4", (1, 2, 4)):
        for loads, blocks in [(1, blocks) for blocks in few] + [(loads, None) for loads in (1, 2, 4, 8)]:
            reserved = shared_memory_for(blocks) if blocks else 0
            threads = module.threads_per_sm(loads, width, reserved)
            in_flight = threads * loads * width * 4 * 2  # 4 bytes, two inputs
            kept.append({"width": width, "loads": loads, "reserved": reserved, "in_flight": in_flight})
            name = f"{loads} x {kind}, {threads} threads: {in_flight // 1024} KiB"
            ops[name] = partial(module.add_unrolled, loads=loads, width=width, reserved=reserved)
    rows = bench(ops, inputs, [LARGE], flops=1, reference=torch.add)
    rows = [replace(row, more=more) for row, more in zip(rows, kept, strict=True)]
    print(f"{'':8}Little's law: a round takes (bytes in flight) / (bytes read in a second)")
    sms = torch.cuda.get_device_properties(device).multi_processor_count
    for row in rows:
        in_flight, read = row.more["in_flight"] * sms, row.bandwidth * 2 / 3  # read: two of three arrays
        law = f"{in_flight / 1e6:.2f} MB / {read / 1e9:.0f} GB/s = {in_flight / read * 1e9:.0f} ns"
        print(f"{'':8}{row.name:<34}{law}")
    return rows


def shared_memory_for(blocks):
    """Bytes that each block reserves, so that a multiprocessor has room for `blocks` of them. CUDA adds 1 KiB to each."""
    return torch.cuda.get_device_properties(device).shared_memory_per_multiprocessor // blocks - 1024


def slices(module):
    """add_forward and torch.add of n - 1 elements, which begin at a multiple of 16 bytes or not. Returns the rows."""
    adds = {"add_forward": module.add_forward, "torch": torch.add}
    cases = {
        "x[:-1], y[:-1]": lambda add: lambda x, y: add(x[:-1], y[:-1]),
        "x[1:], y[:-1]": lambda add: lambda x, y: add(x[1:], y[:-1]),
        "x[1:], y[1:]": lambda add: lambda x, y: add(x[1:], y[1:]),
        "... out=z[1:]": lambda add: lambda x, y: add(x[1:], y[1:], out=torch.empty_like(x)[1:]),
    }
    rows = []
    for case, op in cases.items():
        ops = {f"{name}: {case}": op(add) for name, add in adds.items()}
        rows += bench(ops, inputs, [LARGE], flops=1, reference=op(torch.add))
    return rows


def cached(module, sizes=(2**16, 2**18, 2**20, 2**21)):
    """Each version with all its data in the L2 cache, which bench() would empty first. Returns the rows."""
    rows, limit = [], copy_bandwidth()
    print(f"{'':8}the L2 cache holds {torch.cuda.get_device_properties(device).L2_cache_size / 1e6:.0f} MB")
    for n in sizes:
        args = inputs(n)
        print(f"{'time':8}{f'n = {n}, {12 * n / 1e6:.1f} MB, cached':<33}{'kernel':>10}{'GB/s':>10}")
        for name, op in versions(module).items():
            events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(200)]
            for start, end in events:
                torch.cuda._sleep(100_000)  # keeps the GPU busy until the host has queued the rest
                start.record()
                op(*args)
                end.record()
            torch.cuda.synchronize()
            kernel, spread = middle([start.elapsed_time(end) / 1e3 for start, end in events])
            row = Timing(
                name, n, kernel, spread, call_time(op, args), nbytes=3 * 4 * n, flops=n, copy=limit, dtype="float32"
            )
            rows.append(row)
            print(f"{'':8}{name:<33}{kernel * 1e6:>7.1f} us{row.bandwidth / 1e9:>10.0f}")
    return rows


def sweep():
    """For `make sweep`: {operator: Contest}."""
    dtypes = torch.float32, torch.float64, torch.float16, torch.bfloat16
    return {"add_forward": Contest(torch.add, lambda rows, columns, dtype: inputs(rows * columns, dtype), 3, dtypes)}


def launch_each_kernel(module):
    """For `make microscope06`: each kernel, once."""
    for op in versions(module).values():
        op(*inputs(2**16))


def check_all(module):
    for name, op in versions(module).items():
        if name not in ("add_vec4", "torch"):
            check(op, torch.add, inputs, rtol=0, atol=0)
    check(module.add_vec4, torch.add, inputs, sizes=(0, 4, 252, 256, 260, 2**20 + 4), rtol=0, atol=0)
    check(module.add_forward, torch.add, misaligned, rtol=0, atol=0, name="add_forward of x[1:], y[1:]")
    for dtype in torch.float64, torch.float16, torch.bfloat16:
        name = f"add_forward, {str(dtype).removeprefix('torch.')}"
        check(module.add_forward, torch.add, partial(inputs, dtype=dtype), rtol=0, atol=0, name=name)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sizes", type=int, nargs="+", metavar="K", help="time 2^K elements")
    options.add_argument("--elements", type=int, nargs="+", metavar="N", help="time N elements, a multiple of 4")
    options.add_argument("--flight", action="store_true", help="bytes in flight and bandwidth")
    options.add_argument("--slices", action="store_true", help="aligned and misaligned slices")
    options.add_argument("--cached", action="store_true", help="with all data in the L2 cache")
    options = options.parse_args()

    title(6, "vec4", "load()")
    if (options.cached or options.flight) and device.type == "cpu":
        sys.exit("--cached and --flight are about a GPU's memory, and this run has no GPU.")
    module = build()
    if options.cached:
        cached(module)
    elif options.flight:
        flight(module)
    elif options.slices:
        slices(module)
    else:
        check_all(module)
        sizes = [2**k for k in options.sizes or ()] + (options.elements or [])
        bench(operators(module), inputs, sizes or [2**20])


if __name__ == "__main__":
    main()
