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
    refuse_activemask,
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

    def inputs(n, values=3):
        return ((torch.arange(n, device=device) % values + torch.randint(9, ())).to(torch.uint8),)

    def reference(x):
        return torch.bincount(x, minlength=256).int()

    check(histogram, reference, inputs, (0, 1, 2, 4, 31, 32, 33, 300))
    check(histogram, reference, lambda n: inputs(n, 200), (300,), name="200 values, n")
    check(lambda x: histogram(x, 5), lambda x: 5 + reference(x), inputs, (33,), name="counts of 5 before, n")
    check(
        histogram,
        reference,
        lambda n: (torch.full((n,), 255, dtype=torch.uint8, device=device),),
        (1, 33),
        name="all 255, n",
    )
    limits(lambda: histogram(torch.full((320,), 7, dtype=torch.uint8, device=device)), lanes_at_one_address=1)
    limits(lambda: histogram(*inputs(320)), lanes_at_one_address=1)
    work_is_divided(
        lambda: histogram(*inputs(320)), 2 * 320, kind="load", least=320, itemsize=1
    )  # a thread may load its element twice
    refuse_activemask(mine / "histogram.cu")
    all_lanes_come(mine / "histogram.cu")
    last_elements(launch)


def all_lanes_come(file):
    """No run shows it: CUDA on CPU goes on when the other lanes have returned."""
    before, call, after = without_comments(file).partition("__match_any_sync")
    mask = re.match(r"\s*\(\s*([^,]+?)\s*,", after)
    named = mask and re.search(rf"\b{re.escape(mask[1])}\s*=\s*([^;]+);", before)
    if not mask or not re.fullmatch(r"~\s*0u?|-1|0[xX][fF]{8}[uU]?", named[1] if named else mask[1]):
        return
    kernel = before[before.rfind("__global__") :]
    returns = re.search(r"\breturn\b", kernel)
    while kernel != (kernel := re.sub(r"[^;{}]*(;|\{[^{}]*\})", "", kernel)):  # blocks and statements that have ended
        pass
    if returns or re.search(r"\bif\b|\belse\b|\?", kernel):
        raise Wrong(
            f"{file.name}:{before.count(chr(10)) + 1}: the mask of __match_any_sync() names all lanes, and a lane that has no "
            "element does not come here: on a GPU the others may wait for it. With which value can it call the function?"
        )


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
