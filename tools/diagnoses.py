"""The diagnoses of tools/doctor.py: functions of a Machine that return a Finding, in the order in which they are printed.

The one line of a function's docstring says why the diagnosis matters; tools/README.md shows that line.
"""

import functools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

from common import find_cuda

from . import environment

GB = 1e9
FILES = 8  # no lesson compiles more at once
LOADED = ".cache/torch_extensions"  # where torch's own load() builds
PACKAGES = {"torch", "numpy", "setuptools", "pip", "ninja", "pybind11", "build", "cv2"}
PIP = f"{shlex.quote(sys.executable)} -m pip"  # of the Python that runs the lessons
NEW_DRIVER = "sudo ubuntu-drivers install && sudo reboot    # in a container: docker run --gpus all; WSL: in Windows"
ASK_TORCH = """
import json, os, warnings
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    import torch
    there = torch.version.cuda and torch.cuda.is_available()
    gpus = [torch.cuda.get_device_capability(i) for i in range(torch.cuda.device_count())] if there else []
print(json.dumps({
    "version": torch.__version__, "cuda": torch.version.cuda, "folder": os.path.dirname(torch.__file__), "gpus": gpus,
    "architectures": " ".join(torch.cuda.get_arch_list()), "said": " ".join(str(warning.message) for warning in said),
    "standard": "-std=c++20" if torch.__version__ >= "2.15" else "-std=c++17",
}))
"""


class Finding(NamedTuple):
    status: str  # "ok", "warning" (the lessons run, but not as well as they could) or "broken"
    found: str
    cure: str = ""  # one command; a comment may follow


ok, warning, broken = (functools.partial(Finding, status) for status in ("ok", "warning", "broken"))


def run(*command):
    """(exit status, stdout, stderr) of a program. The status is None when the program does not start or does not end."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, "", str(error)
    return done.returncode, done.stdout, done.stderr


def first_error(text):
    lines = [line.strip() for line in text.splitlines() if re.search("error|fatal", line)]
    return (lines or [" ".join(text.split())])[0][:100]


def quoted(*words):
    return shlex.join(map(str, words))


class Machine:
    """What several diagnoses ask. Tests pass a file system and a repository of their own."""

    def __init__(self, root=Path("/"), repository=environment.ROOT):
        self.root, self.repository = root, repository
        # In a process of its own, because importing torch may crash, hang or print.
        status, out, err = run(sys.executable, "-c", ASK_TORCH)
        usable = status == 0 and environment.fits(environment.TORCH)
        self.torch = SimpleNamespace(**json.loads(out.splitlines()[-1])) if usable else None
        self.error = (err.strip().splitlines() or [f"exit status {status}"])[-1][:100]  # of importing torch

    @functools.cached_property
    def toolkit(self):
        """The CUDA toolkit that builds the lessons, or None."""
        return find_cuda.choose(self.torch.cuda, find_cuda.candidates(self.torch.cuda))


def torch(m):
    """Nothing runs without a torch of a fitting version that Python can import."""
    if not environment.fits(environment.TORCH):
        return broken(f"{sys.executable} has no {environment.TORCH}", "make setup")
    if not m.torch:
        again = f"{PIP} install --force-reinstall --no-deps '{environment.TORCH}'"
        return broken(f"torch cannot be imported: {m.error}", again)
    return ok(f"{m.torch.version}, Python {sys.version.split()[0]}, {sys.executable}")


def python_headers(m):
    """Every binding includes Python.h, which many systems keep in a package of its own."""
    header = Path(sysconfig.get_path("include")) / "Python.h"
    cure = f"sudo apt-get install python{sys.version_info[0]}.{sys.version_info[1]}-dev"
    return ok(header) if header.exists() else broken(f"no {header}", cure)


def hidden_modules(m):
    """Python imports a file random.py or build.py in a lesson's folder in place of the real module."""
    for file in [*m.repository.glob("*.py"), *m.repository.glob("chapters/*/*.py")]:
        if file.stem in PACKAGES | sys.stdlib_module_names:
            away = f"mv {quoted(file, file.with_name('my_' + file.name))}"
            return broken(f"{file} hides the module {file.stem}", away)
    return ok("no file hides a module")


def memory(m):
    """ninja starts more compilers than there are cores, and each may take 1 GB; the kernel kills what does not fit."""
    meminfo = m.root / "proc/meminfo"
    if not meminfo.exists():
        return ok("unknown")
    free = int(re.search(r"MemAvailable: +(\d+) kB", meminfo.read_text())[1]) * 1024 / GB
    jobs = int(os.environ.get("MAX_JOBS") or os.cpu_count() + 2)
    found = f"{free:.1f} GB free, {jobs} compilers at once"
    cure = f"export MAX_JOBS={max(1, int(free))}    # and end other programs"
    return ok(found) if free >= min(jobs, FILES) else (broken if free < 0.5 else warning)(found, cure)


def disk(m):
    """Builds go to build/, the compilers' temporary files to $TMPDIR; a full disk ends both."""
    temporary = os.environ.get("TMPDIR") or "/tmp"  # as nvcc chooses
    for place, cure in (m.repository, "make clean"), (temporary, f"export TMPDIR={quoted(m.repository)}"):
        free = shutil.disk_usage(place).free / GB
        if free < 2:
            return (broken if free < 0.2 else warning)(f"{free:.1f} GB free in {place}", cure)
    return ok(f"2 GB and more free in {m.repository} and {temporary}")


def compiler(m):
    """torch's headers need a C++ standard (20 from torch 2.15 on) that an older compiler does not know."""
    command = environment.compiler()
    name = " ".join(command)
    status, _, err = run(*command, m.torch.standard, "-x", "c++", "-include", "vector", "-fsyntax-only", os.devnull)
    if status == 0:
        return ok(f"{name} knows {m.torch.standard}")
    newer = "sudo apt-get install g++-10 && export CXX=g++-10"  # the oldest g++ that knows C++20
    return broken(f"{name} {m.torch.standard}: {first_error(err)}", newer)


def build_isolation(m):
    """pip builds a package without your torch, unless you pass `--no-build-isolation`, which needs your setuptools."""
    if environment.fits("setuptools"):
        return ok("pip install --no-build-isolation avoids \"No module named 'torch'\"")
    return broken("setuptools is missing", f"{PIP} install setuptools")


def ninja(m):
    """torch compiles extensions through ninja; without ninja load() fails at once."""
    beside = Path(sys.executable).with_name("ninja")  # common/toolkit.py puts this folder on the PATH
    program = shutil.which("ninja") or (beside if beside.exists() else None)
    return ok(program) if program else broken("not found", f"{PIP} install ninja")


def locks(m):
    """A killed build leaves a lock in torch's cache, and an older torch waits for that lock for ever."""
    waits = "FileBaton(" in Path(m.torch.folder, "utils/cpp_extension.py").read_text()
    found = sorted((Path.home() / LOADED).rglob("lock")) if waits else []
    if not found:
        return ok("none that a build waits for")
    return warning(f"{len(found)}, such as {found[0]}", f"rm {quoted(*found)}    # unless a build is running")


def old_extensions(m):
    """An extension that was built with another torch fails with "undefined symbol", or crashes."""
    # pip and conda write this folder last, so its time is that of the installation. torch's own files may be older.
    installed = max(info.stat().st_mtime for info in Path(m.torch.folder).parent.glob("torch-*.dist-info"))
    built = [*m.repository.glob("chapters/**/*.so"), *(Path.home() / LOADED).rglob("*.so")]
    old = [library for library in built if library.stat().st_mtime < installed]
    return warning(f"{old[0]} is older than this torch", f"rm {quoted(*old)}") if old else ok("none of another torch")


def torch_and_gpu(m):
    """Without a driver that is new enough, with a torch for CPUs, or with the GPU hidden, the lessons run on the CPU."""
    if m.torch.gpus:
        return ok("torch sees a GPU")
    if not shutil.which("nvidia-smi"):
        vendors = [file.read_text().strip() for file in m.root.glob("sys/bus/pci/devices/*/vendor")]
        nvidia = "0x10de" in vendors
        return warning("no nvidia-smi for a GPU by NVIDIA", NEW_DRIVER) if nvidia else ok("there is no GPU")
    status, out, err = run("nvidia-smi")
    if status != 0:
        return warning(f"nvidia-smi fails: {' '.join((out + err).split())[:120]}", "sudo reboot")
    if not m.torch.cuda:
        again = f"{PIP} install --force-reinstall '{environment.TORCH}'    # the one on PyPI has CUDA"
        return warning(f"torch {m.torch.version} has no CUDA", again)
    if "CUDA_VISIBLE_DEVICES" in os.environ:
        hidden = os.environ["CUDA_VISIBLE_DEVICES"]
        return warning(f"CUDA_VISIBLE_DEVICES={hidden} hides the GPU", "unset CUDA_VISIBLE_DEVICES")
    cure = NEW_DRIVER if "too old" in m.torch.said else "sudo modprobe nvidia_uvm"
    return warning(f"torch sees no GPU: {m.torch.said[:120]}", cure)


def nvcc(m):
    """nvcc compiles a .cu for a GPU; the major numbers of its CUDA version and torch's must be the same."""
    cuda, version = m.torch.cuda, find_cuda.version
    if m.toolkit:
        return ok(f"{version(m.toolkit)} in {m.toolkit}, torch has CUDA {cuda}")
    there = [f"{home} has {version(home)}" for home in find_cuda.candidates(cuda) if version(home)]
    return broken(f"torch needs CUDA {cuda}: {'; '.join(there) or 'there is none'}", find_cuda.install(cuda))


def nvcc_compiler(m):
    """nvcc passes host code to a C++ compiler, $CC or gcc, and refuses one that is newer than nvcc knows."""
    if not m.toolkit:
        return ok("there is no nvcc")
    name = os.environ.get("CC", "gcc")
    options = "-ccbin", name, m.torch.standard, "-x", "cu", "-E", os.devnull, "-o", os.devnull
    status, _, err = run(m.toolkit / "bin/nvcc", *options)
    if status == 0:
        return ok(f"nvcc accepts {name}")
    newest = re.search(r"gcc versions later than (\d+)", err)
    gcc = f"g++-{newest[1]}" if newest else "g++"
    return broken(f"nvcc {name}: {first_error(err)}", f"sudo apt-get install {gcc} && export CC={gcc}")


def CUDA_HOME(m):
    """Builds of your own use the toolkit in CUDA_HOME; the lessons prefer one whose version is torch's."""
    home = os.environ.get("CUDA_HOME")
    if not home or not m.toolkit or m.toolkit == Path(home):
        return ok(home or "not set: the lessons find the toolkit without it")
    has = find_cuda.version(Path(home)) or "no nvcc"
    return warning(f"{home} has {has}, torch has CUDA {m.torch.cuda}", f"export CUDA_HOME={quoted(m.toolkit)}")


def unfit(gpus, architectures):
    """The first GPU, such as "9.0", on which no code for these architectures runs.

    sm_80 (8.0 in TORCH_CUDA_ARCH_LIST) runs on 8.0 and later of the same major version, compute_80 (8.0+PTX) on all later.
    """
    codes = re.findall(r"(compute_)?(\d+)\.?(\d)a?(\+PTX)?", architectures)
    for gpu in gpus:
        if not any(
            [int(major), int(minor)] <= gpu and (compute or ptx or int(major) == gpu[0])
            for compute, major, minor, ptx in codes
        ):
            return f"{gpu[0]}.{gpu[1]}"


def architecture(m):
    """torch's own kernels are compiled for a list of GPUs; on another GPU each fails with "no kernel image"."""
    built = m.torch.architectures
    if not (gpu := unfit(m.torch.gpus, built)):
        return ok(built)
    # CUDA 12.6 keeps the GPUs that CUDA 13 has dropped. The command changes with each torch; this page has it.
    cure = f"xdg-open https://pytorch.org/get-started/locally    # choose CUDA 12.6, {environment.TORCH}"
    return broken(f"the GPU is {gpu}; torch is built for {built}", cure)


def TORCH_CUDA_ARCH_LIST(m):
    """A .cu is compiled for the GPUs in this list; where yours is not in it, each launch fails with "no kernel image"."""
    wanted = os.environ.get("TORCH_CUDA_ARCH_LIST")
    if not wanted or re.search("[b-z]", wanted):
        return ok(wanted or "not set: for the GPU in this machine")  # torch translates names, such as Hopper
    gpu = unfit(m.torch.gpus, wanted)
    return broken(f"{wanted}: the GPU is {gpu}", f"export TORCH_CUDA_ARCH_LIST={gpu}") if gpu else ok(wanted)


WITH_TORCH = [compiler, build_isolation, ninja, locks, old_extensions, torch_and_gpu]
WITH_GPU = [nvcc, nvcc_compiler, CUDA_HOME, architecture, TORCH_CUDA_ARCH_LIST]
DIAGNOSES = [torch, python_headers, hidden_modules, memory, disk, *WITH_TORCH, *WITH_GPU]
