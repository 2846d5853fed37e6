"""The microscope: what the accesses of a kernel cost, line by line, with no GPU. A model of what a GPU counts.

    python3 -m cuda_on_cpu microscope [--kernel NAME] [--picture LINE] program.cu [more.cu] [its arguments]

runs a program with a main() and prints a table beside its source lines. From Python, where kernels were built for the
memory check (in a process that starts with CHAPTERS_SANITIZE=memory, all that common.cpp_extension builds is):

    from cuda_on_cpu.microscope import microscope

    rows = microscope(lambda: module.add2(a, b))
    assert all(row.sectors_per_request <= 4 for row in rows)

README.md says what is counted, and what is not. Needs g++: clang++ takes the copy of a struct apart.
"""

from __future__ import annotations

import ctypes
import itertools
import linecache
import os
import shlex
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from . import memory_check, programs
from .report import NO_KERNEL_BUILT


@dataclass(frozen=True)
class Row:
    """What the warps of a kernel asked of a memory in one line of the source, over all launches.

    A request is one instruction of a warp that reads or writes memory. A sector is a piece of 32 bytes of global memory; a
    wavefront is a pass of shared memory, in which each of the 32 banks gives one word of 4 bytes.
    """

    kernel: str
    file: str
    line: int
    space: str  # "global", "shared" or "constant"
    kind: str  # "load", "store", "atomic", or "copy": cp.async, which has a row for each of the two memories
    requests: int
    threads: int  # that took part, in all requests together
    bytes_used: int  # of each request: those that some lane asks for
    sectors: int  # global memory only, and 0 for others, as all sectors...
    least_sectors: int  # that could hold so many bytes
    wavefronts: int  # loads, stores and copies of shared memory only
    least_wavefronts: int
    at_one_address: int  # atomics: the most lanes of a request that change the same address, in all requests together
    width: int  # bytes of a lane, the most in this line
    warps: int  # that made a request
    example: tuple[int | None, ...]  # each lane's address in the first request; in shared memory from its array on

    @property
    def source(self) -> str:
        return linecache.getline(self.file, self.line).strip()

    @property
    def threads_per_request(self) -> float:
        """Of 32."""
        return self.threads / self.requests

    @property
    def bytes_fetched(self) -> int:
        return 32 * self.sectors

    @property
    def sectors_per_request(self) -> float:
        return self.sectors / self.requests

    @property
    def least_sectors_per_request(self) -> float:
        return self.least_sectors / self.requests

    @property
    def wavefronts_per_request(self) -> float:
        return self.wavefronts / self.requests

    @property
    def least_wavefronts_per_request(self) -> float:
        return self.least_wavefronts / self.requests

    @property
    def lanes_at_one_address(self) -> float:
        """Of an atomic: how many lanes of a warp meet at one address, on average over the requests."""
        return self.at_one_address / self.requests


def microscope(call: Callable[[], object]) -> list[Row]:
    """Runs call() and returns what its kernels asked of memory, in the order of launches, files and lines.

    Raises RuntimeError where call() launches no kernel that was built for the memory check, and passes on what call() raises.
    """
    _need_gcc(memory_check.compiler())
    recorder = memory_check.library()
    recorder.cuda_on_cpu_microscope_stop.restype = ctypes.c_char_p
    recorder.cuda_on_cpu_microscope_start()
    try:
        call()
    finally:
        text = recorder.cuda_on_cpu_microscope_stop()
    return _rows(os.fsdecode(text))


def of_program(cus: list[Path], arguments: Iterable[str] = (), flags: Iterable[str] = ()) -> list[Row]:
    """The same for a program of one or several .cu. It runs in the current folder, with its own output.

    Raises RuntimeError where it launches no kernel; also TranslationError, programs.BuildError, programs.Failed.
    """
    compiler = programs.compiler()
    _need_gcc(compiler)
    program = programs.place(cus, checked=True)
    programs.build(cus, program, compiler, list(flags), checked=True)
    wrong = None
    with tempfile.NamedTemporaryFile(prefix="microscope") as out:
        try:
            if status := programs.run(program, arguments, CUDA_ON_CPU_MICROSCOPE=out.name):
                raise programs.Failed([], status)
        except programs.Failed as error:
            if error.status:
                raise
            wrong = error  # the program has caught it, and went on
        counted = os.fsdecode(out.read())
    if not _launches(counted):
        raise wrong or RuntimeError("no kernel was launched, so there is nothing to show")
    return _rows(counted)


def of_report(text: str) -> list[Row]:
    """The same of what a process of Python has counted (CUDA_ON_CPU_MICROSCOPE). RuntimeError where it launched no kernel that
    was built for the memory check."""
    if not text or not _launches(text):
        raise RuntimeError(NO_KERNEL_BUILT)
    return _rows(text)


def _need_gcc(compiler: list[str]) -> None:
    if memory_check.is_clang(compiler):
        raise RuntimeError(f"the microscope needs g++, and CXX is {shlex.join(compiler)}: clang++ takes structs apart")


def _launches(text: str) -> int:
    return int(text.partition("\n")[0])


def _rows(text: str) -> list[Row]:
    if not _launches(text):
        raise RuntimeError(
            "no kernel ran that the microscope can see. A kernel has to be built for the memory check: start the process "
            "with CHAPTERS_SANITIZE=memory in its environment"
        )
    rows = []
    for fields in (line.split("\t") for line in text.splitlines()[1:]):
        kernel, file, line, space, kind, *numbers, example = fields
        addresses = tuple(int(a) if a else None for a in example.split(","))
        rows.append(Row(_name(kernel), file, int(line), space, kind, *map(int, numbers), addresses))
    return rows


def _name(symbol: str) -> str:
    """void f<int>(int*, A (*)(B)) as f<int>"""
    depth = 0
    for i, c in enumerate(symbol):
        depth += (c == "<") - (c == ">")
        if c == "(" and depth == 0 and not symbol.startswith("(anonymous namespace)", i):
            symbol = symbol[:i]
            break
    return symbol.removeprefix("void ")


# ---- the table ----------------------------------------------------------------------------------------------------------

HEADER = f"{'line':>6}  {'access':13}{'requests':>9}{'active':>8}{'sectors':>15}{'bytes used':>12}{'wavefronts':>15}"


def table(rows: Iterable[Row], root: Path | None = None) -> str:
    """The rows as text, each kernel's lines with their source. Paths are shown from root on."""
    text = []
    for kernel, of_kernel in itertools.groupby(rows, key=lambda row: row.kernel):
        of_kernel = list(of_kernel)
        text += ["", kernel]
        for file, of_file in itertools.groupby(of_kernel, key=lambda row: row.file):
            text += [f"  {_shown(Path(file), root)}", HEADER]
            for line, of_line in itertools.groupby(of_file, key=lambda row: row.line):
                of_line = list(of_line)
                text += [f"{line:6}  {of_line[0].source}"] + [_cells(row) for row in of_line]
        text += [_summary(of_kernel)]
    return "\n".join(text[1:])


def _shown(file: Path, root: Path | None) -> Path:
    if not root or not file.is_relative_to(root):
        return file
    shown = file.relative_to(root)
    return Path(shown.name) if shown.parts[0] == "build" else shown  # what load_inline() has written


def _cells(row: Row) -> str:
    text = f"{'':8}{row.space} {row.kind:7}"[:21].ljust(21) + f"{row.requests:9}{row.threads_per_request:8.3g}"
    if row.space == "global":
        text += f"{_of(row.sectors_per_request, row.least_sectors_per_request):>15}"
        text += f"{row.bytes_used / row.bytes_fetched:>11.0%} "
    else:
        text += " " * 27
        if row.space == "shared" and row.kind != "atomic":
            text += f"{_of(row.wavefronts_per_request, row.least_wavefronts_per_request):>15}"
    if row.kind == "atomic":
        count = f"{row.lanes_at_one_address:.3g}"
        text += f"  {count} lane{'s' if count != '1' else ''} at an address"
    return text.rstrip()


def _of(count: float, least: float) -> str:
    return f"{count:.3g} ({least:.3g})"


def _summary(rows: list[Row]) -> str:
    used, fetched = (sum(getattr(row, name) for row in rows) for name in ("bytes_used", "bytes_fetched"))
    used = sum(row.bytes_used for row in rows if row.space == "global")
    if not fetched:
        return "  no global memory"
    return f"  global memory: {used} bytes used of {fetched} in sectors, {used / fetched:.0%}"


# ---- a picture of one warp ----------------------------------------------------------------------------------------------


def words(row: Row) -> dict[int, list[int]]:
    """{word of 4 bytes: lanes that ask for it} of the row's example, in order. Global words count from the first sector on."""
    first = min(a for a in row.example if a is not None) // 32 * 32 if row.space == "global" else 0
    found: dict[int, list[int]] = {}
    for lane, address in enumerate(row.example):
        if address is not None:
            for word in range((address - first) // 4, (address - first + row.width - 1) // 4 + 1):
                found.setdefault(word, []).append(lane)
    return dict(sorted(found.items()))


def picture(row: Row) -> str:
    """The first request of that line as text: which lane asks for which word, in sectors, or in banks."""
    of_word = words(row)
    is_global = row.space == "global"
    across = 8 if is_global else 32
    lines = sorted({word // across for word in of_word})
    text = [f"{row.kernel}, line {row.line}: {row.source}"]
    lane = "lane, with + the first of several" if any(len(lanes) > 1 for lanes in of_word.values()) else "lane"
    text += [f"The first {row.kind} of a warp. A number is a {lane}; . is a word of 4 bytes that no lane asks for."]
    if not is_global:
        text += [f"{'bank':>11}" + "".join(f"{bank:4}" for bank in range(across))]
    for line in lines:
        cells = (_lanes(of_word.get(word, [])) for word in range(line * across, (line + 1) * across))
        text += [f"{'sector' if is_global else 'row'} {line}".rjust(11) + "".join(f"{cell:>4}" for cell in cells)]
    if is_global:
        sectors = f"{len(lines)} sector{'s' * (len(lines) > 1)}"
        text += [f"{sectors} of 32 bytes; the lanes ask for {len(of_word)} of {8 * len(lines)} words."]
    else:
        most = max(sum(word % 32 == bank for word in of_word) for bank in range(32))
        text += [f"At most {most} word{'s' * (most > 1)} of a bank."]
    return "\n".join(text)


def _lanes(lanes: list[int]) -> str:
    """5, 5+ for several"""
    return "." if not lanes else f"{lanes[0]}{'+' if len(lanes) > 1 else ''}"


LEGEND = (
    "A request is an instruction of a warp. For each, on average: active lanes; sectors, the pieces of 32 bytes that it\n"
    "touches; wavefronts, its passes through the banks of shared memory; in brackets, the least that it needs. These are\n"
    "modelled counts, computed from the addresses of the threads that ran on the CPU."
)


# What is said of lines that need more than twice the least, whose lanes meet, or whose warps are nearly empty.
ADVICE = (
    # A whole warp, side by side, touches `width` sectors, and one more if it begins within a sector. Of lanes that a mask
    # chooses, fewer lanes may touch as many.
    (lambda row: row.space == "global" and row.sectors > max(2 * row.least_sectors, (row.width + 1) * row.requests),
     "lanes of a warp touch far more sectors than they fill. Let neighbouring threads take neighbouring elements; keep\n"
     "an array for each member, not an array of structs; and where a matrix has to be read one way and written the\n"
     "other, pass it through shared memory, and exchange the indices between the two."),
    (lambda row: row.space == "shared" and row.wavefronts > 2 * row.least_wavefronts,
     "lanes of a warp meet in the same banks. Make rows in shared memory longer by an element (by 16 bytes, where\n"
     "lanes load 16)."),
    (lambda row: row.kind == "atomic" and row.lanes_at_one_address > 2,
     "lanes of a warp change the same address, one after another. Add up within the warp or the block first, and\n"
     "then change it once."),
    (lambda row: row.space == "global" and row.requests >= 32 and row.threads_per_request < 16,
     "fewer than half of a warp's lanes take part. Where rows are short, let a warp take several of\nthem. (Where a mask "
     "chooses the lanes, nothing helps.)"),
)  # fmt: skip


def advice(rows: list[Row]) -> str:
    """What to try, by line; or "". A line that runs seldom is named as well: its requests say whether it matters."""
    said = []
    for applies, words in ADVICE:
        lines = sorted({(Path(row.file).name, row.line) for row in rows if applies(row)})
        said += [f"{', '.join(f'{file}:{line}' for file, line in lines)}: {words}"] if lines else []
    return "\n".join(said)


def shown(rows: Iterable[Row], root: Path, kernel: str = "", line: int | None = None) -> str:
    """Of a program: the table of the kernels with this in their names, and what to try; or the pictures of that line."""
    every = list(rows)
    rows = [row for row in every if kernel in row.kernel]
    if not rows:
        names = ", ".join(dict.fromkeys(row.kernel for row in every))
        raise RuntimeError(f"no kernel has {kernel} in its name; there is {names}")
    if line is None:
        tries = advice(rows) or (
            "nothing: no line asks for more than twice what it needs. (Not counted: what a kernel reads again, and\n"
            "how long it waits.)"
        )
        return f"{table(rows, root)}\n\n{LEGEND}\n\nWhat to try\n{tries}"
    if not (there := [row for row in rows if row.line == line]):
        lines = ", ".join(map(str, sorted({row.line for row in rows})))
        raise RuntimeError(f"no kernel accesses memory in line {line}; there is {lines}")
    return "\n\n".join(map(picture, there))
