"""Shows what each line of a chapter's kernels asks of memory, as a GPU counts it: `make microscope06`.

Runs the chapter's kernels as CUDA on CPU: once(), in its main.py, calls each of them once. common/cuda_on_cpu/README.md says
what is counted. g++ on Linux.

python tools/microscope.py 11                    a table beside the lines of each kernel
python tools/microscope.py 11 --kernel tile      ... of the kernels whose name has this in it
python tools/microscope.py 11 --picture 81       the addresses of one warp in that line: in sectors, or in banks
python tools/microscope.py 11 --json             the counts as data
"""

import argparse
import contextlib
import dataclasses
import json
import os
import sys

from chapter import ROOT, folders, load_main

sys.path.insert(0, str(ROOT))


def look(number: str):
    """The rows of that chapter. Messages of its build go to stderr."""
    from common.cuda_on_cpu.microscope import microscope

    main = load_main(folders("once")[number])
    with contextlib.redirect_stdout(sys.stderr):
        ops = main.build()
    return microscope(lambda: main.once(ops))


def as_data(row) -> dict:
    """All that a row knows, for JSON."""
    ratios = {name: getattr(row, name) for name, of in vars(type(row)).items() if isinstance(of, property)}
    data = dataclasses.asdict(row) | ratios | {"file": os.path.relpath(row.file, ROOT)}
    del data["example"]  # addresses, which differ from run to run
    return data


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("chapter", choices=list(folders("once")), help="its number")
    options.add_argument("--kernel", default="", metavar="NAME", help="only kernels with this in their name")
    options.add_argument("--picture", type=int, metavar="LINE", help="the addresses of one warp in that line")
    options.add_argument("--json", action="store_true", help="as data")
    options = options.parse_args()

    os.environ.update(CHAPTERS_DEVICE="cpu", CHAPTERS_SANITIZE="memory")  # common/cpp_extension.py reads them
    from common.cuda_on_cpu import microscope

    rows = [row for row in look(options.chapter) if options.kernel in row.kernel]
    if not rows:
        sys.exit(f"No kernel of chapter {options.chapter} has {options.kernel} in its name")
    if options.json:
        return print(json.dumps([as_data(row) for row in rows], indent=1))
    if options.picture:
        rows = [row for row in rows if row.line == options.picture]
        if not rows:
            sys.exit(f"No kernel accesses memory in line {options.picture}")
        return print("\n\n".join(microscope.picture(row) for row in rows))
    print(microscope.table(rows, ROOT), microscope.LEGEND, sep="\n\n")


if __name__ == "__main__":
    main()
