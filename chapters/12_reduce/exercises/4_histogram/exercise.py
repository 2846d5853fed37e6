"""histogram: keep two lanes of a warp from adding to one count

Where all elements are equal, 32 lanes of a warp add to one count, one after another. __match_any_sync(mask, value) returns a
mask of the lanes that called it with the same value; __popc(mask) counts the bits that are set, and __ffs(mask) finds the
lowest one, where bit 0 is number 1. Let one of these lanes add for all.
"""

import os
import re

import torch

from grader.checks import (
    Wrong,
    check,
    device,
    found_by_cuda,
    launchers,
    limits,
    many,
    place,
    seen,
    without_comments,
    work_is_divided,
)

MINUTES = 20
FAILS = "32 lanes of a warp change one address in device memory"


def run(mine):
    launch = launchers(mine / "histogram.cu").launch_histogram

    def histogram(x, before=0):
        counts = torch.full((256,), before, dtype=torch.int32, device=device)
        launch(counts, x, x.numel())
        return counts

    def bytes_of(x):
        return (x.to(device, torch.uint8),)

    def inputs(n):
        return bytes_of(torch.arange(n) % 3 + torch.randint(9, ()))

    def reference(x):
        return torch.bincount(x, minlength=256).int()

    check(histogram, reference, inputs, (0, 1, 2, 4, 31, 32, 33, 300))
    check(histogram, reference, lambda n: bytes_of(torch.randint(256, (n,))), (300,), name="random values, n")
    check(lambda x: histogram(x, 5), lambda x: 5 + reference(x), inputs, (33,), name="counts of 5 before, n")
    check(histogram, reference, lambda n: bytes_of(torch.full((n,), 255)), (1, 33), name="all 255, n")
    limits(lambda: histogram(*bytes_of(torch.full((320,), 7))), lanes_at_one_address=1)
    limits(lambda: histogram(*inputs(320)), lanes_at_one_address=1)
    work_is_divided(
        lambda: histogram(*inputs(320)), 2 * 320, kind="load", least=320, itemsize=1
    )  # a thread may load its element twice
    if other := re.search(r"\batomic(?!Add\b)\w+", without_comments(mine / "histogram.cu")):
        raise Wrong(
            f"{other[0]}(): between the reading and the writing of a count, another thread may change it; atomicAdd() does "
            "both in one step"
        )
    rows = seen(lambda: histogram(*bytes_of(torch.full((320,), 7))))
    if (count := sum(row.threads for row in rows if row.kind == "atomic")) > 10:
        raise Wrong(f"{count} atomic additions for 320 equal elements, expected: one for each of the 10 warps")
    all_lanes_come(mine / "histogram.cu", inputs)
    last_elements(launch)


def all_lanes_come(file, inputs):
    """CUDA on CPU goes on in __match_any_sync() when other lanes have returned, but not in a shuffle that reads from them.
    So in a copy of the file, each lane reads from all lanes of the mask first."""
    text = without_comments(file)
    line = text[: text.find("__match_any_sync")].count("\n") + 1
    for function in "__match_any_sync", "__ballot_sync":
        text = text.replace(function, f"all_come{function}")
    folder = place(file.parent) / "all_lanes_come"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / file.name).write_text(ALL_COME + text)
    (folder / "histogram.h").write_text((file.parent / "histogram.h").read_text())
    launch, counts = launchers(folder / file.name).launch_histogram, torch.zeros(256, dtype=torch.int32, device=device)
    try:
        for n in 31, 33:
            launch(counts, *inputs(n), n)
    except RuntimeError as error:
        if "the mask names" not in str(error):
            raise
        raise Wrong(
            f"{file.name}:{line}: the mask of __match_any_sync() names all lanes, and a lane that has no element "
            "does not come here: on a GPU the others may wait for it. With which value can it call the function?"
        ) from None


ALL_COME = """
#include <cuda_runtime.h>

__device__ void all_come(unsigned mask) {
    for (int lane = 0; lane < 32; lane++)
        if (mask >> lane & 1) __shfl_sync(mask, 0, lane);
}

template <typename T>
__device__ unsigned all_come__match_any_sync(unsigned mask, T value) {
    all_come(mask);
    return __match_any_sync(mask, value);
}

__device__ unsigned all_come__ballot_sync(unsigned mask, bool value) {
    all_come(mask);
    return __ballot_sync(mask, value);
}

"""


def last_elements(launch):
    """The last blocks alone, of more than 2^32 elements. Not with AddressSanitizer."""
    if os.environ.get("CHAPTERS_SANITIZE") == "address":
        return
    x = many(n := 2**32 + 10, torch.uint8)
    if x is None:
        return
    x[-10:] = 3
    counts = torch.zeros(256, dtype=torch.int32, device=device)
    try:
        launch(counts, x, n, threads=n, only_last=True)
    except RuntimeError as error:
        raise Wrong(f"n = {n}: {found_by_cuda(error)}\nHow many bits has each index?") from None
    if counts[3] != 10:
        raise Wrong(f"n = {n}: of the last 10 elements {int(counts[3])} are counted: how many bits has each index?")
    print(f"{'right':8}n = {n}")
