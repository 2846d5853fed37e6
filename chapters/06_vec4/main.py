"""Chapter 06: one sum in five kernels, from one thread an element to the limit of the memory.

python chapters/06_vec4/main.py                       build, check, time
python chapters/06_vec4/main.py --sizes 20 28         ... with 2^20 and 2^28 elements
python chapters/06_vec4/main.py --elements 10000000   ... with 10 million
python chapters/06_vec4/main.py --flight              what counts: the width of a load, or the bytes in flight?
python chapters/06_vec4/main.py --slices              what a slice costs that is not aligned
python chapters/06_vec4/main.py --cached              when all data lie in the L2 cache already
python chapters/06_vec4/main.py --sweep               every version from 2^10 to 2^28 elements
"""

import argparse
import json
import statistics
import sys
from dataclasses import asdict
from pathlib import Path

import torch

here = Path(__file__).resolve().parent
root = here.parents[1]
sys.path.insert(0, str(root))  # so that `common` is found, wherever you start this file from

from common import bench, check, device, title
from common.cpp_extension import load

LARGE = 2**28 if device.type == "cuda" else 2**20  # elements: so many that the GPU's memory is what counts


def build():
    return load(
        name="vec4",
        sources=[str(here / "vec4.cpp"), str(here / "vec4.cu")],
        extra_include_paths=[str(root)],  # for common/check.h
        extra_cflags=["-O2"],
    )


def versions(module):
    """name -> operator, from naive to fast, and torch's."""
    names = "add_scalar", "add_grid_stride", "add_unrolled", "add_vec4", "add_forward"
    return {name: getattr(module, name) for name in names} | {"torch": torch.add}


def inputs(n):
    return torch.rand(n, device=device), torch.rand(n, device=device)


def misaligned(n):
    """Slices: each begins 4 bytes beyond a multiple of 16."""
    return torch.rand(n + 1, device=device)[1:], torch.rand(n + 1, device=device)[1:]


def sweep(module):
    """Every version at sizes from 2^10 up. Returns the rows."""
    sizes = [2**k for k in range(10, 29) if 2**k <= LARGE]
    return bench(versions(module), inputs, sizes)


def flight(module):
    """Loads of 4 or 16 bytes, and more or fewer of them before a thread's first store. Returns the rows.

    KiB in flight: what the threads that a multiprocessor holds at a time have asked for, when none has its data yet.
    """
    ops = {}
    for width, kind in (1, "float"), (4, "float4"):
        for loads in 1, 2, 4, 8:
            in_flight = module.threads_per_sm(loads, width) * loads * width * 4 * 2  # 4 bytes, two inputs
            ops[f"{loads} x {kind}: {in_flight // 1024} KiB in flight"] = lambda a, b, loads=loads, width=width: (
                module.add_unrolled(a, b, loads, width)
            )
    rows = bench(ops, inputs, [LARGE])
    sms = torch.cuda.get_device_properties(device).multi_processor_count
    in_flight = module.threads_per_sm(1, 1) * 4 * 2 * sms
    read = rows[0].bandwidth * 2 / 3  # two of three arrays
    print(f"{'':8}first row: {in_flight / 1e6:.2f} MB in flight on {sms} SMs, {read / 1e9:.0f} GB/s read,")
    print(f"{'':8}so a load takes {in_flight / read * 1e9:.0f} ns or less (Little's law)")
    return rows


def slices(module):
    """add_forward and torch.add of n - 1 elements, which begin at a multiple of 16 bytes or not. Returns the rows."""
    z = torch.empty(LARGE, device=device)
    adds = {"add_forward": module.add_forward, "torch": torch.add}
    cases = {
        "x[:-1], y[:-1]": lambda add: lambda x, y: add(x[:-1], y[:-1]),
        "x[1:], y[:-1]": lambda add: lambda x, y: add(x[1:], y[:-1]),
        "x[1:], y[1:]": lambda add: lambda x, y: add(x[1:], y[1:]),
        "... out=z[1:]": lambda add: lambda x, y: add(x[1:], y[1:], out=z[1:]),
    }
    ops = {f"{name}: {case}": op(add) for case, op in cases.items() for name, add in adds.items()}
    return bench(ops, inputs, [LARGE])


def cached(module, sizes=(2**16, 2**18, 2**20, 2**21)):
    """Each version with all its data in the L2 cache, where bench() makes sure that none are. Returns (name, n, seconds)."""
    rows = []
    print(f"{'':8}the L2 cache holds {torch.cuda.get_device_properties(device).L2_cache_size / 1e6:.0f} MB")
    for n in sizes:
        args = inputs(n)
        print(f"{'time':8}{f'n = {n}, {12 * n / 1e6:.1f} MB, cached':<33}{'kernel':>10}{'GB/s':>10}")
        for name, op in versions(module).items():
            events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(200)]
            for start, end in events:
                torch.cuda._sleep(100_000)  # the GPU is busy, so the host has queued the rest before it begins
                start.record()
                op(*args)
                end.record()
            torch.cuda.synchronize()
            seconds = statistics.median(start.elapsed_time(end) for start, end in events) / 1e3
            rows.append((name, n, seconds))
            print(f"{'':8}{name:<33}{seconds * 1e6:>7.1f} us{3 * 4 * n / seconds / 1e9:>10.0f}")
    return rows


def check_all(module):
    for name, op in versions(module).items():
        if name not in ("add_vec4", "torch"):
            check(op, torch.add, inputs, rtol=0, atol=0)
    check(module.add_vec4, torch.add, inputs, sizes=(0, 4, 252, 256, 260, 2**20 + 4), rtol=0, atol=0)
    check(module.add_forward, torch.add, misaligned, rtol=0, atol=0, name="add_forward of x[1:], y[1:]")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sizes", type=int, nargs="+", metavar="K", help="time 2^K elements")
    options.add_argument("--elements", type=int, nargs="+", metavar="N", help="time N elements, a multiple of 4")
    options.add_argument("--flight", action="store_true", help="bytes in flight and bandwidth")
    options.add_argument("--slices", action="store_true", help="aligned and misaligned slices")
    options.add_argument("--cached", action="store_true", help="with all data in the L2 cache")
    options.add_argument("--sweep", action="store_true", help="every version at every size")
    options.add_argument(
        "--json", type=Path, metavar="FILE", help="with --sweep, --flight or --slices: write the rows, too"
    )
    options = options.parse_args()

    title(6, "vec4", "load()")
    if (options.cached or options.flight) and device.type == "cpu":
        sys.exit("--cached and --flight are about a GPU's memory, and this run has no GPU.")
    module = build()
    if options.cached:
        cached(module)
    elif options.flight or options.slices or options.sweep:
        rows = (flight if options.flight else slices if options.slices else sweep)(module)
        if options.json:
            options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    else:
        check_all(module)
        sizes = [2**k for k in options.sizes or ()] + (options.elements or [])
        bench(versions(module), inputs, sizes or [2**20])


if __name__ == "__main__":
    main()
