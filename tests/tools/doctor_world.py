"""A machine of straw for tests/tools/test_doctor.py: programs, torch, GPU and system files that the checks look at, all planted
in a temporary folder. So a check says the same on every machine, and a test breaks one thing at a time.
"""

import importlib
import os
import shutil
import subprocess
import sys
import sysconfig
from types import SimpleNamespace

from support import ROOT

sys.path.insert(0, str(ROOT / "tools"))
import environment
from checks import machine as checks_machine

TORCH = """
from . import version
GPU, SAID = {gpu}, {said!r}
class cuda:
    def is_available():
        if SAID:
            import warnings
            warnings.warn(SAID)
        return GPU
class _C:
    def _cuda_getArchFlags():
        return "sm_75 sm_80 sm_90"
{more}
"""
VERSION = """
from typing import Optional
__version__ = '{version}'
cuda: Optional[str] = {cuda!r}
"""
EXTENSION = (
    "[('Hopper', '9.0+PTX'), ('Volta', '7.0+PTX')] ['5.0', '7.0', '8.0', '9.0', '9.0a']"  # as torch's file has it
)
NVCC = """
case "$*" in
    *--version*) echo "Cuda compilation tools, release {version}, V{version}.1";;
    *--list-gpu-arch*) echo compute_80; echo compute_90;;
    *) {compile};;
esac
"""
SMI = 'case "$*" in *query*) echo "NVIDIA H200, 580.1, {capability}";; *) echo "| CUDA Version: {cuda} |";; esac'


class World:
    def __init__(self, folder, monkeypatch):
        self.folder, self.monkeypatch = folder, monkeypatch
        self.bin, self.site, self.root = folder / "bin", folder / "site-packages", folder / "root"
        self.repository, self.home, self.include = folder / "a clone", folder / "home", folder / "include"
        self.cuda = self.site / "nvidia" / "cu13"
        self.called = folder / "called"
        self.free = {}  # bytes on disk by folder
        for name in list(os.environ):
            monkeypatch.delenv(name)
        self.environ(PATH=self.bin, HOME=self.home, TMPDIR=folder)
        standard = [entry for entry in sys.path if "-packages" not in entry and not entry.startswith(str(ROOT))]
        monkeypatch.setattr(sys, "path", [str(self.site), *standard])
        monkeypatch.setattr(sys, "prefix", str(folder / "prefix"))
        places = {"include": str(self.include), "purelib": str(self.site), "platlib": str(self.site)}
        monkeypatch.setattr(sysconfig, "get_path", places.get)
        monkeypatch.setattr(checks_machine.find_cuda, "USUAL", folder / "usual")
        monkeypatch.setattr(environment, "STAMP", folder / "stamp")
        monkeypatch.setattr(os, "cpu_count", lambda: 8)
        usage = lambda place: SimpleNamespace(free=self.free.get(type(folder)(place), 50e9))  # noqa: E731
        monkeypatch.setattr(shutil, "disk_usage", usage)
        note = f'echo "$(/usr/bin/basename "$0") $*" >> "{self.called}"'
        self.program("python", f'[ "$2" = pip ] || PYTHONPATH="{self.site}" exec "{sys.executable}" -S "$@"\n{note}')
        monkeypatch.setattr(sys, "executable", str(self.bin / "python"))
        for name in ["sudo", "make", "docker", "wsl", "xcode-select", "xdg-open"]:  # called by cures
            self.program(name, note)
        self.home.mkdir()
        for name in "chapters/03_add2/add2.cpp", "chapters/03_add2/add2.cu", "common/__init__.py":
            self.write(self.repository / name)
        self.write(self.root / "proc/version", "Linux version 6.8")
        self.healthy()

    def healthy(self):
        """Whatever is missing or broken comes from its package again."""
        for name, version in {"numpy": "2.4", "setuptools": "81.0", "ninja": "1.13"}.items():
            self.metadata(name, version)
        for name, says in {"c++": "13.2.0", "gcc": "13.2.0", "ninja": "1.13"}.items():
            self.program(name, f"echo {says}")
        self.write(self.include / "Python.h")
        self.nvcc("13.0")
        for name in "libcudart.so", "libcudart.so.13":
            self.write(self.cuda / "lib" / name, "cudart 13.0")
        self.torch()
        self.gpu()
        self.memory(16)
        self.free.clear()

    def machine(self):
        """What a doctor started now would see."""
        checks_machine.find_cuda.version.cache_clear()
        importlib.invalidate_caches()
        return checks_machine.Machine(self.root, self.repository)

    def write(self, file, text=""):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def program(self, name, script, folder=None):
        self.write((folder or self.bin) / name, f"#!/bin/sh\n{script}\n").chmod(0o755)

    def metadata(self, name, version, requires="", site=None):
        text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{requires}"
        return self.write((site or self.site) / f"{name}-{version}.dist-info" / "METADATA", text)

    def torch(self, version="2.15.0+cu130", cuda="13.0", gpu=True, said="", more="", site=None):
        """Installs a torch in place of the one that is there."""
        self.remove("torch", site)
        folder = (site or self.site) / "torch"
        self.write(folder / "__init__.py", TORCH.format(gpu=gpu, said=said, more=more))
        self.write(folder / "version.py", VERSION.format(version=version, cuda=cuda))
        locking = "FileLock" if version.startswith("2.15") else "FileBaton"
        self.write(folder / "utils/cpp_extension.py", f"{EXTENSION} {locking}")
        self.write(
            folder / "share/cmake/Torch/TorchConfig.cmake", "target_compile_features(torch INTERFACE cxx_std_20)"
        )
        self.metadata("torch", version, site=site)

    def remove(self, name, site=None):
        for path in [*(site or self.site).glob(f"{name}-*"), (site or self.site) / name]:
            shutil.rmtree(path, ignore_errors=True)

    def nvcc(self, version, home=None, compile=":"):
        self.program("nvcc", NVCC.format(version=version, compile=compile), (home or self.cuda) / "bin")
        return home or self.cuda

    def gpu(self, capability="9.0", cuda="13.0"):
        self.program("nvidia-smi", SMI.format(capability=capability, cuda=cuda))
        self.write(self.root / "sys/bus/pci/devices/1/vendor", "0x10de\n")
        self.write(self.root / "sys/bus/pci/devices/1/class", "0x030200\n")

    def no_gpu(self):
        """As a machine without one; its torch is the same."""
        (self.bin / "nvidia-smi").unlink()
        shutil.rmtree(self.root / "sys")
        self.torch(gpu=False)

    def no_nvcc(self):
        shutil.rmtree(self.cuda)

    def memory(self, gb):
        self.write(self.root / "proc/meminfo", f"MemAvailable: {round(gb * 1e9 / 1024)} kB\n")

    def environ(self, **variables):
        for name, value in variables.items():
            self.monkeypatch.setenv(name, str(value))

    def follow(self, cure):
        """Runs a cure in a shell, and takes over the variables that it sets; returns which planted programs it called."""
        line = f"set -e\n{cure}\nprintf '\\0'; env -0"
        env = os.environ | {"PATH": f"{self.bin}:/usr/bin:/bin"}
        done = subprocess.run(["/bin/sh", "-c", line], env=env, capture_output=True, text=True, cwd=self.folder)
        assert done.returncode == 0, done.stderr
        after = dict(line.split("=", 1) for line in done.stdout.split("\0")[1:-1])
        for name in {*os.environ, *after} - {"PATH", "PWD", "OLDPWD", "_", "SHLVL", "LC_CTYPE"}:
            if name in after:
                self.monkeypatch.setenv(name, after[name])
            else:
                self.monkeypatch.delenv(name)
        return self.called.read_text() if self.called.exists() else ""
