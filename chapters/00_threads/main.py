"""Chapter 00, threads: how a GPU runs a kernel

python chapters/00_threads/main.py                               the threads, the launch, the bounds check
python chapters/00_threads/main.py --blocks 300 --threads 512    ... for a grid of your own
python chapters/00_threads/main.py --memory                      latency and bandwidth of this machine's memories
"""

import argparse
import sys
import time
from pathlib import Path

here = Path(__file__).resolve().parent
root = here.parents[1]
sys.path[:0] = [str(here), str(root)]  # so that neighbours and `common` are found, wherever you start this file from

from common import device, title
from common.cpp_extension import load
from common.timing import format_seconds

import torch  # after `common`, which says what to do where torch is missing


def build():
    return load(
        name="threads",
        sources=[str(here / name) for name in ("threads.cpp", "threads.cu", "hierarchy.cu")],
        extra_include_paths=[str(root)],
        extra_cflags=["-O2"],
    )


def synchronize():
    if device.type == "cuda":
        torch.cuda.synchronize()


def show_launch(module, nanoseconds=10_000_000):
    """How long it takes to launch a kernel of 10 ms, and how long the host then waits for that kernel."""
    module.wait(0)  # the first launch loads the kernel
    synchronize()
    start = time.perf_counter()
    module.wait(nanoseconds)
    returned = time.perf_counter()
    synchronize()
    done = time.perf_counter()
    print(f"{'launch':8}wait({nanoseconds}) returned after {format_seconds(returned - start)}", end="")
    print(f"; synchronize() took {format_seconds(done - returned)} more")


def show_bounds(module, n=10, threads=4):
    """An array of n elements; after the bar, what else the last block can reach."""
    for check in True, False:
        places = module.number(n, threads, check).tolist()
        array, beyond = (" ".join(map(str, part)) for part in (places[:n], places[n:]))
        print(f"{'bounds' if check else '':8}number({n}, {threads}, check={check})".ljust(40) + f"{array} | {beyond}")


def benchmark(module):
    """For `make bench00`: {table: rows}."""
    import hierarchy
    import timeline

    blocks, threads = (300, 1024) if device.type == "cuda" else (4, 64)
    rows = timeline.by_block(timeline.run_grid(module, blocks, threads), threads)
    seconds = [row | {key: row[key] / 1e9 for key in ("start", "end")} for row in rows]
    return {"memory": hierarchy.measure(module), "blocks": seconds}


def launch_each_kernel(module):
    """For `make microscope00`: the kernels of threads.cu that write, once."""
    for check in True, False:
        module.number(2**16, 256, check)
    module.where_am_i(8, 256, 0)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument(
        "--blocks", type=int, metavar="N", help="of the grid; by default, one grid fits and one does not"
    )
    options.add_argument("--threads", type=int, default=1024, metavar="N", help="of a block: 1 to 1024")
    options.add_argument("--memory", action="store_true", help="latency and bandwidth instead")
    options = options.parse_args()

    title(0, "threads", "load()")
    module = build()
    if options.memory:
        import hierarchy

        return hierarchy.main(module)
    import timeline

    if options.blocks is None:
        fits = max(1, timeline.room(max(1, options.threads)))
        grids = [fits, fits + max(3, fits // 8)]
    else:
        grids = [options.blocks]
    try:
        grids = [timeline.run_grid(module, blocks, options.threads) for blocks in grids]
    except ValueError as error:
        sys.exit(f"{'':8}{error}")
    timeline.show_threads(grids[-1], options.threads)
    for rows in grids:
        blocks = timeline.show_time(rows, options.threads)
    timeline.show_blocks(blocks)
    show_launch(module)
    show_bounds(module)
    if device.type == "cpu":
        print(f"{'':8}CUDA on CPU: one multiprocessor, one thread after another; a launch returns when all is done.")


if __name__ == "__main__":
    main()
