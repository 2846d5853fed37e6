"""The memory check: compiles a .cu so that each access of a kernel is looked at, and says which ones are wrong.

    python3 -m cuda_on_cpu check program.cu [more.cu] [its arguments]

runs a program with a main(). README.md says what is found. g++ and clang++ on Linux; needs addr2line and nm, which come with
them.

The compiler reports the accesses (-fsanitize=thread without ThreadSanitizer's own library); recorder/ is what it reports to,
a library of its own that all kernels of a process share.
"""

from __future__ import annotations

import ctypes
import fcntl
import functools
import hashlib
import os
import shlex
import shutil
import subprocess
from pathlib import Path

from . import cache, report

HERE = Path(__file__).resolve().parent

# Functions whose calls the linker sends to the recorder.
WRAPPED = "memcpy", "memmove", "memset"

# For a .cu and whatever is linked with it. Loops of one thread stay loops: a GPU's threads have no vector registers. -g1:
# lines, and nothing else.
_ALL = [
    "-DCUDA_ON_CPU_MEMORY_CHECK",
    "-fsanitize=thread",
    "-fsanitize=alignment,bounds,shift-exponent",
    "-O2",
    "-g1",
    "-fno-omit-frame-pointer",
]
_ALL += ["-fno-tree-vectorize", "-fno-tree-slp-vectorize", "-fno-optimize-sibling-calls"]
_ALL += [f"-fno-builtin-{name}" for name in WRAPPED]  # calls, also of few bytes
_ALL += ["-U_FORTIFY_SOURCE"]  # Ubuntu's compilers define it, and make plain stores of few bytes, which nobody reports
_GCC = ["--param=tsan-distinguish-volatile=1", "--param=tsan-instrument-func-entry-exit=0", "-fno-store-merging"]
_GCC += ["-fsanitize=bounds-strict"]  # also of an array at the end of a struct
_GCC += ["-fno-ipa-icf", "-fno-tree-tail-merge", "-fno-crossjumping"]  # code that is made one loses its lines,
_GCC += ["-fno-partial-inlining"]  # and so does a call of a part of a function
# The copy of a struct is one access, as on a GPU, and an instruction exists once for all threads.
_GCC += ["-fno-tree-sra", "-fno-ipa-sra", "-fno-thread-jumps"]
_CLANG = ["tsan-distinguish-volatile=1", "tsan-instrument-func-entry-exit=0", "tsan-instrument-read-before-write=1"]


def compiler(default: str = "c++") -> list[str]:
    """The command of the compiler, as the environment has it in CXX; an empty CXX counts as unset."""
    return shlex.split(os.environ.get("CXX", "")) or [default]


def is_clang(compiler: list[str]) -> bool:
    return _says_clang(tuple(compiler))


@functools.cache  # else each load() and each check would start the compiler to ask
def _says_clang(compiler: tuple[str, ...]) -> bool:
    if not shutil.which(compiler[0]):
        return False  # the build says that it is missing
    return "clang" in subprocess.run([*compiler, "--version"], capture_output=True, text=True).stdout


def cflags(compiler: list[str]) -> list[str]:
    """What a .cu is compiled with, after its other flags."""
    if is_clang(compiler):
        # addr2line misses some of the inlined functions in what clang++ writes by default, version 5.
        return [*_ALL, "-gdwarf-4", *(word for flag in _CLANG for word in ("-mllvm", f"-{flag}"))]
    return [*_ALL, *_GCC]


def ldflags(compiler: list[str]) -> list[str]:
    """What a program or library is linked with. With -fsanitize=thread it would be ThreadSanitizer's own library."""
    library = recorder(compiler)
    wrapped = [f"-Wl,--wrap={name}" for name in WRAPPED]
    return ["-fno-sanitize=all", *wrapped, str(library), f"-Wl,-rpath,{library.parent}"]


def recorder(compiler: list[str]) -> Path:
    """The library, compiled when its sources have changed."""
    sources = sorted([*(HERE / "recorder").iterdir(), HERE / "include/cuda_on_cpu/recorder.h"])
    program = os.path.realpath(shutil.which(compiler[0]) or compiler[0])  # c++ is often the same as g++
    text = b"".join(source.read_bytes() for source in sources) + " ".join([program, *compiler[1:]]).encode()
    library = cache() / "recorder" / hashlib.sha256(text).hexdigest()[:12] / "librecorder.so"
    library.parent.mkdir(parents=True, exist_ok=True)
    with open(library.parent / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # of two processes, the second one finds it compiled
        if not library.exists():
            new = library.with_name("new.so")
            flags = ["-std=c++17", "-O2", "-g1", "-fPIC", "-shared", "-fno-omit-frame-pointer", "-pthread"]
            # Its own copies of templates, never the program's, which report accesses.
            flags += ["-Wl,-Bsymbolic-functions", "-fno-semantic-interposition"]
            with report.building("the memory check, once"):
                subprocess.run([*compiler, *flags, HERE / "recorder" / "recorder.cpp", "-o", new, "-ldl"], check=True)
            new.replace(library)
    return library


def knowing_tensors() -> dict[str, str]:
    """The environment of a process in which the recorder notes where torch's tensors end: it is there before torch."""
    return {"LD_PRELOAD": str(recorder(compiler())), "CUDA_ON_CPU_TENSORS": "1"}


def announce(address: int, nbytes: int, margin: int) -> None:
    """Tells the recorder of a tensor's memory, which lies between margins; with 0 bytes, that it is gone."""
    library().cuda_on_cpu_tensor(*map(ctypes.c_size_t, (address, nbytes, margin)))


def announce_parameter(name: str, address: int, nbytes: int, element: int, columns: int) -> None:
    """Tells the recorder what a launcher gets in that memory: elements of so many bytes; columns: of a matrix, else 0.

    Until launcher_returned() messages use the name, and the host's code may not use the memory.
    """
    sizes = map(ctypes.c_size_t, (address, nbytes, element, columns))
    library().cuda_on_cpu_parameter(name.encode(), *sizes)


def launcher_returned() -> str | None:
    """What the host's code has done with the parameters meanwhile, in words."""
    said = library().cuda_on_cpu_launcher_returned()
    return said and os.fsdecode(said)


@functools.cache
def library() -> ctypes.CDLL:
    """The recorder of this process."""
    library = ctypes.CDLL(str(recorder(compiler())))
    library.cuda_on_cpu_launcher_returned.restype = ctypes.c_char_p
    return library
