"""Measures the chapters and keeps the figures as data: `make bench`, or `make bench06` for one chapter.

A chapter's main.py that has something to measure has benchmark(module), which takes what build() returns and gives
{table: rows of bench(), or anything else that JSON can hold}. A colon in a row's name says that it is a variation of an
operator; the roofline leaves it out. tools/maintain/docs.py makes tables and pictures of results/<machine>.json.

New figures replace the old ones chapter by chapter: chapters that are not measured, and those that fail, keep theirs.
A copy whose .git does not have it gets the commit from the environment: COMMIT=4f2a91c make bench
"""

import gc
import sys
import traceback
from pathlib import Path

import torch

from common import device
from common.timing import Timing, copy_bandwidth, gpu_times, middle

from ..chapters import folders, load
from .results import RESULTS, keep, machine, measured_with


def circumstances() -> dict:
    """What figures depend on besides the code: measured_with(), and what this GPU can do at most (bytes and FLOP a second,
    its L2 cache in bytes). The FLOP are those of a float32 matrix product."""
    here = measured_with() | {"limits": {}}
    if device.type == "cpu":
        return here
    torch.set_float32_matmul_precision("highest")  # no TF32, which is not float32
    n = 8192
    a, b = torch.rand(n, n, device=device), torch.rand(n, n, device=device)
    flops = 2 * n**3 / middle(gpu_times(torch.matmul, (a, b)))[0]
    cache = torch.cuda.get_device_properties(device).L2_cache_size
    here["limits"] = rounded({"copy": copy_bandwidth(), "flops": flops, "l2_bytes": cache})
    return here


def rounded(data):
    """Timings as dicts, in seconds and bytes; floats with four digits; the rest as it is."""
    if isinstance(data, Timing):
        row = {"op": data.name, "n": data.n, "dtype": data.dtype, "kernel": data.kernel, "spread": data.spread}
        row |= {"call": data.call, "bytes": data.nbytes, "flops": data.flops}
        if data.copy:
            row = rounded(row | {"copy": data.copy})
            row["of_copy"] = row["bytes"] / row["kernel"] / row["copy"]
        return rounded(row | ({"suspect": data.suspect} if data.suspect else {}) | data.more)
    if isinstance(data, dict):
        return {key: rounded(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [rounded(value) for value in data]
    return float(f"{data:.4g}") if isinstance(data, float) else data


def measure(folder: Path) -> dict:
    try:
        main = load(folder / "main.py")
        return circumstances() | {"tables": rounded(main.benchmark(main.build()))}
    finally:
        gc.collect()  # a model is a cycle of references
        torch.cuda.empty_cache()
        if "torch._dynamo" in sys.modules:
            torch.compiler.reset()  # the next chapter starts with nothing compiled


def main():
    measured = folders("benchmark")
    file, failed = RESULTS / f"{machine()}.json", []
    for folder in (measured[number] for number in sys.argv[1:] or measured):
        print(folder.name, flush=True)
        try:
            keep(file, folder.name, measure(folder))
        except (Exception, SystemExit):  # a build that fails exits
            traceback.print_exc()
            failed.append(folder.name)
    if failed:
        sys.exit(f"Not measured, results/{file.name} keeps what it had: {', '.join(failed)}")
    print(f"Written to results/{file.name}")


if __name__ == "__main__":
    main()
