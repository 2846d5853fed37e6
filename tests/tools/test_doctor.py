"""`make doctor`: each diagnosis sees the fault that is planted for it, and names the command that mends it."""

import importlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.support import ROOT
from tools import diagnoses, doctor
from tools.diagnoses import DIAGNOSES

TORCH = """
import warnings
__version__ = {version!r}
class version:
    cuda = {cuda!r}
class cuda:
    def is_available():
        warnings.warn({warns!r})
        return {gpu}
    def device_count():
        return 1
    def get_device_capability(index):
        return {gpu}
    def get_arch_list():
        return ["sm_75", "sm_80", "sm_90"]
{more}
"""
NVCC = """case "$*" in
*--version*) echo "Cuda compilation tools, release {version}, V{version}.1";;
*) {compile};;
esac"""
CACHE = ".cache/torch_extensions/py311_cu130/add2"


class World:
    """A machine of straw on which all is well: torch 2.15.0 with CUDA 13.0, an nvcc from PyPI beside it, and an H200.

    Every program, package and system file that a diagnosis looks at lies in a temporary folder, so that a test can break one
    thing at a time, and a diagnosis says the same on every machine.
    """

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
        self.program("python", f'PYTHONPATH="{self.site}" exec "{sys.executable}" -S "$@"')
        monkeypatch.setattr(sys, "executable", str(self.bin / "python"))
        monkeypatch.setattr(sysconfig, "get_path", lambda name: self.include if name == "include" else self.site)
        monkeypatch.setattr(diagnoses.find_cuda, "USUAL", folder / "usual")
        monkeypatch.setattr(os, "cpu_count", lambda: 8)
        monkeypatch.setattr(shutil, "disk_usage", lambda place: SimpleNamespace(free=self.free.get(Path(place), 50e9)))
        for name, version in {"numpy": "2.4", "setuptools": "81.0", "ninja": "1.13"}.items():
            self.metadata(name, version)
        for name in "c++", "gcc", "ninja", "nvidia-smi":
            self.program(name, "exit 0")
        self.write(self.include / "Python.h")
        self.memory(16)
        self.write(self.root / "sys/bus/pci/devices/1/vendor", "0x10de\n")
        self.nvcc("13.0")
        self.torch()

    def machine(self):
        """What a doctor that starts now finds."""
        diagnoses.find_cuda.version.cache_clear()
        importlib.invalidate_caches()
        return diagnoses.Machine(self.root, self.repository)

    def write(self, file, text=""):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def program(self, name, script, folder=None):
        self.write((folder or self.bin) / name, f"#!/bin/sh\n{script}\n").chmod(0o755)

    def metadata(self, name, version):
        text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        self.write(self.site / f"{name}-{version}.dist-info" / "METADATA", text)

    def remove(self, *names):
        for path in [path for name in names for path in self.site.glob(f"{name}*")]:
            shutil.rmtree(path)

    def torch(self, version="2.15.0+cu130", cuda="13.0", gpu=(9, 0), warns="", more=""):
        """Installs a torch in place of the one that is there."""
        self.remove("torch")
        folder = self.site / "torch"
        text = TORCH.format(version=version, cuda=cuda, gpu=gpu, warns=warns, more=more)
        self.write(folder / "__init__.py", text)
        self.write(folder / "utils/cpp_extension.py", "FileLock(" if version.startswith("2.15") else "FileBaton(")
        self.metadata("torch", version)

    def nvcc(self, version, home=None, compile=":"):
        self.program("nvcc", NVCC.format(version=version, compile=compile), (home or self.cuda) / "bin")
        return home

    def memory(self, gb):
        self.write(self.root / "proc/meminfo", f"MemAvailable: {round(gb * 1e9 / 1024)} kB\n")

    def environ(self, **variables):
        for name, value in variables.items():
            self.monkeypatch.setenv(name, str(value))

    def follow(self, cure):
        """Whether a shell alone can follow this cure; then it has done so."""
        verb, word, *_ = shlex.split(cure, comments=True)
        if verb == "export":
            self.monkeypatch.setenv(*word.split("=", 1))
        elif verb == "unset":
            self.monkeypatch.delenv(word)
        elif verb in ("mv", "rm"):
            subprocess.run(["/bin/sh", "-c", cure], env={"PATH": "/usr/bin:/bin"}, check=True)
        return verb in ("export", "unset", "mv", "rm")


@pytest.fixture
def world(tmp_path, monkeypatch):
    return World(tmp_path / "a world", monkeypatch)


TOO_OLD = 'case "$*" in *++20*vector*) echo "g++: error: unrecognized" >&2; exit 1;; esac'
TOO_NEW = '[ "$2" = g++-15 ] || { echo "error: unsupported! gcc versions later than 15 are not" >&2; exit 1; }'

# fmt: off
FAULTS = [  # (diagnosis, planting it into a World, the status and what is found, the cure)
    ("torch", lambda w: w.torch("2.9.0"), "broken .*has no torch>=2", "make setup"),
    ("torch", lambda w: w.torch(more="raise ImportError('libc10.so: cannot open')"),
     "broken .*libc10.so: cannot open", "pip install --force-reinstall --no-deps 'torch>=2"),
    ("python_headers", lambda w: (w.include / "Python.h").unlink(), "broken no .*Python.h", r"python3\.\d+-dev"),
    ("hidden_modules", lambda w: w.write(w.repository / "chapters/03_add2/random.py"),
     "broken .*random.py hides the module random", "mv '.*random.py' '.*my_random.py'"),
    ("memory", lambda w: w.memory(1.6), "warning 1.6 GB free, 10 compilers at once", "export MAX_JOBS=1"),
    ("disk", lambda w: w.free.update({w.repository: 1e9}), "warning 1.0 GB free in .*a clone", "make clean"),
    ("disk", lambda w: w.free.update({w.folder: 1e8}), "broken 0.1 GB free", "export TMPDIR='.*a clone'"),
    ("compiler", lambda w: w.program("c++", TOO_OLD), r"broken c\+\+ -std=c\+\+20: g\+\+: error: unrecognized",
     r"apt-get install g\+\+-10 && export CXX=g\+\+-10$"),
    ("build_isolation", lambda w: w.remove("setuptools"), "broken setuptools", "pip install setuptools"),
    ("ninja", lambda w: (w.bin / "ninja").unlink(), "broken not found", "pip install ninja"),
    ("locks", lambda w: (w.torch("2.11.0"), w.write(w.home / CACHE / "lock")),
     "warning 1, such as .*add2/lock", "rm .*lock'    # unless a build is running"),
    ("old_extensions", lambda w: os.utime(w.write(w.home / CACHE / "add2.so"), (1, 1)),
     "warning .*older than this torch", "rm .*add2.so"),
    ("torch_and_gpu", lambda w: (w.torch(gpu=()), (w.bin / "nvidia-smi").unlink()),
     "warning no nvidia-smi for a GPU", "ubuntu-drivers install && sudo reboot"),
    ("torch_and_gpu", lambda w: (w.torch(gpu=()), w.program("nvidia-smi", "echo version mismatch; exit 18")),
     "warning nvidia-smi fails: version mismatch", "sudo reboot"),
    ("torch_and_gpu", lambda w: w.torch("2.15.0+cpu", cuda=None), "warning torch 2.15.0.cpu has no CUDA",
     "pip install --force-reinstall 'torch>=2"),
    ("torch_and_gpu", lambda w: w.torch(gpu=(), warns="The NVIDIA driver on your system is too old"),
     "warning .*driver on your system is too old", "ubuntu-drivers install"),
    ("torch_and_gpu", lambda w: (w.torch(gpu="'CUDA_VISIBLE_DEVICES' not in __import__('os').environ and (9, 0)"),
                               w.environ(CUDA_VISIBLE_DEVICES="")),
     "warning CUDA_VISIBLE_DEVICES= hides the GPU", "unset CUDA_VISIBLE_DEVICES"),
    ("torch_and_gpu", lambda w: w.torch(gpu=(), warns="CUDA unknown error"), "warning .*CUDA unknown error",
     "sudo modprobe nvidia_uvm"),
    ("nvcc", lambda w: (shutil.rmtree(w.cuda), w.nvcc("12.4", w.folder / "usual")),
     "broken torch needs CUDA 13.0: .*usual has 12.4", r"pip install 'cuda-toolkit\[.*nvcc.*==13.0.\*"),
    ("nvcc_compiler", lambda w: w.nvcc("13.0", compile=TOO_NEW), "broken .*error: unsupported",
     r"sudo apt-get install g\+\+-15 && export CC=g\+\+-15"),
    ("CUDA_HOME", lambda w: w.environ(CUDA_HOME=w.nvcc("12.4", w.folder / "an old one")),
     "warning .*an old one has 12.4, torch has CUDA 13.0", "export CUDA_HOME='.*cu13"),
    ("architecture", lambda w: w.torch(gpu=(7, 0)), "broken the GPU is 7.0; torch is built for sm_75 sm_80 sm_90",
     "xdg-open https://pytorch.org/get-started"),
    ("TORCH_CUDA_ARCH_LIST", lambda w: w.environ(TORCH_CUDA_ARCH_LIST="8.0"), "broken 8.0: the GPU is 9.0",
     "export TORCH_CUDA_ARCH_LIST=9.0"),
]
# fmt: on


@pytest.mark.parametrize("name, plant, printed, cure", FAULTS)
def test_a_planted_fault_is_found(world, name, plant, printed, cure):
    """A cure that a shell alone can follow must mend the fault."""
    diagnosis = getattr(diagnoses, name)
    plant(world)
    finding = diagnosis(world.machine())
    assert re.match(printed, f"{finding.status} {finding.found}") and re.search(cure, finding.cure), finding
    if world.follow(finding.cure):
        after = diagnosis(world.machine())
        assert after.status == "ok", after


def wrong(world):
    """{diagnosis: status} of all that are not ok."""
    machine = world.machine()
    findings = {diagnosis.__name__: doctor.finding(diagnosis, machine) for diagnosis in DIAGNOSES}
    return {name: finding.status for name, finding in findings.items() if finding.status != "ok"}


def test_a_machine_without_faults(world):
    assert wrong(world) == {}
    world.program("ccache", '[ "$1" = c++ ]')
    for cxx in "ccache c++", "":
        world.environ(CXX=cxx)
        assert wrong(world) == {}
    shutil.rmtree(world.cuda)
    home = world.nvcc("13.1", world.folder / "mine")  # of torch's major version, and no other is there
    world.environ(CUDA_HOME=home, TORCH_CUDA_ARCH_LIST="7.5;8.0+PTX")
    assert wrong(world) == {}


def test_a_machine_that_needs_no_nvcc(world):
    shutil.rmtree(world.cuda)
    assert wrong(world) == {"nvcc": "broken"}
    world.environ(CHAPTERS_DEVICE="cpu")
    assert wrong(world) == {}
    world.monkeypatch.delenv("CHAPTERS_DEVICE")
    world.torch(gpu=())
    (world.bin / "nvidia-smi").unlink()
    shutil.rmtree(world.root / "sys")
    assert wrong(world) == {}


@pytest.fixture
def clone(world):
    """A copy of the repository as far as the doctor and one failing lesson need it, run by the straw world's Python."""
    for name in "Makefile", "pyproject.toml", "tools", "common/__init__.py", "common/find_cuda.py":
        target = world.repository / name
        target.parent.mkdir(exist_ok=True)
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, target)
    world.write(world.repository / "chapters/03_add2/main.py", "raise SystemExit(3)")

    def run(*command):
        env = {**os.environ, "PATH": f"{world.bin}:/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(command, cwd=world.repository, env=env, capture_output=True, text=True)

    world.run = run
    return world


def test_the_standard_library_is_enough(clone):
    """A missing torch is one fault. A diagnosis that raises is reported, and the others still run."""
    clone.remove("torch", "numpy", "setuptools")
    clone.environ(TMPDIR="/nowhere")
    done = clone.run(sys.executable, "-m", "tools.doctor")
    assert done.returncode == 1 and done.stderr == ""
    assert re.search("^warning disk .*FileNotFoundError", done.stdout, re.M)
    assert len(re.findall("^ok .*torch comes first$", done.stdout, re.M)) == len(doctor.WITH_TORCH + doctor.WITH_GPU)
    assert re.search("\nbroken  torch .*\n +make setup\n$", done.stdout)


def test_a_lesson_that_fails_prints_what_is_broken_and_keeps_its_status(clone):
    """Without --short, the same comes behind all that is not broken."""
    clone.torch(gpu=())
    clone.write(clone.repository / "chapters/03_add2/random.py")
    done = clone.run("make", "chapter03", f"PYTHON={sys.executable}")
    broken = re.search("^broken +hidden modules +.*\n +mv .*\n", done.stderr, re.M)
    assert "Error 3" in done.stderr and broken and not re.search("^(ok|warning) ", done.stderr, re.M)
    everything = clone.run(sys.executable, "-m", "tools.doctor").stdout
    assert re.search("^ok +ninja", everything.partition(broken[0])[0], re.M)


def test_it_goes_on_in_the_python_of_the_lessons(clone):
    """The stand-in for .venv's Python says that it has torch, and the second time that it has none."""
    clone.remove("torch")
    program = f'[ "$1" = -m ] || exit "${{AGAIN:-0}}"; echo "started: $@"; AGAIN=1 exec "{sys.executable}" "$@"'
    clone.program("python", program, clone.repository / ".venv/bin")
    done = clone.run(sys.executable, "-m", "tools.doctor", "--short")
    assert done.stdout.startswith("started: -m tools.doctor --short\n") and "broken  torch" in done.stdout
    assert done.stderr == ""
