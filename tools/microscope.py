"""Shows what each line of a chapter's kernels asks of memory, as a GPU counts it: `make microscope06`.

Runs the chapter's kernels as CUDA on CPU: once(), in its main.py, calls each of them once. common/cuda_on_cpu/README.md says
what is counted. g++ on Linux.

python tools/microscope.py 11                    a table beside the lines of each kernel
python tools/microscope.py 11 --kernel tile      ... of the kernels whose name has this in it
python tools/microscope.py 11 --picture 78       the addresses of one warp in that line: in sectors, or in banks
python tools/microscope.py 11 --picture 78 --svg FILE    ... drawn, too: FILE-light.svg and FILE-dark.svg
python tools/microscope.py 11 --json             the counts as data
"""

import argparse
import contextlib
import dataclasses
import json
import os
import sys
from pathlib import Path

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


def draw(row, name: str) -> None:
    """The picture of a row as name-light.svg and name-dark.svg: 128 bytes a line, which are four sectors or 32 banks."""
    import drawing

    from common.cuda_on_cpu.microscope import words

    of_word, is_global, cell, most = words(row), row.space == "global", 2.2, 10
    lines = sorted({word // 32 for word in of_word})

    def warp(canvas):
        top = 5.5
        canvas.height(top + cell * min(len(lines), most) + 4)
        canvas.text(0.8, 1.5, f"{row.kernel}, line {row.line}, {row.space} {row.kind}", align="left", bold=True)
        for k in range(0, 32, 8):
            canvas.text(0.8 + k * cell, 4.2, "a sector" if is_global else f"bank {k}", "grey", align="left")
        for y, line in enumerate(lines[:most]):
            for k in range(32):
                lanes = of_word.get(32 * line + k, [])
                fetched = is_global and any(32 * line + near in of_word for near in range(k // 8 * 8, k // 8 * 8 + 8))
                colour = "blue" if lanes else "orange" if fetched else "grey"
                number = str(lanes[0]) if lanes else ""
                canvas.box(0.8 + k * cell, top + y * cell, cell, cell, number, colour, 0.3 if lanes or fetched else 0)
        more = f"; {len(lines) - most} lines more" if len(lines) > most else ""
        canvas.text(0.8, top + cell * min(len(lines), most) + 2, caption + more, align="left")

    if is_global:
        sectors = len({word // 8 for word in of_word})
        caption = f"{sectors} sectors, {len(of_word)} of their {8 * sectors} words asked for; a number is a lane"
    else:
        count, least = row.wavefronts_per_request, row.least_wavefronts_per_request
        caption = f"{count:.3g} passes on average, {least:.3g} needed at least; a number is a lane"
    drawing.save(
        lambda theme: Path(f"{name}-{theme}.svg"),
        f"drawn by tools/microscope.py {' '.join(sys.argv[1:])}",
        lambda axes, colours: warp(drawing.Canvas(axes, colours)),
        (7.2, 3),
        12,
    )


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("chapter", choices=list(folders("once")), help="its number")
    options.add_argument("--kernel", default="", metavar="NAME", help="only kernels with this in their name")
    options.add_argument("--picture", type=int, metavar="LINE", help="the addresses of one warp in that line")
    options.add_argument("--svg", metavar="FILE", help="draw that picture")
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
        if options.svg:
            for row in rows:
                draw(row, f"{options.svg}-{row.space}-{row.kind}")
        return print("\n\n".join(microscope.picture(row) for row in rows))
    print(microscope.table(rows, ROOT), microscope.LEGEND, sep="\n\n")


if __name__ == "__main__":
    main()
