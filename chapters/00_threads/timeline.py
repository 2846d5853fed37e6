"""Which block ran on which multiprocessor, and when, from what the threads of a grid wrote about themselves."""

import torch

from common import device
from common.timing import format_seconds

gpu = device.type == "cuda"
COLUMNS = ["block", "thread", "warp", "lane", "multiprocessor", "start", "end"]
WORK = 50_000 if gpu else 1000  # nanoseconds; on the CPU they add up, because one thread runs after another


def room(threads):
    """How many blocks of that many threads this machine has room for at the same time."""
    if not gpu:
        return 1
    of = torch.cuda.get_device_properties(device)
    warps = -(-threads // of.warp_size)
    # An H100's multiprocessor holds 32 blocks at most, a smaller GPU's 16 or 24.
    return of.multi_processor_count * min(32, of.max_threads_per_multi_processor // (warps * of.warp_size))


def run_grid(module, blocks, threads):
    """A row for each thread; times in nanoseconds since the first one started."""
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


def in_turn(blocks):
    """The blocks in lists. Those of one list ran one after another, and blocks that overlap are in different lists."""
    lists = []
    for block in sorted(blocks, key=lambda block: block["start"]):
        free = next((some for some in lists if some[-1]["end"] <= block["start"]), None)
        if free is None:
            lists.append(free := [])
        free.append(block)
    return lists


def show_threads(rows, threads):
    """Prints the first and last thread of a warp, the first of the next warp, and the grid's last thread."""
    print(f"{'threads':8}{'block':>8}{'thread':>8}{'warp':>8}{'lane':>8}{'multiprocessor':>16}{'start':>12}{'end':>12}")
    last = len(rows) - 1
    for i in sorted({i for i in (0, 31, 32, last) if i <= last}):
        *who, start, end = rows[i].tolist()
        print(f"{'':8}" + "".join(f"{number:>8}" for number in who[:4]) + f"{who[4]:>16}", end="")
        print(f"{start / 1e3:>9.1f} us{end / 1e3:>9.1f} us")


def show_time(rows, threads):
    """Prints how many blocks ran on how many multiprocessors, and how long all took. Returns what by_block() does."""
    blocks = by_block(rows, threads)
    late, on = len(blocks) - room(threads), len({block["multiprocessor"] for block in blocks})
    took = format_seconds(max(block["end"] for block in blocks) / 1e9)
    print(
        f"{'blocks':8}grid of {len(blocks)}, {threads} threads each, on {on} multiprocessor{'s' * (on > 1)}: ", end=""
    )
    print(took + f"; {late} more than there is room for" if late > 0 else took)
    return blocks


def show_blocks(blocks, columns=60):
    """Draws the multiprocessors that ran the most and the fewest blocks, with time to the right. Blocks that overlap are
    on different lines."""
    on = {number: [] for number in sorted({block["multiprocessor"] for block in blocks})}
    for block in blocks:
        on[block["multiprocessor"]].append(block)
    end = max(block["end"] for block in blocks)
    busiest = sorted(on, key=lambda number: -len(on[number]))
    for number in dict.fromkeys([busiest[0], busiest[-1]]):
        for k, line in enumerate(in_turn(on[number])):
            text = [" "] * columns
            for block in line:
                first, last = (round(block[key] / end * columns) for key in ("start", "end"))
                last = max(last, first + 1)
                text[first:last] = f"[{block['block']}".ljust(last - first - 1)[: last - first - 1] + "]"
            print(f"{'':8}{f'multiprocessor {number}' if k == 0 else '':<19}{''.join(text).rstrip()}")
