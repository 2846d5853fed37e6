"""What a reader sees of a build: which file is compiled and how long it takes, and one error instead of ninja's log."""

import contextlib
import errno
import fcntl
import os
import re
import shutil
import sys
import threading
import time
from pathlib import Path

from . import cuda_on_cpu


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
        # was killed. We hold the folder, so whoever left it is gone.
        Path(folder, "lock").unlink(missing_ok=True)
        forget_the_future(folder)
        progress = _Progress(sources, folder, start)
        try:
            yield
        except cuda_on_cpu.TranslationError as error:
            raise BuildError(f"{name} does not build.\n{error}") from None
        except RuntimeError as error:
            if not isinstance(error, BuildFailure) and "Error building extension" not in str(error):
                raise
            log = Path(folder, "error.log")
            log.write_text(f"{error}\n")
            raise BuildError(f"{name} does not build.\n{first_error(str(error))}\n(all of it: {log})", log) from None
        finally:
            progress.stop()
    line(name, time.monotonic() - start, "" if progress.done else "nothing changed")


@contextlib.contextmanager
def lock(folder: str, name: str):
    """One build in a folder at a time. The lock is the kernel's (flock): it ends with the process, however that ends."""
    _refuse_commands(folder)
    with open(os.path.join(folder, ".in_use"), "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"{'build':8}{name} is being built by another process: waiting for it", file=sys.stderr)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _refuse_commands(folder: str | Path) -> None:
    """Raises BuildError for what torch hands to ninja and to the shell, and what they read as more than a name."""
    # What ninja does not find in a compiler's list of headers; then it compiles all of them, each time.
    if odd := re.search(r"[^\w +,/.~(){}%=@\[\]!\x80-\U0010ffff-]", str(folder)):
        raise BuildError(f"{str(folder)!r} has a {odd[0]!r}, which ninja cannot have: use another folder.")
    for name in "CC", "CXX", "CFLAGS", "CPPFLAGS", "LDFLAGS", "PYTORCH_NVCC":
        if odd := re.search(r"[;&|<>$`\r\n]", os.environ.get(name, "")):
            raise BuildError(
                f"{name}={os.environ[name]!r} has a {odd[0]!r}, which starts another command: take it out."
            )


def forget_the_future(folder: str | Path) -> None:
    """After the clock was set back: ninja goes by dates, and takes what it built later for newer than any change.

    Without its log it builds all of that folder again.
    """
    log = Path(folder, ".ninja_log")
    built = [Path(folder, entry[3]) for entry in _entries(log)]
    if any(file.exists() and file.stat().st_mtime > time.time() + 1 for file in built):
        log.unlink()


def line(what: str, seconds: float, remark: str = "") -> None:
    clear = "\033[K" if sys.stdout.isatty() else ""  # what is left of the live line
    print(f"{'build':8}{what:<33}{seconds:5.1f} s   {remark}".rstrip() + clear)


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
    others = re.compile(rf"{error.pattern}|^ninja: |^\[\d+/\d+\] |^FAILED: ")  # the next error, or what ninja says
    end = next((i for i, line in enumerate(lines) if i > at and others.search(line)), None)
    return "\n".join(lines[at:end][:12])


def excepthook(kind, error, traceback) -> None:
    """Python's sys.excepthook for a lesson: of a failed build, only the message; how Python got there is no help."""
    if isinstance(error, BuildError):
        print(error, file=sys.stderr)
    elif isinstance(error, BrokenPipeError):  # make chapter03 | head
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    elif isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS):
        print(
            f"{error}\nA lesson writes to build/: that needs room, and a disk that you may write to.", file=sys.stderr
        )
    else:
        sys.__excepthook__(kind, error, traceback)


def _entries(log: Path) -> list[tuple[str, ...]]:
    """(start ms, end ms, time, output, the command's hash) of every file that ninja has made in the log's folder.

    Now and then ninja writes the log anew, without the entries that later ones replace: so counting lines is wrong.
    """
    try:
        rows = [tuple(row.split("\t")) for row in log.read_text(errors="replace").splitlines()]
    except FileNotFoundError:
        return []
    # CMake's verify_globs asks on each run whether files have come or gone, and makes nothing.
    return [row for row in rows if len(row) == 5 and not row[3].endswith("verify_globs")]


class _Progress:
    """Reads .ninja_log, to which ninja adds a line for every file as soon as it is finished."""

    def __init__(self, sources: list[str], folder: str, start: float):
        self.sources = [os.path.basename(s) for s in sources]
        self.log = Path(folder, ".ninja_log")
        self.start = start
        self.seen = set(_entries(self.log))
        self.done: list[str] = []
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def stop(self) -> None:
        if not self.stopped.is_set():
            self.stopped.set()
            self.thread.join()
            self._show_finished()

    def _run(self) -> None:
        live = sys.stdout.isatty()
        while not self.stopped.wait(0.1):
            self._show_finished()
            waiting = [s for s in self.sources if s not in self.done]
            if live and waiting and time.monotonic() - self.start > 1:
                text = f"{'build':8}{' '.join(waiting):<33}{time.monotonic() - self.start:5.1f} s ..."
                print(text[: shutil.get_terminal_size().columns - 1], end="\033[K\r", flush=True)
        if live:
            print("\033[K", end="", flush=True)

    def _show_finished(self) -> None:
        for entry in _entries(self.log):
            if entry not in self.seen:
                begin, end, _, output, _ = entry
                source = self._source_of(output)
                if source:
                    line(source, (int(end) - int(begin)) / 1000)
                self.done.append(source or output)
                self.seen.add(entry)

    def _source_of(self, output: str) -> str | None:
        """add2.o is made from add2.cpp, add2.cuda.o and (on the CPU) add2.cu.o from add2.cu. CMake's objects lie in
        folders, and are named with the whole source: add2.cpp.o, add2.cu.o and (on the CPU) add2.cu.cpp.o."""
        output = os.path.basename(output)
        stem = output.removesuffix(".o")
        names = {"main.o": "main.cpp"}
        for source in self.sources:
            base, extension = os.path.splitext(source)
            names[base + (".o" if extension != ".cu" else ".cuda.o")] = source
            names[source + ".o"] = names[source + ".cpp.o"] = source
        return names.get(output) or (None if stem == output else stem)
