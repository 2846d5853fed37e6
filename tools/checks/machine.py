"""What the checks know of the machine: torch, GPUs and toolkit, each looked up once, without importing torch."""

import importlib
import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from functools import cached_property
from importlib.machinery import PathFinder
from pathlib import Path
from typing import NamedTuple

import environment

from . import broken, warning

spec = importlib.util.spec_from_file_location("find_cuda", environment.ROOT / "common" / "find_cuda.py")
find_cuda = importlib.util.module_from_spec(spec)  # not through the package `common`, which ends without torch
spec.loader.exec_module(find_cuda)

# torch is asked in a process of its own: one that crashes, hangs or prints does no harm here.
ASK_TORCH = """
import json, warnings
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    import torch
    gpu = torch.cuda.is_available()
    flags = getattr(torch._C, "_cuda_getArchFlags", lambda: None)() if torch.version.cuda else None
print()
print(json.dumps({"gpu": gpu, "architectures": (flags or "").split(), "said": " ".join(str(w.message) for w in said)}))
"""


class Torch(NamedTuple):
    folder: Path
    version: str
    cuda: str | None

    def text(self, file):
        """One of torch's own files: what it needs and knows is read there, so that no copy of it can grow old."""
        try:
            return (self.folder / file).read_text()
        except OSError:
            return ""

    @property
    def standard(self):
        """The C++ standard of torch's headers, as 20."""
        found = re.search(r"(?:cxx_std_|CXX_STANDARD )(\d+)", self.text("share/cmake/Torch/TorchConfig.cmake"))
        return int(found[1]) if found else 17


class GPU(NamedTuple):
    name: str
    driver: str
    capability: tuple


def run(*command, seconds=60):
    """(exit status, stdout, stderr) of a program; status None when it does not start or does not end."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=seconds)
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, "", str(error)
    return done.returncode, done.stdout, done.stderr


def quoted(path):
    return shlex.quote(str(path))


def pip():
    """pip of the Python that runs the lessons."""
    return f"{quoted(sys.executable)} -m pip"


class Machine:
    def __init__(self, root="/", repository=environment.ROOT):
        importlib.invalidate_caches()
        self.root = Path(root)  # of the file system: tests plant another
        self.repository = Path(repository)

    def read(self, path):
        """The text of a file of the system, or "" where there is none."""
        try:
            return (self.root / path).read_text(errors="replace")
        except OSError:
            return ""

    @cached_property
    def torches(self):
        """Every torch on sys.path, the one that is imported first."""
        found = {}
        for entry in sys.path:
            spec = PathFinder.find_spec("torch", [entry])
            if spec and spec.submodule_search_locations:  # a package, and no file torch.py
                folder = Path(spec.submodule_search_locations[0])
                text = Torch(folder, "", None).text("version.py")
                version = re.search(r"^__version__ = '([^']+)'", text, re.M)
                cuda = re.search(r"^cuda\b.*= '([^']+)'", text, re.M)
                found.setdefault(folder.resolve(), Torch(folder, version[1] if version else "?", cuda and cuda[1]))
        return list(found.values())

    @cached_property
    def torch(self):
        return self.torches[0] if self.torches else None

    @cached_property
    def asked(self):
        """What torch says of itself: gpu, architectures, said (its warnings); error, if it cannot be imported."""
        nothing = {"gpu": False, "architectures": [], "said": "", "error": ""}
        if self.torch is None:
            return nothing | {"error": "there is no torch"}
        status, out, err = run(sys.executable, "-c", ASK_TORCH)
        if status != 0:
            last = re.findall(r"^\w*Error: .+", err, re.M) or [f"it ends with status {status}"]
            return nothing | {"error": last[-1]}
        return nothing | json.loads(out.splitlines()[-1])

    @cached_property
    def smi(self):
        """nvidia-smi's path, or None. WSL keeps it where the PATH does not always lead."""
        wsl = self.root / "usr/lib/wsl/lib/nvidia-smi"
        return shutil.which("nvidia-smi") or (str(wsl) if wsl.exists() else None)

    @cached_property
    def smi_said(self):
        return run(self.smi, "--query-gpu=name,driver_version,compute_cap", "--format=csv,noheader")

    @cached_property
    def gpus(self):
        if not self.smi or self.smi_said[0] != 0:
            return []
        rows = re.findall(r"^(.+), ([\d.]+), (\d+)\.(\d+)$", self.smi_said[1], re.M)
        return [GPU(name, driver, (int(major), int(minor))) for name, driver, major, minor in rows]

    @cached_property
    def driver_cuda(self):
        """The newest CUDA that the driver runs, as (13, 0); () if unknown."""
        found = re.search(r"CUDA (?:\w+ )?Version *: *(\d+)\.(\d+)", run(self.smi)[1]) if self.smi else None
        return tuple(map(int, found.groups())) if found else ()

    @cached_property
    def hardware(self):
        """Whether there is a GPU by NVIDIA, seen or not: the kernel lists it in containers, too."""
        devices = (self.root / "sys/bus/pci/devices").glob("*")
        listed = any(
            self.read(d / "vendor").strip() == "0x10de" and self.read(d / "class").startswith("0x03") for d in devices
        )
        return listed or bool(self.read("proc/driver/nvidia/version"))

    @cached_property
    def container(self):
        marks = ".dockerenv", "run/.containerenv"
        text = self.read("proc/1/cgroup")
        return any((self.root / mark).exists() for mark in marks) or bool(re.search("docker|kubepods|lxc", text))

    @cached_property
    def wsl(self):
        return "microsoft" in self.read("proc/version").lower()

    @property
    def for_gpu(self):
        """Whether lessons are to run on a GPU: as common/device.py decides, if all were well."""
        wanted = os.environ.get("CHAPTERS_DEVICE")
        return wanted == "cuda" or (wanted != "cpu" and bool(self.gpus or self.asked["gpu"]))

    @property
    def serious(self):
        """A fault on the way to a GPU is one only where a GPU is to be used."""
        return broken if self.for_gpu else warning

    @cached_property
    def toolkits(self):
        homes = dict.fromkeys(find_cuda.candidates(self.torch.cuda)) if self.torch and self.torch.cuda else {}
        return {home: find_cuda.version(home) for home in homes if find_cuda.version(home)}

    @cached_property
    def toolkit(self):
        """The toolkit that builds the lessons, or None."""
        return find_cuda.choose(self.torch.cuda, self.toolkits) if self.toolkits else None
