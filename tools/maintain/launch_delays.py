"""Each fourth launch on a GPU takes longer, and what common/timing.py does about it: python -m tools.maintain.launch_delays

It launches a small kernel 0 to 4 times between two events, and sorts the samples by how many launches came before, modulo
four. Then it shows what bench() reports, five times each.
"""

import sys

import torch

from common import device
from common.timing import FLUSHED, measure, middle

PLACES, SAMPLES = 4, 100  # of each place


def repeated(launches):
    """An operator that launches a small kernel so many times."""

    def op(x, out):
        for _ in range(launches):
            torch.neg(x, out=out)
        return out

    return op


def by_place(launches, args):
    """Microseconds of each place: those of the samples before which 0, 1, 2, 3 launches came, modulo four."""
    op, cache = repeated(launches), torch.empty(FLUSHED, dtype=torch.uint8, device=device)
    events = [[[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(SAMPLES)] for _ in range(PLACES)]
    before = 0  # launches, modulo four, from a place that each run begins with: see the end
    for i in range(SAMPLES * PLACES):
        place = i % PLACES
        while (before + 1) % PLACES != place:
            repeated(1)(*args)
            before += 1
        cache.zero_()
        start, end = events[place][i // PLACES]
        start.record()
        op(*args)
        end.record()
        before += 1 + launches
    for _ in range(-before % PLACES):
        repeated(1)(*args)
    torch.cuda.synchronize()
    return [middle([start.elapsed_time(end) * 1e3 for start, end in pairs])[0] for pairs in events]


def main():
    if device.type == "cpu":
        sys.exit("launch_delays.py measures a GPU, and there is none.")
    x = torch.ones(16, device=device)
    args = x, torch.empty_like(x)
    print(f"{torch.cuda.get_device_name(device)}, torch {torch.__version__}; microseconds between two events\n")
    print("launches   launches before, modulo four:" + "".join(f"{place:>8}" for place in range(PLACES)))
    by_place(1, args)  # loads the kernels
    for launches in range(5):
        print(f"{launches:<40}" + "".join(f"{us:>8.2f}" for us in by_place(launches, args)))
    print("\nlaunches   what bench() reports")
    for launches in range(1, 5):
        times = [measure("", 16, repeated(launches), args).kernel * 1e6 for _ in range(5)]
        print(f"{launches:<40}" + "".join(f"{us:>8.2f}" for us in times))


if __name__ == "__main__":
    main()
