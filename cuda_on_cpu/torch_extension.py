"""torch's CUDAExtension and load() where there is no GPU: every .cu is translated, and the host compiler builds it.

In the setup.py of an operator:

    from cuda_on_cpu.torch_extension import BuildExtension, CUDAExtension

Both have torch's signatures, and are torch's own where torch sees a GPU, or where TORCH_CUDA_ARCH_LIST names some.
CUDA_ON_CPU=1 in the environment builds for the CPU all the same, CUDA_ON_CPU=0 for a GPU that is not there, and
CUDA_ON_CPU=check for the CPU with the memory check. This is the only module of cuda_on_cpu that knows torch.
"""

from __future__ import annotations

import functools
import json
import os
import shlex
import sys
from pathlib import Path

import torch
import torch.utils.cpp_extension as torch_extension
from torch.utils.cpp_extension import BuildExtension

from . import CFLAGS, INCLUDE, TranslationError, memory_check, names_cuda, translate_file
from .report import SOURCES, digest

__all__ = ["NO_HALF", "BuildExtension", "CUDAExtension", "cpu_extension", "for_cpu"]

# What torch passes to nvcc. It forbids what __half and __nv_bfloat16 can do by themselves, such as float(x): in its own
# sources they would compete with c10::Half.
NO_HALF = [flag for flag in torch_extension.COMMON_NVCC_FLAGS if flag.startswith("-D__CUDA_NO_")]


@functools.wraps(torch_extension.CUDAExtension)
def CUDAExtension(name, sources, *args, **kwargs):
    gpus = torch.cuda.is_available() or bool(os.environ.get("TORCH_CUDA_ARCH_LIST"))
    on_cpu = os.environ.get("CUDA_ON_CPU") or ("0" if gpus else "1")
    if on_cpu == "0":
        return torch_extension.CUDAExtension(name, sources, *args, **kwargs)
    try:
        return _extension(name, sources, *args, checked=on_cpu == "check", **kwargs)
    except TranslationError as error:
        sys.exit(str(error))


def _extension(name, sources, *args, checked, **kwargs):
    if not checked:
        return cpu_extension(name, sources, *args, **kwargs)
    sources = [*sources, _list_of(name, [*sources, *kwargs.get("depends", [])])]
    compiler = memory_check.compiler()
    kwargs["extra_link_args"] = [*kwargs.get("extra_link_args", []), *memory_check.ldflags(compiler)]
    return cpu_extension(name, sources, *args, tool=memory_check.cflags(compiler), **kwargs)


def _list_of(name: str, files: list[str]) -> str:
    """A .cpp that puts into the library what these files are now, so that report.stale() can tell that one has changed."""
    out = Path("build", "cuda_on_cpu", name, "sources.cpp")
    text = SOURCES + json.dumps({os.path.abspath(file): digest(Path(file)) for file in files})
    text = f"__attribute__((used)) static const char cuda_on_cpu_sources[] = {json.dumps(text)};\n"
    if not out.is_file() or out.read_text() != text:  # else it would be compiled again
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text)
    return str(out)


def cpu_extension(name, sources, *args, tool=(), **kwargs):
    """torch's CUDAExtension for CUDA on CPU. tool: more flags for the compiler, as memory_check.cflags() has them."""
    folder = os.path.join("build", "cuda_on_cpu", name)  # setuptools wants paths relative to setup.py
    flags = kwargs.pop("extra_compile_args", [])
    if not isinstance(flags, dict):
        flags = {"cxx": flags, "nvcc": flags}
    macros, folders = _of_nvcc(flags.get("nvcc", []))
    folders = [*kwargs.pop("include_dirs", []), *folders]
    includes = [*_include_paths(sources), *folders]
    sources = _translate(sources, folder, folders, macros)
    flags = _flags(flags.get("cxx", []), tool)
    return torch_extension.CppExtension(name, sources, *args, include_dirs=includes, extra_compile_args=flags, **kwargs)


def for_cpu(call: dict, tool=(), tool_link=()) -> dict:
    """The arguments of torch's load() for a GPU as those of a load() for CUDA on CPU, with more flags to compile and link."""
    macros, folders = _of_nvcc(call.get("extra_cuda_cflags") or [])
    sources, folders = call["sources"], [*(call.get("extra_include_paths") or []), *folders]
    return call | {
        "sources": _translate(sources, call["build_directory"], folders, macros),
        "extra_include_paths": [*_include_paths(sources), *folders],
        "extra_cflags": _flags(call.get("extra_cflags") or [], tool),
        "extra_cuda_cflags": None,
        "extra_ldflags": [*(call.get("extra_ldflags") or []), *tool_link],
        "with_cuda": False,
    }


def _of_nvcc(flags: list[str]) -> tuple[str, list[str]]:
    """What a .cu sees of the flags for nvcc: macros (-D and -U, torch's first), as its first lines; and folders (-I)."""
    lines, folders = [], []
    words = iter(shlex.split(" ".join([*NO_HALF, *flags])))
    for word in words:
        option = word[:2]
        if option not in ("-D", "-U", "-I"):
            continue
        value = word[2:] or next(words)
        if option == "-I":
            folders.append(value)
        elif option == "-U":
            lines.append(f"#undef {value}\n")
        else:
            name, equals, text = value.partition("=")
            lines.append(f"#undef {name.partition('(')[0]}\n#define {name} {text if equals else 1}\n")
    return "".join(lines), folders


def _flags(flags: list[str], tool) -> list[str]:
    return ["-O2", *CFLAGS, *flags, *tool]


def _include_paths(sources: list[str]) -> list[str]:
    """CUDA's headers as seen by a CPU, then the sources' folders: a translated .cu lies elsewhere than its own header."""
    return [str(INCLUDE), *sorted({os.path.dirname(os.path.abspath(s)) for s in sources})]


def _translate(sources: list[str], folder: str, include_dirs: list[str], macros: str) -> list[str]:
    """Each .cu as C++ in that folder, with the headers that need it; a .cpp too, if it names CUDA to torch."""
    translated = []
    folders = [Path(d) for d in include_dirs]
    for source in sources:
        name = os.path.basename(source)
        if source.endswith(".cu"):
            out = os.path.join(folder, name + ".cpp")
            translate_file(Path(source), Path(out), folders, macros)
            source = out
        elif names_cuda(Path(source), folders):
            out = os.path.join(folder, "renamed", name)  # its headers come to lie there, and those of a .cu are others
            translate_file(Path(source), Path(out), folders)
            source = out
        translated.append(source)
    return translated
