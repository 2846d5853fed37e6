"""What the tests share: the chapters (found by looking into chapters/), and their operators."""

import functools
import os
import re
import shutil
import subprocess
import sys

import pytest

from tools.chapters import ROOT, folders, load

CHAPTERS = list(folders().values())


def chapter(name, file="main"):
    """chapters/<name>/main.py (or another of its files) as a module."""
    return load(ROOT / "chapters" / name / f"{file}.py")


@functools.cache  # a process loads an extension once; a lock keeps two processes from building it at once
def operators(name, build="build"):
    """What chapters/<name>/main.py builds; notes/x:build is build() of its notes/x.py. Built once for all tests."""
    file, _, function = build.rpartition(":")
    return getattr(chapter(name, file or "main"), function)()


def kept_folder(name):
    """build/tests/<torch and Python>/<name>: for a build that the next test run may find finished."""
    import torch

    version = f"torch-{torch.__version__}-py{sys.version_info.major}{sys.version_info.minor}"
    folder = ROOT / "build" / "tests" / version / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def write(file, text):
    """Writes a file unless it has that text already: a newer file is compiled again."""
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists() or file.read_text() != text:
        file.write_text(text)
    return file


def one_line(told):
    """What cuda_on_cpu/report.py has printed, with each sentence in one line again."""
    return told.replace("\n" + 10 * " ", " ")


def nvcc(source, out, architecture, *flags):
    """Compiles that .cu for that architecture, and returns what nvcc says. Skips where there is no nvcc."""
    from common import toolkit

    if not toolkit.cuda_home():
        pytest.skip("no nvcc of torch's CUDA version on this machine")
    compiler = toolkit.cuda_home() / "bin" / "nvcc"
    command = [compiler, "-std=c++17", "-O3", f"-arch={architecture}", f"-I{ROOT}", *flags, source, "-o", out]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def ptx_of(source, tmp_path):
    """{a kernel's mangled name: its code} as nvcc makes it for an H100 from that .cu. 3 s"""
    nvcc(source, tmp_path / "ptx", "sm_90", "-ptx")
    return {entry.partition("(")[0]: entry for entry in (tmp_path / "ptx").read_text().split(".entry ")[1:]}


def machine_code(source, tmp_path, architecture="sm_90"):
    """({a kernel's mangled name: its machine code}, what ptxas says of them). Skips where there is no nvdisasm."""
    places = [*os.environ["PATH"].split(os.pathsep), *(f"{place}/triton/backends/nvidia/bin" for place in sys.path)]
    disassembler = shutil.which("nvdisasm", path=os.pathsep.join(places))
    if not disassembler:
        pytest.skip("there is no nvdisasm")
    said = nvcc(source, tmp_path / "cubin", architecture, "-cubin", "-Xptxas", "-v")
    code = subprocess.run([disassembler, "-c", tmp_path / "cubin"], capture_output=True, text=True, check=True).stdout
    return {kernel.partition(",")[0]: kernel for kernel in code.split(".section\t.text.")[1:]}, said


def spills(said):
    """What ptxas -v says of each kernel's local memory. A register that is spilled goes to memory in each step."""
    return [line.strip() for line in said.splitlines() if "spill" in line]


NO_SPILLS = "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"


def in_packs(code, access="ld|st"):
    """Whether each access of device memory in that PTX takes a whole pack. C++ does not tell nvcc to make one access of it.
    With four, results stay right; on an H200 chapter 13's cluster lost a tenth of its speed, and its half types two thirds."""
    kinds = set(re.findall(rf"(?:{access})\.global[.:\w]*", code))
    return bool(kinds) and all(re.search(r"v4\.\w32|v2\.\w64", kind) for kind in kinds)


def needs_gpu_memory(gib):
    """A decorator for a test with tensors of that size in all: no other test runs beside it, and it is left to test-all."""
    import torch

    from common import device

    def decorated(test):
        for mark in pytest.mark.thorough, pytest.mark.alone, pytest.mark.skipif(too_small, reason=reason):
            test = mark(test)
        return test

    too_small = device.type == "cpu" or torch.cuda.get_device_properties(device).total_memory < gib * 2**30
    reason = f"needs a GPU with {gib} GiB of memory"
    return decorated


@functools.cache
def without_network():
    """What goes before a command to run it without a network; nothing where this machine does not let us."""
    prefix = ["unshare", "--map-root-user", "--net"]
    allowed = shutil.which("unshare") and subprocess.run([*prefix, "true"], capture_output=True).returncode == 0
    return prefix if allowed else []
