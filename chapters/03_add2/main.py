"""Chapter 03, add2: an operator in four files, timed honestly

python chapters/03_add2/main.py                  build, check, time
python chapters/03_add2/main.py --sizes 20 28    ... with 2^20 and 2^28 elements
python chapters/03_add2/main.py --stream         what a launch without a stream does
python chapters/03_add2/main.py --timing         six ways to time it, and what each measures
python chapters/03_add2/main.py --build-times    what torch/extension.h costs
python chapters/03_add2/main.py --notes          the blog notes' listings in notes/
"""

import argparse
import sys
from pathlib import Path

here = Path(__file__).resolve().parent
root = here.parents[1]
sys.path[:0] = [str(here), str(root)]  # so that neighbours and `common` are found, wherever you start this file from

from common import bench, check, device, title
from common.cpp_extension import load

import torch  # after `common`, which says what to do where torch is missing

SIZES = [2**k for k in ((4, 12, 16, 20, 24, 28) if device.type == "cuda" else (4, 20))]  # for benchmark()


def build():
    return load(
        name="add2",
        sources=[str(here / "add2.cpp"), str(here / "add2.cu")],
        extra_include_paths=[str(root)],  # for common/cuda_check.h
        extra_cflags=["-O2"],  # without it, load() has the .cpp compiled at -O0; nvcc optimises kernels anyway
    )


def build_notes():
    """What only readers of the blog notes need."""
    return load(
        name="custom_kernel",
        sources=[str(here / "notes" / "custom_kernel.cu")],
        extra_include_paths=[str(root)],
        extra_cflags=["-O2"],
    )


def inputs(n):
    return torch.rand(n, device=device), torch.rand(n, device=device)


def operators(module):
    ops = {"add2": module.add2, "torch": torch.add}
    if device.type == "cuda":
        ops["torch.compile"] = torch.compile(
            torch.add, dynamic=False
        )  # compiled for each size: the best that it can do
    return ops


def benchmark(module):
    """For `make bench03`: {table: rows}."""
    return {"sizes": bench(operators(module), inputs, SIZES, flops=1)}


def launch_each_kernel(module):
    """For `make microscope03`: the kernel, once."""
    module.add2(*inputs(2**16))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sizes", type=int, nargs="+", default=[20], metavar="K", help="time 2^K elements")
    options.add_argument("--stream", action="store_true", help="see streams.py")
    options.add_argument("--timing", action="store_true", help="see timing_mistakes.py")
    options.add_argument("--build-times", action="store_true", help="see build_times.py")
    options.add_argument("--notes", action="store_true", help="build, check and time what is in notes/")
    options = options.parse_args()

    title(3, "add2", "load()")
    if options.build_times:
        import build_times

        return build_times.main()
    module = build()
    if options.notes:
        from notes import show_time

        notes = build_notes()
        check(notes.custom_operation, lambda x: 2 * x, lambda n: inputs(n)[:1], rtol=0, atol=0)
        check(notes.vector_add, torch.add, inputs, rtol=0, atol=0)
        return show_time.main(module)
    if options.stream:
        import streams

        return streams.main(module.add2)
    if options.timing:
        import timing_mistakes

        return timing_mistakes.main(module)
    check(module.add2, torch.add, inputs, rtol=0, atol=0)
    bench(operators(module), inputs, sizes=[2**k for k in options.sizes])


if __name__ == "__main__":
    main()
