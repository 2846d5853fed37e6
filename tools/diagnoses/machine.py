"""What the diagnoses know about the machine: torch, GPUs and CUDA toolkits, each looked up once."""

import functools
import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib.machinery import PathFinder
from pathlib import Path
from typing import NamedTuple

import environment

# Loaded from its file: importing the package `common` would import torch.
spec = importlib.util.spec_from_file_location("find_cuda", environment.ROOT / "common" / "find_cuda.py")
find_cuda = importlib.util.module_from_spec(spec)
spec.loader.exec_module(find_cuda)

# Runs in a process of its own, because importing torch may crash, hang or print.
ASK_TORCH = """
import json, warnings
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    import torch
    gpu = torch.cuda.is_available()
    flags = torch._C._cuda_getArchFlags() if torch.version.cuda else None
print()
print(json.dumps({"gpu": gpu, "architectures": (flags or "").split(), "said": " ".join(str(w.message) for w in said)}))
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


def pip():
    """The pip of the Python that runs the lessons."""
    return f"{quoted(sys.executable)} -m pip"


class Torch:
    """An installed torch. Its files say what it is and what it needs, also where importing it fails."""

    def __init__(self, folder):
        self.folder = folder
        self.version = self.find("version.py", r"^__version__ = '([^']+)'") or "?"  # 2.15.0+cu130
        self.release = self.version.partition("+")[0]  # 2.15.0
        self.cuda = self.find("version.py", r"^cuda\b.*= '([^']+)'")
        self.standard = self.find("share/cmake/Torch/TorchConfig.cmake", r"(?:cxx_std_|CXX_STANDARD )(\d+)") or "17"

    def find(self, file, pattern):
        """What the pattern's group matches in that file of torch, or None."""
        path = self.folder / file
        found = re.search(pattern, path.read_text(), re.M) if path.exists() else None
        return found and found[1]


class Machine:
    """Tests pass a file system and a repository of their own."""

    def __init__(self, root=Path("/"), repository=environment.ROOT):
        self.root = root
        self.repository = repository

    def read(self, path):
        """The text of a system file, or "" where there is none."""
        file = self.root / path
        return file.read_text() if file.exists() else ""

    @functools.cached_property
    def torch(self):
        """The installed torch or None. A file torch.py, which would hide torch, does not count."""
        specs = [PathFinder.find_spec("torch", [entry]) for entry in sys.path]
        folders = [spec.submodule_search_locations for spec in specs if spec]
        return next((Torch(Path(folder[0])) for folder in folders if folder), None)

    @property
    def cuda(self):
        """The CUDA version of torch, such as 13.0; None without torch or with a torch for CPUs."""
        return self.torch and self.torch.cuda

    @functools.cached_property
    def asked(self):
        """What torch answers: gpu, architectures, said (its warnings); error where importing torch fails."""
        answer = {"gpu": False, "architectures": [], "said": "", "error": ""}
        if self.torch is None:
            return answer | {"error": "there is no torch"}
        status, out, err = run(sys.executable, "-c", ASK_TORCH)
        if status != 0:
            errors = re.findall(r"^\w*Error: .+", err, re.M) or [f"exit status {status}"]
            return answer | {"error": errors[-1]}
        return answer | json.loads(out.splitlines()[-1])

    @functools.cached_property
    def smi(self):
        """What run() returns for nvidia-smi, or None where there is no nvidia-smi."""
        query = "--query-gpu=name,compute_cap", "--format=csv,noheader"
        return run("nvidia-smi", *query) if shutil.which("nvidia-smi") else None

    @functools.cached_property
    def gpus(self):
        """[("NVIDIA H200", (9, 0))]: names and compute capabilities. torch may see fewer GPUs."""
        rows = re.findall(r"^(.+), (\d+)\.(\d+)$", self.smi[1], re.M) if self.smi else []
        return [(name, (int(major), int(minor))) for name, major, minor in rows]

    @functools.cached_property
    def toolkits(self):
        """{folder: version} of every CUDA toolkit that might build for this torch."""
        homes = find_cuda.candidates(self.cuda) if self.cuda else []
        return {home: find_cuda.version(home) for home in homes if find_cuda.version(home)}

    @functools.cached_property
    def toolkit(self):
        """The toolkit that builds the lessons, or None."""
        return find_cuda.choose(self.cuda, self.toolkits) if self.toolkits else None

    @property
    def for_gpu(self):
        """Whether the lessons are meant to run on a GPU: as common/device.py decides on a machine without faults."""
        wanted = os.environ.get("CHAPTERS_DEVICE")
        return wanted == "cuda" or (wanted != "cpu" and bool(self.gpus or self.asked["gpu"]))

    @property
    def gpu_fault(self):
        """`broken` where the lessons are meant to run on a GPU, else `warning`."""
        return broken if self.for_gpu else warning
