"""make chapter00 ARGS=--memory: latency and bandwidth of shared memory, the L1 and the L2 cache, and memory."""

import torch

from common import device

gpu = device.type == "cuda"
PIECE = 2**15  # bytes that a block reads at least, see hierarchy.h


def sizes():
    """{memory: its size in bytes}, where the device tells it."""
    if not gpu:
        return {"L2 cache": 2**20}  # a common one
    of = torch.cuda.get_device_properties(device)
    return {
        "shared memory": of.shared_memory_per_multiprocessor,
        "L2 cache": of.L2_cache_size,
        "memory": of.total_memory,
    }


def levels():
    """{memory: how many bytes to read from it}. An L1 cache holds more than PIECE."""
    power = sizes()["L2 cache"].bit_length() - 1
    return {"shared memory": PIECE, "L1 cache": PIECE, "L2 cache": 2 ** (power - 2), "memory": 2 ** (power + 5 * gpu)}


def measure(module):
    """A row for each memory: its size, the bytes that are read, the latency in seconds and in cycles, and bytes a second.
    Each figure is the median of five runs."""
    blocks = 4 * (torch.cuda.get_device_properties(device).multi_processor_count if gpu else 1)  # of 512 threads
    steps, rounds = (20_000, 2001) if gpu else (2000, 11)
    rows = []
    for level, size in levels().items():
        shared, cold, pieces = level == "shared memory", level == "memory", size // PIECE
        cycles, nanoseconds, _ = sorted(module.latency(size, steps, shared, cold) for _ in range(5))[2]
        # Memory is read once. The L2 cache is read four times, less a piece, so that each block begins at another one.
        reads = -(-pieces // blocks) if cold else 4 * pieces - 1 if pieces > 1 else rounds
        took = sorted(module.bandwidth(size, reads, blocks, shared)[0] for _ in range(5))[2] / 1e9
        row = {"level": level, "bytes": size, "latency": nanoseconds / steps / 1e9, "cycles": cycles / steps}
        row |= {"size": sizes()[level]} if level in sizes() else {}
        rows.append(row | {"bandwidth": blocks * reads * PIECE / took})
    return rows


def main(module):
    if not gpu:
        print(f"{'':8}CUDA on CPU: these times say nothing about a GPU")
    print(f"{'memory':8}{'':16}{'read':>12}{'latency':>12}{'cycles':>10}{'bandwidth':>14}")
    for row in measure(module):
        size = f"{row['bytes'] // 1024} KiB" if row["bytes"] < 2**20 else f"{row['bytes'] // 2**20} MiB"
        print(f"{'':8}{row['level']:16}{size:>12}{row['latency'] * 1e9:>9.1f} ns{row['cycles']:>10.0f}", end="")
        print(f"{row['bandwidth'] / 1e9:>9.0f} GB/s")
