"""A machine of straw for tests/tools/test_doctor.py. Every program, package and system file that a diagnosis looks at lies in
a temporary folder, so that a test can break one thing at a time, and a diagnosis says the same on every machine.
"""

import importlib
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from types import SimpleNamespace

from support import ROOT

sys.path.insert(0, str(ROOT / "tools"))
from diagnoses import machine

TORCH = """
import warnings
from . import version
class cuda:
    def is_available():
        if {warns!r}:
            warnings.warn({warns!r})
        return {gpu}
class _C:
    def _cuda_getArchFlags():
        return "sm_75 sm_80 sm_90"
{more}
"""
NVCC = """case "$*" in
*--version*) echo "Cuda compilation tools, release {version}, V{version}.1";;
*) {compile};;
esac"""
SMI = 'case "$*" in *query*) echo "NVIDIA H200, {capability}";; *) echo "| CUDA Version: {cuda} |";; esac'


class World:
    """A machine on which all is well: torch 2.15.0 with CUDA 13.0, an nvcc from PyPI beside it, and an H200."""

    def __init__(self, folder, monkeypatch):
        self.folder, self.monkeypatch = folder, monkeypatch
        self.bin, self.site, self.root = folder / "bin", folder / "site-packages", folder / "root"
        self.repository, self.home, self.include = folder / "a clone", folder / "home", folder / "include"
        self.cuda = self.site / "nvidia/cu13"
        self.free = {}  # folder: bytes free on its disk
        for name in list(os.environ):
            monkeypatch.delenv(name)
        self.environ(PATH=self.bin, HOME=self.home, TMPDIR=folder)
        standard = [entry for entry in sys.path if "-packages" not in entry and not entry.startswith(str(ROOT))]
        monkeypatch.setattr(sys, "path", [str(self.site), *standard])
        # This Python without its own packages.
        self.program("python", f'PYTHONPATH="${{PYTHONPATH:+$PYTHONPATH:}}{self.site}" exec "{sys.executable}" -S "$@"')
        monkeypatch.setattr(sys, "executable", str(self.bin / "python"))
        places = {"include": str(self.include), "purelib": str(self.site), "platlib": str(self.site)}
        monkeypatch.setattr(sysconfig, "get_path", places.get)
        monkeypatch.setattr(machine.find_cuda, "USUAL", folder / "usual")
        monkeypatch.setattr(os, "cpu_count", lambda: 8)
        monkeypatch.setattr(shutil, "disk_usage", lambda place: SimpleNamespace(free=self.free.get(Path(place), 50e9)))
        for name in "add2.cpp", "add2.cu":
            self.write(self.repository / "chapters/03_add2" / name)
        for name, version in {"numpy": "2.4", "setuptools": "81.0", "ninja": "1.13"}.items():
            self.metadata(name, version)
        for name in "c++", "gcc", "ninja":
            self.program(name, "echo 13.2.0")
        self.write(self.include / "Python.h")
        self.memory(16)
        self.nvcc("13.0")
        for name in "libcudart.so", "libcudart.so.13":
            self.write(self.cuda / "lib" / name)
        self.torch()
        self.gpu()

    def machine(self):
        """What a doctor that starts now finds."""
        machine.find_cuda.version.cache_clear()
        importlib.invalidate_caches()
        return machine.Machine(self.root, self.repository)

    def write(self, file, text=""):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def program(self, name, script, folder=None):
        self.write((folder or self.bin) / name, f"#!/bin/sh\n{script}\n").chmod(0o755)

    def metadata(self, name, version, requires=""):
        text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{requires}"
        self.write(self.site / f"{name}-{version}.dist-info" / "METADATA", text)

    def remove(self, name):
        for path in self.site.glob(f"{name}*"):
            shutil.rmtree(path)

    def torch(self, version="2.15.0+cu130", cuda="13.0", gpu=True, warns="", more=""):
        """Installs a torch in place of the one that is there."""
        self.remove("torch")
        folder = self.site / "torch"
        self.write(folder / "__init__.py", TORCH.format(gpu=gpu, warns=warns, more=more))
        self.write(folder / "version.py", f"__version__ = '{version}'\ncuda: str | None = {cuda!r}\n")
        self.write(folder / "utils/cpp_extension.py", "FileLock" if version.startswith("2.15") else "FileBaton")
        self.write(folder / "share/cmake/Torch/TorchConfig.cmake", "target_compile_features(torch cxx_std_20)")
        self.metadata("torch", version)

    def nvcc(self, version, home=None, compile=":"):
        self.program("nvcc", NVCC.format(version=version, compile=compile), (home or self.cuda) / "bin")
        return home

    def gpu(self, capability="9.0", cuda="13.0"):
        """The newest CUDA that its driver runs is `cuda`."""
        self.program("nvidia-smi", SMI.format(capability=capability, cuda=cuda))
        self.write(self.root / "sys/bus/pci/devices/1/vendor", "0x10de\n")

    def no_gpu(self):
        self.no_driver()
        shutil.rmtree(self.root / "sys")

    def no_driver(self):
        self.torch(gpu=False)
        (self.bin / "nvidia-smi").unlink()

    def memory(self, gb):
        self.write(self.root / "proc/meminfo", f"MemAvailable: {round(gb * 1e9 / 1024)} kB\n")

    def environ(self, **variables):
        for name, value in variables.items():
            self.monkeypatch.setenv(name, str(value))

    def follow(self, cure):
        """Runs a cure in a shell, and takes over the variables that the cure sets."""
        shell = {"env": {**os.environ, "PATH": "/usr/bin:/bin"}, "capture_output": True, "text": True}
        done = subprocess.run(["/bin/sh", "-c", f"set -e\n{cure}\nprintf '\\0'; env -0"], **shell, check=True)
        after = dict(line.split("=", 1) for line in done.stdout.split("\0")[1:-1])
        for name in {*os.environ, *after} - {"PATH"}:
            if name in after:
                self.monkeypatch.setenv(name, after[name])
            else:
                self.monkeypatch.delenv(name)
