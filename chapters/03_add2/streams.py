"""What one argument of a launch decides: add2, and the same without `stream`, each called 20 times on a side stream.

Started by `python chapters/03_add2/main.py --stream`. Without a GPU there is one stream, so no result is wrong. There `check`
finds the mistake all the same.
"""

import textwrap
from pathlib import Path

import torch

from common import check, device
from common.cpp_extension import extension_folder, load
from common.torch_private import sleep_on_gpu

here = Path(__file__).resolve().parent
RIGHT, WRONG = "<<<blocks, threads, 0, stream>>>", "<<<blocks, threads>>>"
N = 2**20


def without_stream():
    """add2 from a copy of add2.cu whose launch names no stream."""
    copy = extension_folder("add2_without_stream") / "without_stream.cu"
    text = (here / "add2.cu").read_text().replace(RIGHT, WRONG)
    if not copy.exists() or copy.read_text() != text:  # a file that is written anew is compiled anew
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text)
    return load(
        name="add2_without_stream",
        sources=[str(here / "add2.cpp"), str(copy)],
        extra_include_paths=[str(here), str(here.parents[1])],
        extra_cflags=["-O2"],
    ).add2


def is_wrong(add):
    """Whether 1 + 2 is not 3, if add is called before the ones and the twos have been written."""
    a, b = (torch.zeros(N, device=device) for _ in range(2))
    if device.type == "cpu":
        c = add(a.fill_(1), b.fill_(2))
    else:
        torch.cuda.synchronize()
        with torch.cuda.stream(torch.cuda.Stream()):
            sleep_on_gpu(100_000_000)  # the side stream is busy for 50 ms before a and b get their values
            a.fill_(1)
            b.fill_(2)
            c = add(a, b)
        torch.cuda.synchronize()
    return not bool((c == 3).all())


def wrong_results(add, calls=20):
    is_wrong(add)  # CUDA loads each kernel at its first launch, and may wait for all streams to do so
    return sum(is_wrong(add) for _ in range(calls))


def main(add2):
    versions = {RIGHT: add2, WRONG: without_stream()}
    where = "" if device.type == "cpu" else " on a side stream"
    print(f"{'stream':8}{'20 additions' + where:<48}wrong results")
    for launch, add in versions.items():
        print(f"{'':8}add2_kernel{launch:<37}{wrong_results(add):>13}")
    if device.type == "cpu":
        print(f"{'':8}Without a GPU there is one stream: each addition finds its inputs.")
    for launch, add in versions.items():
        try:
            check(add, torch.add, lambda n: (torch.rand(n, device=device), torch.rand(n, device=device)), name=launch)
        except (AssertionError, RuntimeError) as error:
            print(f"{'check':8}{launch}: refused")
            print(textwrap.indent(textwrap.fill(str(error).splitlines()[0], 100), " " * 8))
