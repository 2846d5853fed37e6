"""The rows of this chapter's operators. tests/chapters/opinfo.py says what a row is, and finds them."""

from dataclasses import replace

import numpy
import torch

from tests.chapters.opinfo import Operator, Scalar


def names_of_threads(blocks, threads, nanoseconds):
    return [[block, thread, thread // 32, thread % 32] for block in range(blocks) for thread in range(threads)]


def numbers(n, threads, check):
    return [i if i < n or not check else -1 for i in range(-(-n // threads) * threads)]


def line_after(bytes, steps, shared, cold):
    line = 0
    for _ in range(steps):
        line = (line * 1664525 + 1013904223) % (bytes // 128)
    return line


def sum_of_pieces(bytes, reads, blocks, shared):
    count, size = bytes // 2**15, 2**13  # of numbers: the first piece has 0 to 8191
    pieces = (i % count for i in range(reads * blocks))
    return sum(size * (size * piece) + size * (size - 1) // 2 for piece in pieces) % 2**32


BLOCKS = Scalar("int", 2, (1, 3, numpy.int64(2), torch.tensor(3)), (0, -1, 2**31, 2**32 + 1), "1 to 2^31 - 1")
THREADS = Scalar("int", 33, (1, 32, 1024), (0, -1, 1025, 2**32 + 1), "1 to 1024")
NANOSECONDS = Scalar("int", 0, (1, 1000), (-1, 10**9 + 1), "0 to 10^9")
CHECK = Scalar("bool", True, (False, numpy.True_), (), "True or False")
NUMBERS = {"n": Scalar("int", 5, (0, 1, 4, 1000), (-1, 2**31), "0 to 2^31 - 1"), "threads": replace(THREADS, value=4),
           "check": CHECK}  # fmt: skip
SHARED = Scalar("bool", False, (True,), (), "True or False")
CHASE = {"bytes": Scalar("int", 1024, (128, 256, 2**15), (0, -1, 384, 2**41), "a power of two, at least 128"),
         "steps": Scalar("int", 5, (1, 8, 100), (0, -1, 2**31), "1 to 2^31 - 1"), "shared": SHARED,
         "cold": SHARED}  # fmt: skip
READ = {"bytes": Scalar("int", 2**15, (2**16, 3 * 2**15), (0, -1, 2**15 + 4, 2**41), "a multiple of 2^15"),
        "reads": Scalar("int", 1, (2, 5), (0, -1, 2**31), "1 to 2^31 - 1"),
        "blocks": Scalar("int", 2, (1, 3), (0, -1, 2**20 + 1), "1 to 2^20"), "shared": SHARED}  # fmt: skip

OPERATORS = [
    Operator("where_am_i", (), names_of_threads, compared=lambda rows: rows[:, :4].tolist(),
             scalars={"blocks": BLOCKS, "threads": THREADS, "nanoseconds": NANOSECONDS}),
    Operator("wait", (), lambda nanoseconds: None, scalars={"nanoseconds": NANOSECONDS}),
    Operator("number", (), numbers, compared=torch.Tensor.tolist, scalars=NUMBERS),
    Operator("latency", (), line_after, compared=lambda result: result[2], scalars=CHASE),
    Operator("bandwidth", (), sum_of_pieces, compared=lambda result: result[1], scalars=READ),
]  # fmt: skip
