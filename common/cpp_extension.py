"""torch.utils.cpp_extension with the same names and signatures, for machines with and without a GPU.

    from common.cpp_extension import load

With a GPU, load, load_inline, CUDAExtension and BuildExtension are torch's own. Without one (or with
CHAPTERS_DEVICE=cpu) every .cu is translated to C++ first and compiled by the host compiler (see cuda_on_cpu/README.md).
In both cases a build shows what it is doing, fails with the compiler's first error, and goes to
build/<torch version and device>/<name>.
"""

import errno
import functools
import inspect
import logging
import os
import sys
from pathlib import Path

import torch

from . import BUILD, progress, toolkit, torch_private
from .machine import device

toolkit.prepare()
logging.getLogger("torch.utils.cpp_extension").setLevel(logging.ERROR)  # "No CUDA runtime is found" is expected here
import torch.utils.cpp_extension as torch_extension  # noqa: E402

from cuda_on_cpu.torch_extension import NO_HALF, cpu_extension, for_cpu  # noqa: E402

BuildExtension = torch_extension.BuildExtension

# Which tool watches the kernels' memory: "address" for AddressSanitizer, "memory" for the memory check of CUDA on CPU.
# tools/lesson.py sets it. Then the flags for compiler and linker.
TOOL = os.environ.get("CHAPTERS_SANITIZE", "")
if TOOL == "memory":
    from cuda_on_cpu import memory_check

    _compiler = memory_check.compiler()
    SANITIZE, SANITIZE_LINK = memory_check.cflags(_compiler), memory_check.ldflags(_compiler)
else:
    SANITIZE = SANITIZE_LINK = ["-fsanitize=address", "-fno-omit-frame-pointer", "-g"] if TOOL else []
# Some compilers are set up to link libstdc++ into every library. An extension has to share the one that torch uses: with
# two of them in a process, the first number that is printed into an error message crashes it. Named first, the shared
# one serves every symbol.
_LDFLAGS = ["-l:libstdc++.so.6"] if sys.platform == "linux" else []
if TOOL == "address":
    os.environ.pop("LD_PRELOAD", None)  # for this process only, not for the compilers that it starts


@functools.wraps(torch_extension.load)
def load(*args, **kwargs):
    call = inspect.signature(torch_extension.load).bind(*args, **kwargs).arguments
    sources = call["sources"]
    call["sources"] = [str(s) for s in ([sources] if isinstance(sources, (str, Path)) else sources)]
    call["build_directory"] = folder = _build_directory(call)
    call["extra_ldflags"] = [*_LDFLAGS, *(call.get("extra_ldflags") or [])]
    with progress.watch(call["name"], call["sources"], folder), torch_private.quoting(torch_extension):
        if device.type == "cpu":
            call = for_cpu(call, SANITIZE, SANITIZE_LINK)
        else:
            toolkit.require()
        return torch_extension.load(**call)


_TARGET = "-DTORCH_TARGET_VERSION=0x020b000000000000"  # torch 2.11's stable ABI: later versions keep it
STABLE = ["-DUSE_CUDA", _TARGET]  # with these a .cpp that uses it is compiled


def load_stable(name, sources, wgmma=False, **kwargs):
    """load() of sources that bind their operators by torch's stable ABI, common/stable.h (chapter 10): enters them in the
    dispatcher, torch.ops, and returns nothing. A process can do so once for each library.

    wgmma: on Hopper the kernels may use instructions that torch's own choice of architectures, sm_90, does not have."""
    root = Path(__file__).parents[1]
    architectures = torch_private.architectures(torch_extension) if wgmma and device.type == "cuda" else []
    load(
        name=name,
        sources=sources,
        extra_include_paths=[str(root)],
        extra_cflags=["-O2", *STABLE],
        extra_cuda_cflags=["-O3", _TARGET, *(flag.replace("-D", "-U") for flag in NO_HALF), *architectures],
        is_python_module=False,
        **kwargs,
    )


@functools.wraps(torch_extension.load_inline)
def load_inline(*args, **kwargs):
    call = inspect.signature(torch_extension.load_inline).bind(*args, **kwargs).arguments
    call["build_directory"] = folder = _build_directory(call)
    call["extra_ldflags"] = [*_LDFLAGS, *(call.get("extra_ldflags") or [])]
    for sources in "cpp_sources", "cuda_sources":  # torch inserts its own lines into the lists that it is given
        if not isinstance(call.get(sources) or "", str):
            call[sources] = list(call[sources])
    sources = ["main.cpp", "cuda.cu"] if call.get("cuda_sources") else ["main.cpp"]
    with progress.watch(call["name"], sources, folder), torch_private.quoting(torch_extension):
        if device.type == "cuda":
            toolkit.require()
            return torch_extension.load_inline(**call)
        # torch writes the strings to main.cpp and cuda.cu, with headers and binding, then hands the files to
        # its compilers. Here only the files are wanted; they are then built as load() would build them.
        with torch_private.only_writes_files(torch_extension):
            call["sources"] = torch_extension.load_inline(**call)
        known = inspect.signature(torch_extension.load).parameters
        call = {key: value for key, value in call.items() if key in known}
        return torch_extension.load(**for_cpu(call, SANITIZE, SANITIZE_LINK))


@functools.wraps(torch_extension.CUDAExtension)
def CUDAExtension(name, sources, *args, **kwargs):
    kwargs["extra_link_args"] = [*_LDFLAGS, *kwargs.get("extra_link_args", []), *SANITIZE_LINK]
    if device.type == "cuda":
        return torch_extension.CUDAExtension(name, sources, *args, **kwargs)
    return cpu_extension(name, sources, *args, tool=SANITIZE, **kwargs)


def extension_folder(name: str) -> Path:
    """Where an extension of that name is built: for this torch, this Python and this device. An old .so never loads."""
    python = f"py{sys.version_info.major}{sys.version_info.minor}"
    key = "-".join(["torch", torch.__version__, python, device.type] + [TOOL] * bool(TOOL))
    return BUILD / key / name


def writable(folder: Path) -> str:
    """That folder, made if need be; a BuildError where one cannot write."""
    try:
        os.makedirs(folder, exist_ok=True)
        Path(folder, ".in_use").touch()
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        help = "make room on that disk" if full else "use a copy of the repository that you own"
        raise progress.BuildError(f"{error}\nA build writes there: {help}.") from None
    return str(folder)


def _build_directory(call: dict) -> str:
    return writable(call.get("build_directory") or extension_folder(call["name"]))
