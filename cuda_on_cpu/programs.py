"""Builds a program of one or several .cu with a main(), as it is or so that the memory check sees each access; and runs it."""

from __future__ import annotations

import concurrent.futures
import fcntl
import hashlib
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from . import CFLAGS, INCLUDE, cache, memory_check, report, translate_file


class BuildError(RuntimeError):
    """A program that does not compile or link. The message is the compiler's first error."""


class Failed(RuntimeError):
    """A program that did not end well: what is wrong, and its exit status, which is negative for a signal."""

    def __init__(self, wrong: list[str], status: int):
        super().__init__("\n".join(wrong) or f"the program ended with status {status}")
        self.wrong, self.status = wrong, status


def compiler() -> list[str]:
    """The command of the compiler: the environment's CXX, else g++, which the microscope needs."""
    return memory_check.compiler("g++")


def flags() -> list[str]:
    """More flags for it: the environment's CXXFLAGS."""
    return shlex.split(os.environ.get("CXXFLAGS", ""))


def place(cus: Sequence[Path], *, checked: bool = False) -> Path:
    """Where the program of these .cu is built."""
    what = "\0".join([*map(os.path.abspath, cus), str(checked)])
    return cache() / "programs" / f"{cus[0].stem}_{hashlib.sha256(os.fsencode(what)).hexdigest()[:8]}"


# ---- building --------------------------------------------------------------------------------------------------------


def build(
    cus: Sequence[Path], program: Path, compiler: list[str], flags: Sequence[str] = (), *, checked: bool = False
) -> None:
    """Compiles a program of these .cu, as many at a time as there are cores, unless it is up to date.

    Raises TranslationError, or BuildError.
    """
    if not shutil.which(compiler[0]):
        if named := os.environ.get("CXX"):
            raise BuildError(f"CXX={named}: no such program")
        raise BuildError(f"{compiler[0]} not found: apt-get install g++")
    one_error = "-ferror-limit=1" if memory_check.is_clang(compiler) else "-fmax-errors=1"
    compile_ = [*compiler, "-std=c++17", *CFLAGS, "-DCUDA_ON_CPU_PROGRAM", f"-I{INCLUDE}", "-pthread", one_error]
    compile_ += [*flags, *memory_check.cflags(compiler)] if checked else ["-O2", "-g", *flags]
    link = [*compiler, "-pthread", *flags]
    link_after = ["-ldl", *(memory_check.ldflags(compiler) if checked else [])]  # for dladdr(), before glibc 2.34
    program.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{program}.state", "a+") as state:
        fcntl.flock(state, fcntl.LOCK_EX)  # of two processes that build it, the second one finds it built
        cpps = [Path(f"{program}_{i}.cpp") for i in range(len(cus))]
        read = {file for cu, cpp in zip(cus, cpps, strict=True) for file in translate_file(cu, cpp, _folders(flags))}
        command = [*compile_, *link_after, *map(os.path.abspath, cus)]
        if program.exists() and Path(state.name).read_text() == _state(command, _parts(program)):
            return
        state.truncate(0)

        def compiled(cu: Path, cpp: Path) -> str:
            own = f"-I{Path(os.path.abspath(cu)).parent}"
            return _run([*compile_, own, "-MMD", "-c", cpp, "-o", cpp.with_suffix(".o")], [cu])

        with report.building(" ".join(map(str, cus))):
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                warnings = list(pool.map(compiled, cus, cpps))
            objects = [cpp.with_suffix(".o") for cpp in cpps]
            warnings += [_run([*link, *objects, "-o", program, *link_after], cus)]
        print("".join(warnings), end="", file=sys.stderr)
        parts = {part for cpp in cpps for part in _dependencies(cpp.with_suffix(".d"))}
        state.write(_state(command, sorted({*map(str, read), *parts})))


def files(cus: Sequence[Path], program: Path | None = None) -> dict[str, Path]:
    """{its name to the reader: its path} of these .cu, as they are here, and of the other files of a program of them that
    is built: from the current folder on."""
    named = {str(cu): Path(os.path.abspath(cu)) for cu in cus}
    for path in map(Path, _parts(program) if program else []):
        if path not in named.values() and not any(path.is_relative_to(own) for own in (INCLUDE, cache())):
            named[str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)] = path
    return named


# What a compiler says of a header of torch's that it does not find.
OF_TORCH = r"(?m)^(.*?:\d+)(?::\d+)?: fatal error: '?((?:torch|ATen|c10|pybind11)/[\w/.]+|Python\.h)\b"


def _run(command: list, cus: Sequence[Path]) -> str:
    """A compiler's warnings."""
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, errors="replace")
    if re.search(r"undefined (reference to|symbol:) [`']?main\b", done.stderr):
        raise BuildError(f"no main(), where a program begins, in {', '.join(map(str, cus))}")
    if of_torch := re.search(OF_TORCH, done.stderr):
        raise BuildError(
            "{} includes {}: this is an operator, which Python loads, and not a program. In the repository of CUDA on CPU, "
            "make new NAME=mine begins an operator that PyTorch can call".format(*of_torch.groups())
        )
    if done.returncode:
        end = r"\n.*(-fmax-errors=1\.|too many errors emitted, stopping now.*)"  # what the compiler says of our flag
        raise BuildError(re.sub(end, "", done.stderr).rstrip())
    return done.stderr


def _folders(flags: Sequence[str]) -> list[Path]:
    """Those of -I."""
    words = zip(flags, [*flags[1:], ""], strict=False)
    return [Path(word[2:] or after) for word, after in words if word.startswith("-I")]


def _dependencies(rules: Path) -> list[str]:
    """What a file of make's rules names, as compilers write it."""
    names = re.findall(r"(?:\\.|\S)+", rules.read_text().replace("\\\n", " "))[1:]
    return [os.path.abspath(re.sub(r"\\(.)", r"\1", name)) for name in names]


def _parts(program: Path) -> list[str]:
    """The files that a built program is made of."""
    state = Path(f"{program}.state")
    return state.read_text().splitlines()[1:] if state.exists() else []


def _state(command: list[str], parts: list[str]) -> str:
    """Changes with the command, the compiler and each part; the parts are its lines from the second on."""
    found = os.stat(shutil.which(command[0]))
    digest = hashlib.sha256("\0".join([*command, str(found.st_size), str(found.st_mtime_ns)]).encode())
    for part in parts:
        digest.update(Path(part).read_bytes() if os.path.exists(part) else b"")
    return "\n".join([digest.hexdigest(), *parts])


# ---- running ---------------------------------------------------------------------------------------------------------


def run(program: Path, arguments: Iterable[str] = (), **environment: str) -> int:
    """Runs it with the input and the output of this process; its exit status. Raises Failed where something is wrong."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    with tempfile.NamedTemporaryFile(prefix="cuda-on-cpu-") as file:  # include/cuda_on_cpu/program.h writes it
        status = started([program, *arguments], **environment, CUDA_ON_CPU_REPORT=file.name)
        told, was_at, places = [], {}, ""
        for entry in os.fsdecode(file.read()).split("\0"):
            kind, _, text = entry.partition("\n")
            if kind == "asked":  # for the error of a launch that CUDA had refused
                told.remove(next(earlier for earlier in reversed(told) if earlier[0] == "refused"))
            elif kind == "endless":  # where the thread was that the next entry is about
                places = text
            elif entry:
                told.append((kind, text))
                was_at.setdefault(text, _where(program, places).replace(" at", "; it was at", 1))
                places = ""
    wrong = [report.found_by_cuda(text) + was_at[text] for _, text in told if text.startswith("CUDA on CPU: ")]
    others = dict(
        entry for entry in told if entry[0] not in ("found", "refused") and not entry[1].startswith("CUDA on CPU: ")
    )
    places = others.pop("crash", "")
    wrong += [f"uncaught exception {kind}: {text}".removesuffix(": ") for kind, text in others.items()]
    if status == -signal.SIGINT and not wrong:
        raise KeyboardInterrupt
    if status < 0 and status != -signal.SIGINT:
        wrong.append(f"the program was ended by {signal.Signals(-status).name}{_where(program, places)}")
    if wrong:
        raise Failed(list(dict.fromkeys(wrong)), status)
    return status


def started(command: Sequence[str | Path], **environment: str) -> int:
    """The exit status of a program with the input and the output of this process. Ctrl-C is its own: it says where it was."""
    with subprocess.Popen(command, env=os.environ | environment) as process:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            return process.wait()
        finally:
            signal.signal(signal.SIGINT, before)


def _where(program: Path, places: str) -> str:
    """ " at own.cu:7", the first of these places in the program that lies in one of the reader's files"""
    if not places or not shutil.which("addr2line"):
        return ""
    command = ["addr2line", "-i", "-e", program, *(f"{int(place):#x}" for place in places.split())]
    lines = subprocess.run(command, capture_output=True, text=True, errors="replace").stdout.splitlines()
    theirs = {str(path) for path in files([], program).values()}
    return next((f" at {line.split(' (')[0]}" for line in lines if line.rpartition(":")[0] in theirs), "")
