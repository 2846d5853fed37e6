"""The faults that tests/tools/test_doctor.py plants, as {"check: what is wrong": Fault}.

A cure is followed in a shell. What it calls there (pip, apt-get, make) is of straw and only notes that it was called; then
`mend` does what the real one would do. A cure that calls no such program (unset, ln, rm, mv, cp) mends by itself.
"""

import os
import shutil
import sys
from collections.abc import Callable
from typing import NamedTuple

from doctor_world import World


class Fault(NamedTuple):
    status: str
    found: str  # words in what the check says
    plant: Callable
    calls: str = ""  # words in what the cure calls
    mend: Callable | None = None  # where the cure calls something: World.healthy, unless it is given here


def second_torch(world, folder):
    world.torch("2.11.0+cu130", site=folder)
    sys.path.insert(0, str(folder))


def on_pythonpath(world, name):
    world.write(world.folder / "p" / name, "x = 1")
    world.environ(PYTHONPATH=world.folder / "p")


def torch_hidden(world):
    on_pythonpath(world, "torch.py")
    sys.path.insert(0, str(world.folder / "p"))
    world.torch(more="raise ImportError('torch.py says no')")  # straw: its path is its own


def older_than_torch(world, file):
    os.utime(world.write(file), (1, 1))


def hardware_only(world):
    world.torch(gpu=False)
    (world.bin / "nvidia-smi").unlink()


def in_wsl_2(world):
    world.write(world.root / "proc/version", "Linux 6.6 microsoft-standard-WSL2")
    world.write(world.root / "dev/dxg")


def read_only(world):
    world.monkeypatch.setattr(os, "access", lambda path, mode: str(path) != str(world.folder / "a clone"))


OLD_COMPILER = 'case "$*" in *++20*vector*) echo "g++ error: unrecognized" >&2; exit 1;; esac; echo 7.5.0'
TOO_NEW = """[ "$2" = g++-15 ] ||
{ echo "x.h:137: error: -- unsupported GNU version! gcc versions later than 15 are not" >&2; exit 1; }"""
CC_IS_NONE = '[ "$1" != -ccbin ] || { echo "gcc: No such file" >&2; exit 1; }'

PACKAGES = {
    "torch: missing": Fault("broken", "no torch", lambda w: w.remove("torch"), "make setup"),
    "torch: half a .venv": Fault(
        "broken", "unfinished", lambda w: (w.remove("torch"), w.write(w.folder / "stamp")), "make setup"
    ),
    "torch: too old": Fault("broken", "2.9.0.*torch>=2", lambda w: w.torch("2.9.0"), "make setup"),
    "torch: import fails": Fault(
        "broken",
        "libc10.so: cannot open",
        lambda w: w.torch(more="raise ImportError('libc10.so: cannot open')"),
        "python -m pip install --force-reinstall --no-deps torch==2.15.0\n",
    ),
    "torch: import crashes": Fault(
        "broken", "status -6", lambda w: w.torch(more="import os; os.abort()"), "pip install --force-reinstall"
    ),
    "torch: hidden": Fault(
        "broken",
        "2.15.0.*torch.py says no",
        torch_hidden,
        mend=lambda w: "PYTHONPATH" in os.environ or (sys.path.pop(0), w.torch()),
    ),
    "one_torch: by PYTHONPATH": Fault(
        "warning",
        "is imported.*too",
        lambda w: (second_torch(w, w.folder / "p"), w.environ(PYTHONPATH=w.folder / "p")),
        mend=lambda w: "PYTHONPATH" in os.environ or sys.path.pop(0),
    ),
    "one_torch: the user's": Fault(
        "warning",
        "is imported",
        lambda w: second_torch(w, w.home / ".local/lib"),
        mend=lambda w: "PYTHONNOUSERSITE" in os.environ and sys.path.pop(0),
    ),
    "one_torch: another": Fault(
        "warning",
        "is imported",
        lambda w: second_torch(w, w.folder / "x"),
        "pip uninstall torch",
        lambda w: w.remove("torch", w.folder / "x"),
    ),
    "packages: no setuptools": Fault(
        "broken", "missing: setuptools", lambda w: w.remove("setuptools"), "pip install setuptools>="
    ),
    "ninja: missing": Fault("broken", "not found", lambda w: (w.bin / "ninja").unlink(), "pip install ninja\n"),
    "ninja: does not run": Fault(
        "broken",
        "does not run: wrong",
        lambda w: w.program("ninja", "echo wrong >&2; exit 1"),
        "pip install --force-reinstall ninja",
    ),
    "python_headers: missing": Fault(
        "broken", "no .*Python.h", lambda w: (w.include / "Python.h").unlink(), r"apt-get install python3\.\d+-dev"
    ),
    "hidden_modules: random.py in a lesson": Fault(
        "broken", "random.py hides the module random", lambda w: w.write(w.repository / "chapters/03_add2/random.py")
    ),
    "hidden_modules: build on PYTHONPATH": Fault(
        "broken", "build hides the module build", lambda w: on_pythonpath(w, "build/__init__.py")
    ),
    "hidden_modules: common on PYTHONPATH": Fault(
        "warning", "common hides the lessons' common", lambda w: on_pythonpath(w, "common/__init__.py")
    ),
}
COMPILERS = {
    "compiler: missing": Fault(
        "broken", r"c\+\+ not found", lambda w: (w.bin / "c++").unlink(), "apt-get install g|xcode-select"
    ),
    "compiler: CXX is none": Fault("broken", "nowhere not found", lambda w: w.environ(CXX="nowhere")),
    "compiler: by another name": Fault(
        "broken", r"c\+\+ not found", lambda w: (w.bin / "c++").rename(w.bin / "clang++")
    ),
    "compiler: too old": Fault(
        "broken",
        "7.5.0 cannot do -std=c..20: g.. error: unrecognized",
        lambda w: w.program("c++", OLD_COMPILER),
        "apt-get install g..-10|xcode-select",
        lambda w: w.program("c++" if sys.platform == "darwin" else "g++-10", "echo 13"),
    ),
    "nvcc: missing": Fault(
        "broken",
        "needs CUDA 13.0: there is none",
        World.no_nvcc,
        r"pip install cuda-toolkit\[nvcc,crt,nvvm,cccl\]==13.0.*",
    ),
    "nvcc: another major version": Fault(
        "broken",
        "needs CUDA 13.0: .*usual has 12.4",
        lambda w: (w.no_nvcc(), w.nvcc("12.4", w.folder / "usual")),
        "pip install cuda-toolkit",
    ),
    "nvcc_compiler: too new": Fault(
        "broken",
        "x.h:137: error: -- unsupported GNU version",
        lambda w: w.nvcc("13.0", compile=TOO_NEW),
        "apt-get install g..-15\n",
        lambda w: None,  # CC=g++-15, which nvcc accepts
    ),
    "nvcc_compiler: CC is none": Fault(
        "broken",
        "does not work with nowhere: gcc: No such file",
        lambda w: (w.nvcc("13.0", compile=CC_IS_NONE), w.environ(CC="nowhere")),
    ),
    "libcudart: no link": Fault(
        "broken", "no link to .*libcudart.so.13", lambda w: (w.cuda / "lib/libcudart.so").unlink()
    ),
    "libcudart: none": Fault(
        "broken", "none in", lambda w: shutil.rmtree(w.cuda / "lib"), r"pip install cuda-toolkit\[nvcc,cudart"
    ),
    "CUDA_HOME: nowhere": Fault("warning", "no nvcc", lambda w: w.environ(CUDA_HOME=w.folder / "gone")),
    "CUDA_HOME: another version": Fault(
        "warning", "has CUDA 12.4, torch 13.0", lambda w: w.environ(CUDA_HOME=w.nvcc("12.4", w.folder / "an old one"))
    ),
    "LD_LIBRARY_PATH: another libcudart": Fault(
        "warning",
        "old/libcudart.so.13 is loaded in place of .*cu13",
        lambda w: (w.write(w.folder / "old/libcudart.so.13", "13.9"), w.environ(LD_LIBRARY_PATH=w.folder / "old")),
    ),
}
GPU = {
    "driver: too old": Fault(
        "broken",
        "runs CUDA 12.4, torch has 13.0",
        lambda w: (w.torch(gpu=False), w.gpu(cuda="12.4")),
        "ubuntu-drivers install\nsudo reboot",
    ),
    "driver: does not answer": Fault(
        "warning",
        "version mismatch",
        lambda w: (w.torch(gpu=False), w.program("nvidia-smi", "echo Driver/library version mismatch; exit 18")),
        "sudo reboot",
    ),
    "driver: none": Fault("warning", "no driver", hardware_only, "sudo ubuntu-drivers"),
    "torch_and_gpu: torch for CPUs": Fault(
        "warning",
        "2.15.0.cpu has no CUDA",
        lambda w: w.torch("2.15.0+cpu", cuda=None, gpu=False),
        "install --force-reinstall torch==2.15.0\n",
    ),
    "torch_and_gpu: hidden": Fault(
        "warning",
        "CUDA_VISIBLE_DEVICES= hides",
        lambda w: (w.torch(gpu=False), w.environ(CUDA_VISIBLE_DEVICES="")),
        mend=lambda w: w.torch(gpu="CUDA_VISIBLE_DEVICES" not in os.environ),
    ),
    "torch_and_gpu: torch says why": Fault(
        "broken",
        "CUDA unknown error",
        lambda w: w.torch(gpu=False, said="CUDA initialization: CUDA unknown error"),
        "modprobe nvidia_uvm",
    ),
    "architecture: a GPU that torch has left behind": Fault(
        "broken",
        "NVIDIA H200 is 7.0; torch is built for sm_75 sm_80 sm_90",
        lambda w: w.gpu("7.0"),
        "xdg-open https://pytorch.org/get-started",
    ),
    "TORCH_CUDA_ARCH_LIST: another GPU's": Fault(
        "broken", "H200 needs 9.0", lambda w: w.environ(TORCH_CUDA_ARCH_LIST="8.0")
    ),
    "TORCH_CUDA_ARCH_LIST: unknown": Fault(
        "broken", "does not know 'Copper'", lambda w: w.environ(TORCH_CUDA_ARCH_LIST="9.0;Copper")
    ),
    "TORCH_CUDA_ARCH_LIST: too old for nvcc": Fault(
        "broken", "nvcc 13.0 has no sm_70", lambda w: w.environ(TORCH_CUDA_ARCH_LIST="Hopper Volta")
    ),
    "container: no GPU passed": Fault(
        "warning",
        "not passed into this container",
        lambda w: (hardware_only(w), w.write(w.root / ".dockerenv")),
        "docker run --gpus all",
    ),
    "WSL: version 1": Fault(
        "warning",
        "WSL 1",
        lambda w: w.write(w.root / "proc/version", "Linux 4.4 Microsoft"),
        "wsl --set-version Ubuntu 2",
        in_wsl_2,
    ),
    "WSL: a driver in Linux": Fault(
        "broken",
        "libcuda.so.1 hides Windows' driver",
        lambda w: (in_wsl_2(w), w.write(w.root / "usr/lib/x86_64-linux-gnu/libcuda.so.1")),
        "apt-get purge .libnvidia-compute",
        lambda w: (w.root / "usr/lib/x86_64-linux-gnu/libcuda.so.1").unlink(),
    ),
}
RESOURCES = {
    "memory: too many compilers": Fault("warning", "1.6 GB free, 2 compilers at once", lambda w: w.memory(1.6)),
    "memory: a container's limit": Fault(
        "warning",
        "1.5 GB free",
        lambda w: (
            w.write(w.root / "sys/fs/cgroup/memory.max", "2000000000"),
            w.write(w.root / "sys/fs/cgroup/memory.current", "500000000"),
        ),
    ),
    "memory: none": Fault("broken", "0.1 GB free", lambda w: w.memory(0.1), mend=lambda w: w.memory(1.1)),
    "memory: no number": Fault("warning", "MAX_JOBS=many", lambda w: w.environ(MAX_JOBS="many")),
    "disk: nearly full": Fault(
        "warning", "1.0 GB free in .*a clone", lambda w: w.free.update({w.repository: 1e9}), "make clean"
    ),
    "disk: no room for temporary files": Fault("broken", "0.1 GB free", lambda w: w.free.update({w.folder: 1e8})),
    "disk: TMPDIR is none": Fault("broken", "nowhere cannot be written", lambda w: w.environ(TMPDIR="/nowhere")),
    "disk: read-only": Fault(
        "broken", "cannot be written", read_only, mend=lambda w: setattr(w, "repository", w.home / "chapters")
    ),
    "locks: of a killed build": Fault(
        "warning",
        "1 of builds that were killed: .*add2/lock",
        lambda w: (w.torch("2.11.0"), w.write(w.home / ".cache/torch_extensions/py311_cu130/add2/lock")),
    ),
    "old_extensions: in torch's cache": Fault(
        "warning",
        "is older than this torch",
        lambda w: older_than_torch(w, w.home / ".cache/torch_extensions/py311_cu130/add2/add2.so"),
    ),
    "old_extensions: in a chapter": Fault(
        "warning",
        "is older than this torch",
        lambda w: older_than_torch(w, w.repository / "chapters/04_package/src/my_kernel.so"),
    ),
    "old_extensions: installed": Fault(
        "warning",
        "mine was built for torch 2.11, here is 2.15.0",
        lambda w: w.metadata("mine", "1.0", "Requires-Dist: torch==2.11.*\n"),
        "pip uninstall mine",
        lambda w: w.remove("mine"),
    ),
}
FAULTS = PACKAGES | COMPILERS | GPU | RESOURCES
