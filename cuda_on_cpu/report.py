"""What a reader sees of a build and of a mistake: lines that begin with one word, in the width that all commands share."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import sys
import textwrap
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TextIO

WIDTH = 92  # of a line, after the word with which it begins


def told(word: str, text: str) -> str:
    """A line of what a run prints, and those that belong to it."""
    lines = [part for line in text.rstrip().split("\n") for part in _wrapped(line)]
    return f"{word:8}" + f"\n{'':8}".join(lines) + "\n"


def _wrapped(line: str) -> list[str]:
    """A sentence, in lines of WIDTH. Code and whatever else is aligned by blanks stays as it is."""
    if len(line) <= WIDTH or "  " in line.strip():
        return [line]
    return textwrap.wrap(line, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


NO_KERNEL = "no kernel was launched, so there was nothing to check"
BUILD = "CUDA_ON_CPU=check pip install --no-build-isolation -e ."
NO_KERNEL_BUILT = (  # of a Python module, whose extensions were built before
    "no kernel was launched that was built for the memory check. If it was built for it, CUDA refused each launch, or the"
    f" import failed: see above. To build a package for it:\n    {BUILD}"
)


def right(launches: str, status: int, no_kernel: str = NO_KERNEL) -> tuple[str, int]:
    """What a run under the memory check says at its end, where nothing is wrong, and its exit status: that of the program,
    but not 0 where no kernel ran. The lines of `launches` are the kernels, one for each launch, and their libraries."""
    kernels = [line.partition("\t")[0] for line in launches.splitlines()]
    if not kernels:
        return told("memory", no_kernel), status or 1
    counts = _counted(len(kernels), "launch", "es"), _counted(len(set(kernels)), "kernel", "s")
    return told("memory", "nothing found in {} of {}: every memory access was checked".format(*counts)), status


SOURCES = (
    "CUDA_ON_CPU_SOURCES="  # before {source: digest} in a library that torch_extension.py builds for the memory check
)


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16]


def stale(launches: str) -> str:
    """What is said of sources that have changed since the library was built whose kernels were launched, or ""."""
    changed = []
    for library in sorted({line.partition("\t")[2] for line in launches.splitlines()} - {""}):
        path = Path(library)
        listed = re.search(rb"%s([^\0]*)\0" % SOURCES.encode(), path.read_bytes()) if path.is_file() else None
        sources = json.loads(listed[1]).items() if listed else []
        changed += [
            os.path.relpath(name) for name, was in sources if Path(name).is_file() and digest(Path(name)) != was
        ]
    has = "has" if len(changed) == 1 else "have"
    text = f"{', '.join(changed)} {has} changed since the build, so all of this is about the older code:\n    {BUILD}"
    return told("stale", text) if changed else ""


def _counted(count: int, what: str, more: str) -> str:
    return f"{count} {what}{more * (count > 1)}"


def found_by_cuda(error: object) -> str:
    """What the message of a launch's error says: of several findings of the memory check, such as a race that it has seen
    in both directions, the first of each kind."""
    text = str(error).removeprefix("CUDA on CPU: ")
    head, *findings = text.split("\n  ")
    if not findings:
        return text
    kinds: dict[str, list[str]] = {}
    for finding in findings:
        kinds.setdefault(finding.partition(":")[0], []).append(finding)
    said = [first + f"; {len(rest)} more like this" * (len(rest) > 0) for first, *rest in kinds.values()]
    return head + "\n".join(said)


def once(findings: list[str]) -> list[str]:
    """The first finding of each mistake: of a kernel, what is wrong, and the lines, in whichever block and thread. Tests of
    several sizes find one mistake again and again."""
    first: dict[object, str] = {}
    for finding in findings:
        anywhere = re.sub(r", (block|thread) \([^)]*\)", "", finding)
        first.setdefault((*anywhere.split(":")[:2], *re.findall(r"\S+:\d+", finding)), finding)
    return list(first.values())


def sources(text: str) -> dict[str, Path]:
    """{its name from the current folder on: its path} of the files that this text names as /PATH:LINE."""
    paths = map(Path, re.findall(r"(/[^:\n]*\.(?:cuh?|cpp|h|hpp)):\d", text))
    return {os.path.relpath(path): path for path in paths if path.is_file()}


def named(text: str, files: Mapping[str, Path]) -> str:
    """That text, in which each of these files has the name that the reader knows."""
    for name, path in files.items():
        text = re.sub(rf"(?<![\w./-]){re.escape(str(path))}\b", lambda _, name=name: name, text)
    return text


def with_sources(text: str, files: Mapping[str, Path]) -> str:
    """That text, and below it each line of these files that it names as FILE:LINE."""
    text = named(text, files).rstrip()
    any_name = "|".join(re.escape(name) for name in sorted(files, key=len, reverse=True))
    found = sorted({(file, int(line)) for file, line in re.findall(rf"(?<![\w./-])({any_name}):(\d+)", text) if file})
    width = max([15, *(len(f"{file}:{line}") for file, line in found)])
    for file, line in found:
        source = files[file].read_text(errors="replace").splitlines()[line - 1 : line]
        if not (source and f"{line} | {source[0]}" in text):  # a compiler has shown it
            text += "".join(f"\n{f'{file}:{line}':{width}} {code}" for code in source)
    return text


def build_line(what: str, seconds: float, remark: str = "", file: TextIO | None = None) -> None:
    print(f"{'build':8}{what:<33}{seconds:5.1f} s   {remark}".rstrip(), file=file, flush=True)


@contextlib.contextmanager
def clock(what: str, file: TextIO) -> Iterator[None]:
    """In a terminal: a line that says how long this has taken, until it ends."""
    ended, start = threading.Event(), time.monotonic()

    def run():
        while True:
            text = f"{'build':8}{what:<33}{time.monotonic() - start:5.1f} s ..."
            print(text, end="\033[K\r", flush=True, file=file)
            if ended.wait(0.5):
                return print("\033[K", end="", flush=True, file=file)

    thread = threading.Thread(target=run, daemon=True)
    if file.isatty():
        thread.start()
    try:
        yield
    finally:
        ended.set()
        if thread.is_alive():
            thread.join()


@contextlib.contextmanager
def building(what: str) -> Iterator[None]:
    """Says on stderr that this is being built, at once in a terminal, and then how long it took."""
    start = time.monotonic()
    with clock(what, sys.stderr):
        yield
    build_line(what, time.monotonic() - start, file=sys.stderr)
