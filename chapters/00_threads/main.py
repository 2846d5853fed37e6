"""Chapter 00: how a GPU runs a kernel. Its threads say who they are, where they ran, and when.

python chapters/00_threads/main.py                               the threads, the launch, the bounds check
python chapters/00_threads/main.py --blocks 300 --threads 512    ... for a grid of your own
python chapters/00_threads/main.py --memory                      latency and bandwidth of the memories of this machine
"""

import argparse
import sys
import time
from pathlib import Path

import torch

here = Path(__file__).resolve().parent
root = here.parents[1]
sys.path.insert(0, str(root))  # so that `common` is found, wherever you start this file from

from common import device, title
from common.cpp_extension import load
from common.timing import format_seconds

gpu = device.type == "cuda"
COLUMNS = ["block", "thread", "warp", "lane", "multiprocessor", "start", "end"]
WORK = 50_000 if gpu else 1000  # nanoseconds a thread; on the CPU they add up, because one thread runs after another


def build():
    return load(
        name="threads",
        sources=[str(here / name) for name in ("threads.cpp", "threads.cu", "hierarchy.cu")],
        extra_include_paths=[str(root)],
        extra_cflags=["-O2"],
    )


def synchronize():
    if gpu:
        torch.cuda.synchronize()


# ---- which thread, which block, where, when --------------------------------------------------------------------------
def room(threads):
    """How many blocks of so many threads this machine runs at the same time."""
    if not gpu:
        return 1
    of = torch.cuda.get_device_properties(device)
    warps = -(-threads // of.warp_size)
    return of.multi_processor_count * min(32, of.max_threads_per_multi_processor // (warps * of.warp_size))


def run_grid(module, blocks, threads):
    """A row for each thread, times in nanoseconds since the first one started."""
    module.where_am_i(blocks, threads, 0)  # the first launch loads the kernel
    rows = module.where_am_i(blocks, threads, WORK).cpu()
    rows[:, 5:] -= rows[:, 5].min()
    return rows


def by_block(rows, threads):
    """A dict for each block: its number, its multiprocessor, when its first thread started and its last one ended."""
    rows = rows.view(-1, threads, len(COLUMNS))
    columns = rows[:, 0, 0], rows[:, 0, 4], rows[:, :, 5].amin(1), rows[:, :, 6].amax(1)
    keys = "block", "multiprocessor", "start", "end"
    return [dict(zip(keys, row, strict=True)) for row in zip(*(c.tolist() for c in columns), strict=True)]


def lanes_of_blocks(blocks):
    """[[blocks that follow one another]]: blocks that run at the same time are in different lists."""
    lists = []
    for block in sorted(blocks, key=lambda block: block["start"]):
        free = next((some for some in lists if some[-1]["end"] <= block["start"]), None)
        if free is None:
            lists.append(free := [])
        free.append(block)
    return lists


def show_threads(rows, threads):
    print(f"{'threads':8}{'block':>8}{'thread':>8}{'warp':>8}{'lane':>8}{'multiprocessor':>16}{'start':>12}{'end':>12}")
    last = len(rows) - 1
    for i in sorted({i for i in (0, 1, 31, 32, threads - 1, threads, last) if i <= last}):
        *who, start, end = rows[i].tolist()
        print(f"{'':8}" + "".join(f"{number:>8}" for number in who[:4]) + f"{who[4]:>16}", end="")
        print(f"{start / 1e3:>9.1f} us{end / 1e3:>9.1f} us")


def show_blocks(rows, threads, columns=60):
    """A line for each block that a multiprocessor runs at the same time as others; to the right, time."""
    blocks = by_block(rows, threads)
    on = {number: [b for b in blocks if b["multiprocessor"] == number] for number in {b["multiprocessor"] for b in blocks}}
    busiest = sorted(on, key=lambda number: (-len(on[number]), number))
    end = max(block["end"] for block in blocks)
    late = len(blocks) - room(threads)
    print(f"{'blocks':8}{len(blocks)} of {threads} threads on {len(on)} multiprocessor{'s' * (len(on) > 1)}", end="")
    print(f": {late} more than there is room for" if late > 0 else ": all at the same time" * (len(blocks) > 1))
    print(f"{'':8}{'':>5}0 us{format_seconds(end / 1e9):>{columns - 4}}")
    for number in dict.fromkeys([*busiest[:2], busiest[-1]]):
        for k, line in enumerate(lanes_of_blocks(on[number])):
            text = [" "] * columns
            for block in line:
                first, last = (round(block[key] / end * columns) for key in ("start", "end"))
                last = max(last, first + 1)
                text[first:last] = f"[{block['block']}".ljust(last - first - 1)[: last - first - 1] + "]"
            print(f"{'':8}{number if k == 0 else '':>4} {''.join(text).rstrip()}")


# ---- a launch, and the bounds check ----------------------------------------------------------------------------------
def show_launch(module, nanoseconds=10_000_000):
    module.wait(0)
    synchronize()
    start = time.perf_counter()
    module.wait(nanoseconds)
    returned = time.perf_counter()
    synchronize()
    done = time.perf_counter()
    print(f"{'launch':8}wait({nanoseconds}) returned after {format_seconds(returned - start)}", end="")
    print(f"; synchronize() took {format_seconds(done - returned)} more")


def show_bounds(module, n=10, threads=4):
    for check in True, False:
        places = module.number(n, threads, check).tolist()
        array, behind = (" ".join(map(str, part)) for part in (places[:n], places[n:]))
        print(f"{'bounds' if check else '':8}number({n}, {threads}, check={check!s})".ljust(40) + f"{array} | {behind}")


# ---- the memories ----------------------------------------------------------------------------------------------------
def levels():
    """{memory: bytes that lie in it}, from what this device says of itself."""
    if gpu:
        cache = torch.cuda.get_device_properties(device).L2_cache_size
    else:
        cache = 2**20  # a common size
    power = cache.bit_length() - 1
    return {"shared memory": 2**15, "L1 cache": 2**15, "L2 cache": 2 ** (power - 2), "memory": 2 ** (power + 5 * gpu)}


def measure_memory(module):
    """Rows: the memory, the bytes that were read again and again, latency, its cycles, bytes a second."""
    multiprocessors = torch.cuda.get_device_properties(device).multi_processor_count if gpu else 1
    blocks = 4 * multiprocessors  # of 512 threads
    rows = []
    for level, size in levels().items():
        shared, cold, pieces = level == "shared memory", level == "memory", size // 2**15
        steps = 20_000 if gpu else 2000
        cycles, nanoseconds, _ = sorted(module.latency(size, steps, shared, cold) for _ in range(5))[2]
        if cold:
            reads = -(-pieces // blocks)  # the blocks read all of it, once
        else:
            reads = (2001 if gpu else 11) if pieces == 1 else 4 * pieces - 1  # odd: each block begins elsewhere
        time = sorted(module.bandwidth(size, reads, blocks, shared)[0] for _ in range(5))[2] / 1e9
        rows.append({"level": level, "bytes": size, "latency": nanoseconds / steps / 1e9, "cycles": cycles / steps})
        rows[-1]["bandwidth"] = blocks * reads * 2**15 / time
    return rows


def show_memory(rows):
    print(f"{'memory':8}{'':16}{'read':>12}{'latency':>12}{'cycles':>10}{'bandwidth':>14}")
    for row in rows:
        size = f"{row['bytes'] // 1024} KiB" if row["bytes"] < 2**20 else f"{row['bytes'] // 2**20} MiB"
        print(f"{'':8}{row['level']:16}{size:>12}{row['latency'] * 1e9:>9.1f} ns{row['cycles']:>10.0f}", end="")
        print(f"{row['bandwidth'] / 1e9:>9.0f} GB/s")


def benchmark(module):
    """For `make bench00`: {table: rows}."""
    blocks, threads = (300, 1024) if gpu else (4, 64)
    rows = by_block(run_grid(module, blocks, threads), threads)
    seconds = [row | {key: row[key] / 1e9 for key in ("start", "end")} for row in rows]
    return {"memory": measure_memory(module), "blocks": seconds}


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--blocks", type=int, metavar="N", help="of the grid; two grids without it: one fits, one does not")
    options.add_argument("--threads", type=int, default=1024, metavar="N", help="of a block, 1024 at most")
    options.add_argument("--memory", action="store_true", help="latency and bandwidth of shared memory, L1, L2, memory")
    options = options.parse_args()

    title(0, "threads", "load()")
    module = build()
    if options.memory:
        if not gpu:
            print(f"{'':8}CUDA on CPU: these are times of this CPU, and say nothing about a GPU")
        return show_memory(measure_memory(module))
    fits = 1 if not 1 <= options.threads <= 1024 else room(options.threads)
    grids = [options.blocks] if options.blocks is not None else [fits, fits + max(3, fits // 8)]
    grids = [run_grid(module, blocks, options.threads) for blocks in grids]
    show_threads(grids[-1], options.threads)
    for rows in grids:
        show_blocks(rows, options.threads)
    show_launch(module)
    show_bounds(module)
    if not gpu:
        print(f"{'':8}CUDA on CPU: one multiprocessor, one thread after another; a launch returns when all is done.")


if __name__ == "__main__":
    main()
