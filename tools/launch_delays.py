"""What a GPU's front end adds to short times between two events, and why common/timing.py shifts its samples.

python tools/launch_delays.py    on a GPU: a table of half a minute

Each row launches a small kernel 0 to 4 times between its two events. The first columns record the same number of further
events in front of every sample, as a plain loop does with 0 of them; the last one varies the number, as bench() does.
"""

import statistics
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))
from common import device
from common.timing import gpu_times, measure

FIXED = range(4)
SAMPLES = 400


def repeated(launches):
    """An operator that launches a small kernel so many times."""

    def op(x, out):
        for _ in range(launches):
            torch.neg(x, out=out)
        return out

    return op


def columns(op, args):
    """The samples for each number of further events, and for a number that varies."""
    for number in FIXED:
        yield gpu_times(op, args, records_before=lambda i, number=number: number)[:SAMPLES]
    yield gpu_times(op, args)[:SAMPLES]


def cell(seconds):
    tenths = statistics.quantiles(seconds, n=10)
    return f"{statistics.median(seconds) * 1e6:.2f} ({tenths[0] * 1e6:.2f} to {tenths[-1] * 1e6:.2f})"


def pattern(seconds):
    """The medians of the first, second, ... eighth sample of every eight."""
    return " ".join(f"{statistics.median(seconds[i::8]) * 1e6:.2f}" for i in range(8))


def main():
    if device.type == "cpu":
        sys.exit("launch_delays.py measures a GPU, and there is none.")
    x = torch.ones(16, device=device)
    args = x, torch.empty_like(x)
    print(f"{torch.cuda.get_device_name(device)}, torch {torch.__version__}, {SAMPLES} samples a cell; microseconds\n")

    print("launches   median (10th to 90th percentile), further events before each sample")
    print(" " * 9 + "".join(f"{head:>22}" for head in (*map(str, FIXED), "0, 1, 2, 3, 0, ...")))
    patterns = {}
    for launches in range(5):
        samples = list(columns(repeated(launches), args))
        print(f"{launches:<9}" + "".join(f"{cell(seconds):>22}" for seconds in samples))
        patterns[launches] = samples[0], samples[-1]

    print("\nmedian of the 1st, 2nd, ... 8th of every eight samples: the delays stay at their places")
    for launches, (fixed, varied) in patterns.items():
        print(f"{launches:<9}fixed   {pattern(fixed)}\n{'':9}varied  {pattern(varied)}")

    print("\nwhat bench() reports, five times")
    for launches in 1, 2, 3:
        times = [measure("", 16, repeated(launches), args).kernel * 1e6 for _ in range(5)]
        print(f"{launches:<9}" + " ".join(f"{t:.2f}" for t in times))


if __name__ == "__main__":
    main()
