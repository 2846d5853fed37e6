"""What a reader sees of a build: which file is compiled and how long it takes, and one error instead of ninja's log."""

import contextlib
import errno
import fcntl
import os
import re
import sys
import time
from pathlib import Path

import cuda_on_cpu
from cuda_on_cpu.report import build_line as line
from cuda_on_cpu.report import clock


class BuildError(RuntimeError):
    """An operator cannot be built: no compiler, or a file that does not compile or link.

    The message has the compiler's first error; `log`, where there is one, is the path of its whole output.
    """

    def __init__(self, message: str, log: Path | None = None):
        super().__init__(message)
        self.log = log


class BuildFailure(RuntimeError):
    """What a build tool printed before it failed. watch() makes a BuildError of it."""


@contextlib.contextmanager
def watch(name: str, sources: list[str], folder: str):
    """Around a call of torch's load: shows its progress, turns its failure into a BuildError, holds its lock."""
    with lock(folder, name):
        start = time.monotonic()
        # torch before 2.15 takes any file of this name for a running build and waits for ever, even when that build
        # was killed. We hold the folder, so no other build runs in it.
        Path(folder, "lock").unlink(missing_ok=True)
        before = _made(folder)
        try:
            with clock(name, sys.stdout):
                yield
        except cuda_on_cpu.TranslationError as error:
            raise BuildError(f"{name} does not build.\n{error}") from None
        except RuntimeError as error:
            if not isinstance(error, BuildFailure) and "Error building extension" not in str(error):
                raise
            log = Path(folder, "error.log")
            log.write_text(f"{error}\n")
            raise BuildError(f"{name} does not build.\n{first_error(str(error))}\n(all of it: {log})", log) from None
        new = [entry for entry in _made(folder) if entry not in before]
        for begin, end, _, output, _ in new:
            if output.endswith(".o"):
                line(_source_of(output, sources), (int(end) - int(begin)) / 1000)
    line(name, time.monotonic() - start, "" if new else "nothing changed")


@contextlib.contextmanager
def lock(folder: str, name: str):
    """One build in a folder at a time. The lock is the kernel's (flock): it ends with the process, however that ends."""
    # The name gets into ninja's file, a shell's command and the compiler's list of headers. Each quotes in its own way.
    if odd := re.search(r"[^\w +,/.~(){}%=@\[\]!\x80-\U0010ffff-]", str(folder)):
        raise BuildError(f"{str(folder)!r} has a {odd[0]!r}, which ninja does not allow in a path: use another folder.")
    with open(os.path.join(folder, ".in_use"), "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"{'build':8}{name} is being built by another process: waiting for it", file=sys.stderr)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def first_error(output: str) -> str:
    """The first error in a compiler's or linker's output, with the lines that belong to it."""
    lines = output.splitlines()
    error = re.compile(
        r":\d+: (fatal )?error: |\(\d+\): (catastrophic )?error|^nvcc (fatal|error)|error: |undefined reference"
        r"|cannot find -l|No space left on device|command not found|No such file|not found|^CMake Error"
    )
    at = next((i for i, line in enumerate(lines) if error.search(line)), None)
    if at is None:
        return output
    # The next error, where g++ says that it is, or what ninja says.
    others = re.compile(rf"{error.pattern}|: In .*:$|: At global scope:$|^ninja: |^\[\d+/\d+\] |^FAILED: ")
    end = next((i for i, line in enumerate(lines) if i > at and others.search(line)), None)
    return "\n".join(lines[at:end][:12])


def excepthook(kind, error, traceback) -> None:
    """Python's sys.excepthook for a lesson: of a failed build, only the message; how Python got there is no help. After
    Ctrl-C, Python ends by that signal, so that the shell and make also end."""
    if isinstance(error, BuildError):
        print(error, file=sys.stderr)
    elif issubclass(kind, KeyboardInterrupt):
        print("Interrupted. Run the same command again.", file=sys.stderr)
    elif isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS):
        print(
            f"{error}\nA lesson writes to build/: that needs room, and a disk that you may write to.", file=sys.stderr
        )
    else:
        sys.__excepthook__(kind, error, traceback)


def _made(folder: str) -> list[tuple[str, ...]]:
    """(start ms, end ms, time, output, the command's hash) of every file that ninja has made in that folder.

    From ninja's log, which ninja now and then writes anew, without the entries that later ones replace. So entries are
    compared, not counted.
    """
    log = Path(folder, ".ninja_log")
    rows = [tuple(row.split("\t")) for row in log.read_text(errors="replace").splitlines()] if log.exists() else []
    # CMake's verify_globs asks on each run whether files have come or gone, and makes nothing.
    return [row for row in rows if len(row) == 5 and not row[3].endswith("verify_globs")]


def _source_of(output: str, sources: list[str]) -> str:
    """torch makes add2.o from add2.cpp, add2.cuda.o and (on the CPU) add2.cu.o from add2.cu. CMake keeps the source's
    whole name: add2.cpp.o, add2.cu.o and (on the CPU) add2.cu.cpp.o."""
    stem, *kind = os.path.basename(output).removesuffix(".o").replace(".cuda", ".cu").split(".")
    wanted = f"{stem}.{kind[0] if kind else 'cpp'}"
    return next((name for name in map(os.path.basename, sources) if name == wanted), os.path.basename(output))
