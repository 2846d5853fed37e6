"""Runs a lesson as CUDA on CPU under a tool that looks at what its kernels do in memory.

python -m tools.lesson memcheck chapters/03_add2/main.py    the memory check: data races, uninitialised reads, ...
python -m tools.lesson sanitize chapters/03_add2/main.py    AddressSanitizer: accesses outside of arrays
python -m tools.lesson microscope 11                        what each line of the kernels asks of memory, as a GPU counts it
    --kernel tile       ... of the kernels whose name has this in it
    --picture 78        the addresses of one warp in that line: in sectors, or in banks
    --svg FILE          ... also drawn: FILE-light.svg and FILE-dark.svg
    --json              the counts as data

The microscope runs launch_each_kernel() of the chapter's main.py. cuda_on_cpu/README.md says what the memory check and the
microscope find. Linux; g++, or clang++ except for the microscope.
"""

import argparse
import contextlib
import dataclasses
import json
import os
import re
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

import common  # noqa: F401  where the memory check is compiled, for the lesson's process as well as for this one
from cuda_on_cpu import memory_check, programs
from cuda_on_cpu.report import found_by_cuda, right, told, with_sources

from .chapters import ROOT, folders, load


def memcheck(words: list[str]) -> None:
    """Ends this process: with status 0 where kernels ran and nothing is found. The times that the lesson prints are those
    of a checked run."""
    os.environ.update(CHAPTERS_DEVICE="cpu", CHAPTERS_SANITIZE="memory")  # common/cpp_extension.py reads them
    with tempfile.NamedTemporaryFile("r", prefix="launches-") as launches:
        checked = [] if words[0] == "-m" else ["-m", "tools.lesson", "checked"]  # pytest tells of findings itself
        more = memory_check.knowing_tensors() | {"CUDA_ON_CPU_LAUNCHES": launches.name}
        status = programs.started([sys.executable, *checked, *words], **more)
        if status == 0:
            said, status = right(launches.read(), status)
            print(said, end="")
    end(status)


def end(status: int) -> NoReturn:
    sys.exit(status if status >= 0 else 128 - status)  # as a shell has it: a signal's number is negative here


def checked(words: list[str]) -> None:
    """The program of memcheck(). What is found in a kernel ends it, told as the exercises tell theirs."""
    sys.argv = words  # as if Python had been started with it
    try:
        runpy.run_path(words[0], run_name="__main__")
    except Exception as error:
        _, ours, found = str(error).partition("CUDA on CPU: ")
        if not ours:
            raise
        files = {str(file.relative_to(ROOT)): file for file in [*ROOT.glob("chapters/*/*.*"), *ROOT.glob("device/*.h")]}
        print(told("wrong", with_sources(found_by_cuda(found), files)), end="", file=sys.stderr)
        sys.exit(1)


def sanitize(words: list[str]) -> None:
    """Ends this process, as memcheck() does. A report names the kernel's line in the .cu, and what allocated the array."""
    compiler = memory_check.compiler()

    def library(*names: str) -> str:
        """The path of the first of these libraries that the compiler has."""
        for name in names:
            asked = subprocess.run([*compiler, f"-print-file-name={name}"], capture_output=True, text=True)
            if os.path.isabs(path := asked.stdout.strip()):
                return path
        sys.exit(f"{compiler[0]} has no AddressSanitizer ({names[0]}). On Debian and Ubuntu: sudo apt-get install g++")

    # Python is not built with AddressSanitizer, so its runtime has to be there first; libstdc++ after it, or the runtime
    # would not see exceptions. Python frees little at its end, so leaks mean nothing.
    asan = library("libasan.so", f"libclang_rt.asan-{os.uname().machine}.so")
    os.environ.update(CHAPTERS_DEVICE="cpu", CHAPTERS_SANITIZE="address")  # common/cpp_extension.py reads them
    with tempfile.TemporaryDirectory(prefix="asan-") as folder:
        options = f"detect_leaks=0:log_path={folder}/report"
        preload = {"LD_PRELOAD": f"{asan} {library('libstdc++.so.6')}", "ASAN_OPTIONS": options}
        status = programs.started([sys.executable, *words], **preload)
        reports = [file.read_text(errors="replace") for file in sorted(Path(folder).iterdir())]
    if status == 0:
        print(told("memory", "AddressSanitizer found nothing"), end="")
    for report in reports:
        print(report_of_asan(report), end="", file=sys.stderr)
    end(status)


SIDES = {"to the right of": "past the end of", "after": "past the end of"}  # gcc 12 and newer compilers
SIDES |= {"to the left of": "in front of", "before": "in front of", "inside of": "inside"}


def report_of_asan(report: str) -> str:
    """Of a report: the access, and the first line of a file of the reader's; below that, where the whole report lies. A report
    without such a line as it is."""
    head = re.search(r"ERROR: (AddressSanitizer: \S+).*\n(READ|WRITE) of size (\d+)", report)
    frames = re.findall(r"#\d+ \S+ in (\w+).* (/\S+):(\d+)(?::\d+)?$", report.partition("\n\n")[0], re.M)
    frames = [frame for frame in frames if not Path(frame[1]).is_relative_to(ROOT / "cuda_on_cpu" / "include")]
    if not head or not frames:
        return report
    does = "reads" if head[2] == "READ" else "writes"
    (function, file, line), path = frames[0], Path(frames[0][1])
    text = f"{head[1]}: {function} {does} {head[3]} bytes at {file}:{line}"
    if place := re.search(rf"is located (\d+) bytes ({'|'.join(SIDES)}) (\d+)-byte region", report):
        text += f", {place[1]} bytes {SIDES[place[2]]} an array of {place[3]} bytes"
    whole = ROOT / "build" / "address_sanitizer.txt"
    whole.parent.mkdir(exist_ok=True)
    whole.write_text(report)
    text = with_sources(text, {os.path.relpath(path, ROOT) if path.is_relative_to(ROOT) else path.name: path})
    return told("wrong", text) + told("report", f"all of it is in {whole.relative_to(ROOT)}")


# ---- the microscope -------------------------------------------------------------------------------------------------


def look(number: str):
    """The rows of that chapter. Messages of its build go to stderr."""
    from cuda_on_cpu.microscope import microscope

    folder = folders("launch_each_kernel")[number]
    main = load(folder / "main.py")
    with contextlib.redirect_stdout(sys.stderr):
        module = main.build()
    return readers_own(microscope(lambda: main.launch_each_kernel(module)), folder)


def readers_own(rows: list, folder: Path) -> list:
    """Those rows, which name square.cu in that folder where load_inline() has written its text to a file cuda.cu."""
    own = {file.read_text(): str(file) for file in folder.glob("*.cu")}
    inline = {row.file for row in rows if Path(row.file).name == "cuda.cu"}
    names = {file: own.get(Path(file).read_text(), file) for file in inline}
    return [dataclasses.replace(row, file=names.get(row.file, row.file)) for row in rows]


def as_data(row) -> dict:
    """All that a row knows, for JSON."""
    ratios = {name: getattr(row, name) for name, of in vars(type(row)).items() if isinstance(of, property)}
    data = dataclasses.asdict(row) | ratios | {"file": os.path.relpath(row.file, ROOT)}
    del data["example"]  # addresses, which differ from run to run
    return data


def draw(row, name: str) -> None:
    """The picture of a row as name-light.svg and name-dark.svg: 128 bytes a line, which are four sectors or 32 banks."""
    from cuda_on_cpu.microscope import words

    from .maintain import drawing

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
        f"drawn by tools/lesson.py {' '.join(sys.argv[1:])}",
        lambda axes, colours: warp(drawing.Canvas(axes, colours)),
        (7.2, 3),
        12,
    )


def microscope(words: list[str]) -> None:
    options = argparse.ArgumentParser(prog="make microscope", description="What each line asks of memory.")
    options.add_argument("chapter", choices=list(folders("launch_each_kernel")), help="its number")
    options.add_argument("--kernel", default="", metavar="NAME", help="only kernels with this in their name")
    options.add_argument("--picture", type=int, metavar="LINE", help="the addresses of one warp in that line")
    options.add_argument("--svg", metavar="FILE", help="draw that picture")
    options.add_argument("--json", action="store_true", help="as data")
    options = options.parse_args(words)

    os.environ.update(CHAPTERS_DEVICE="cpu", CHAPTERS_SANITIZE="memory")  # common/cpp_extension.py reads them
    from cuda_on_cpu.microscope import LEGEND, picture, table

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
        return print("\n\n".join(picture(row) for row in rows))
    print(table(rows, ROOT), LEGEND, sep="\n\n")


def main() -> None:
    tools = {tool.__name__: tool for tool in (memcheck, checked, sanitize, microscope)}
    name, *words = sys.argv[1:] or [""]
    if name not in tools or not words:
        sys.exit(__doc__)
    tools[name](words)


if __name__ == "__main__":
    main()
