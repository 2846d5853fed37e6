"""The host compiler, nvcc, and the CUDA libraries that they link."""

import filecmp
import os
import re
import shutil
import sys
from pathlib import Path

from . import broken, check, ok, warning
from .machine import find_cuda, quoted, run
from .resources import disk

NEWER = "sudo apt-get install g++-10 && export CXX=g++-10"  # the first that has C++20, and old systems offer it, too


def first_error(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return next((line for line in lines if "error" in line or "fatal" in line), (lines or ["no message"])[-1])


@check
def compiler(m):
    """torch's headers need a C++ standard (20 from 2.15 on) that an older compiler does not know."""
    name = os.environ.get("CXX") or "c++"  # as torch chooses
    xcode = "xcode-select --install" if sys.platform == "darwin" else None
    if not shutil.which(name):
        other = next((other for other in ("c++", "g++", "clang++") if shutil.which(other)), None)
        return broken(f"{name} not found", f"export CXX={other}" if other else xcode or "sudo apt-get install g++")
    standard = f"-std=c++{m.torch.standard if m.torch else 17}"
    status, _, err = run(name, standard, "-x", "c++", "-include", "vector", "-fsyntax-only", os.devnull)
    version = run(name, "-dumpfullversion", "-dumpversion")[1].strip()
    if status != 0:
        return broken(f"{name} {version} cannot do {standard}: {first_error(err)[:100]}", xcode or NEWER)
    return ok(f"{name} {version}, {standard}")


@check
def nvcc(m):
    """Compiles a .cu for a GPU; one of another major CUDA version than torch's does not fit torch's libraries."""
    if m.torch is None or m.torch.cuda is None:
        return ok("nothing to build for: " + ("torch has no CUDA" if m.torch else "there is no torch"))
    if m.toolkit:
        return ok(f"{m.toolkits[m.toolkit]} in {m.toolkit}, torch has CUDA {m.torch.cuda}")
    there = "; ".join(f"{home} has {version}" for home, version in m.toolkits.items()) or "there is none"
    if not m.for_gpu:
        return ok(f"{there}; not needed without a GPU")
    return broken(f"torch needs CUDA {m.torch.cuda}: {there}", find_cuda.install(m.torch.cuda))


@check
def nvcc_compiler(m):
    """nvcc leaves the host's code to a C++ compiler, $CC or gcc, and refuses one that is newer than it knows."""
    if not m.toolkit:
        return ok("no nvcc to ask")
    name = os.environ.get("CC", "gcc")
    host = ["-ccbin", name] if "CC" in os.environ else []
    standard = f"-std=c++{m.torch.standard}"
    status, _, err = run(m.toolkit / "bin/nvcc", *host, standard, "-x", "cu", "-E", os.devnull, "-o", os.devnull)
    if status == 0:
        return ok(f"nvcc accepts {name}")
    if disk(m).status == "broken":
        return ok("the disk comes first")
    newest = re.search(r"gcc versions later than (\d+)", err)
    if newest:
        cure = f"sudo apt-get install g++-{newest[1]} && export CC=g++-{newest[1]}"
    else:
        cure = "unset CC" if "CC" in os.environ and shutil.which("gcc") else "sudo apt-get install g++"
    return m.serious(f"nvcc does not work with {name}: {first_error(err)[:100]}", cure)


@check
def libcudart(m):
    """Linkers look for libcudart.so; NVIDIA's packages on PyPI have libcudart.so.13 only, and `make` adds the link."""
    if not m.toolkit:
        return ok("no nvcc that needs it")
    folders = [m.toolkit / "lib64", *m.toolkit.glob("lib"), *m.toolkit.glob("targets/*/lib")]
    folders += m.toolkit.glob("lib/*-linux-gnu")
    for folder in folders:
        if (folder / "libcudart.so").exists():
            return ok(folder / "libcudart.so")
    library = next((lib for folder in folders for lib in sorted(folder.glob("libcudart.so.*"))), None)
    if library is None:
        return m.serious(f"none in {m.toolkit}", find_cuda.install(m.torch.cuda).replace("nvcc,", "nvcc,cudart,"))
    link = library.with_name("libcudart.so")
    return m.serious(f"no link to {library}", f"ln -sfn {library.name} {quoted(link)}")


@check
def CUDA_HOME(m):
    """Every build that is not the lessons' takes CUDA_HOME's word; the lessons pass over one that does not fit torch."""
    home = os.environ.get("CUDA_HOME")
    if not home:
        return ok("not set: found without it")
    version = find_cuda.version(Path(home))
    cure = f"export CUDA_HOME={quoted(m.toolkit)}" if m.toolkit else "unset CUDA_HOME"
    if version is None:
        return warning(f"{home} has no nvcc that runs", cure)
    if m.torch and m.torch.cuda and version != m.torch.cuda:
        return warning(f"{home} has CUDA {version}, torch {m.torch.cuda}", cure)
    return ok(f"{home}, CUDA {version}")


@check
def LD_LIBRARY_PATH(m):
    """A folder in there comes before torch's own libraries: another libcudart is loaded than torch was built with."""
    folders = [Path(entry) for entry in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if entry]
    if not folders:
        return ok("not set")
    if not (m.torch and m.torch.cuda):
        return ok("no CUDA to get in the way of")
    name = f"libcudart.so.{m.torch.cuda.split('.')[0]}"
    mine = [*m.torch.folder.parent.glob(f"nvidia/*/lib/{name}"), *m.torch.folder.glob(f"lib/{name}")]
    mine += [library for library in [Path(sys.prefix, "lib", name)] if library.exists()]  # conda's
    for folder in folders:
        other = folder / name
        if mine and other.exists() and not filecmp.cmp(other, mine[0], shallow=False):
            return warning(f"{other} is loaded in place of {mine[0]}", "unset LD_LIBRARY_PATH")
    return ok(f"brings no other {name}")
