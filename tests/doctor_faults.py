"""The faults that tests/test_doctor.py plants, each with the check that has to see it.

"check: what is wrong": (status, words in what was found, plant, what the cure calls, mend)

A cure is followed in a shell. What it calls there (pip, apt-get, make) is of straw and only notes that it was called;
`mend` then does what the real one would do. A cure that calls no such program (unset, ln, rm, mv) mends by itself.
"""

import os
import shutil
import sys
from pathlib import Path

from doctor_world import World, touch_old


def second_torch(world, folder):
    """A torch before the first one; where sys.path would lose it with the variable, mend does that."""
    world.torch("2.11.0+cu130", site=folder)
    sys.path.insert(0, str(folder))


def no_gpu_seen(world, **torch):
    world.torch(**{"gpu": False, **torch})


def hardware_only(world):
    world.torch(gpu=False)
    (world.bin / "nvidia-smi").unlink()


def older_than_torch(world, file):
    world.write(file)
    touch_old(file)


FAULTS = {
    "torch: missing": ("broken", "no torch", lambda w: w.remove("torch"), "make setup", World.torch),
    "torch: half a .venv": (
        "broken",
        "unfinished",
        lambda w: (w.remove("torch"), w.write(w.folder / "stamp")),
        "make setup",
        World.torch,
    ),
    "torch: too old": ("broken", "2.9.0.*torch>=2", lambda w: w.torch("2.9.0"), "make setup", World.torch),
    "torch: import fails": (
        "broken",
        "libc10.so: cannot open",
        lambda w: w.torch(more="raise ImportError('libc10.so: cannot open')"),
        "python -m pip install --force-reinstall --no-deps torch==2.15.0\n",
        World.torch,
    ),
    "torch: import crashes": (
        "broken",
        "ends with status -6",
        lambda w: w.torch(more="import os; os.abort()"),
        "python -m pip install --force-reinstall",
        World.torch,
    ),
    "one_torch: by PYTHONPATH": (
        "warning",
        "is imported.*too",
        lambda w: (second_torch(w, w.folder / "other"), w.environ(PYTHONPATH=w.folder / "other")),
        "",
        lambda w: sys.path.pop(0),
    ),
    "one_torch: the user's": (
        "warning",
        "is imported",
        lambda w: second_torch(w, w.home / ".local/lib"),
        "",
        lambda w: sys.path.pop(0) if "PYTHONNOUSERSITE" in os.environ else None,
    ),
    "one_torch: another": ("warning", "is imported", lambda w: second_torch(w, w.folder / "x"), "", None),
    "one_torch: half an upgrade": (
        "broken",
        "did not end",
        lambda w: w.metadata("torch", "2.12.0"),
        "pip install --force-reinstall torch>=2",
        World.torch,
    ),
    "packages: no setuptools": (
        "broken",
        "missing: setuptools",
        lambda w: w.remove("setuptools"),
        "pip install setuptools\n",
        lambda w: w.metadata("setuptools", "81.0"),
    ),
    "ninja: missing": (
        "broken",
        "not found",
        lambda w: (w.bin / "ninja").unlink(),
        "pip install ninja\n",
        lambda w: w.program("ninja", "echo 1"),
    ),
    "ninja: does not run": (
        "broken",
        "bad interpreter|does not run",
        lambda w: w.program("ninja", "echo wrong >&2; exit 1"),
        "pip install --force-reinstall ninja",
        lambda w: w.program("ninja", "echo 1"),
    ),
    "python_headers: missing": (
        "broken",
        "no .*Python.h",
        lambda w: (w.include / "Python.h").unlink(),
        r"sudo apt-get install python3\.\d+-dev",
        lambda w: w.write(w.include / "Python.h"),
    ),
    "hidden_modules: random.py in a lesson": (
        "broken",
        "random.py hides the module random",
        lambda w: w.write(w.repository / "chapters/03_add2/random.py"),
        "",
        None,
    ),
    "hidden_modules: build on PYTHONPATH": (
        "broken",
        "build hides the module build",
        lambda w: (w.write(w.folder / "p/build/__init__.py"), w.environ(PYTHONPATH=w.folder / "p")),
        "",
        None,
    ),
    "compiler: missing": (
        "broken",
        r"c\+\+ not found",
        lambda w: (w.bin / "c++").unlink(),
        "sudo apt-get install g|xcode-select",
        lambda w: w.program("c++", ":"),
    ),
    "compiler: CXX is none": ("broken", "nowhere not found", lambda w: w.environ(CXX="nowhere"), "", None),
    "compiler: by another name": (
        "broken",
        r"c\+\+ not found",
        lambda w: (w.bin / "c++").rename(w.bin / "clang++"),
        "",
        None,
    ),
    "compiler: too old": (
        "broken",
        "7.5.0 cannot do -std=c..20: g.. error: unrecognized",
        lambda w: w.program(
            "c++", 'case "$*" in *++20*) echo "g++ error: unrecognized" >&2; exit 1;; esac; echo 7.5.0'
        ),
        "sudo apt-get install g..-10|xcode-select",
        lambda w: w.program("c++" if sys.platform == "darwin" else "g++-10", "echo 13"),
    ),
    "nvcc: missing": (
        "broken",
        "needs CUDA 13.0: there is none",
        World.no_nvcc,
        r"pip install cuda-toolkit\[nvcc,crt,nvvm,cccl\]==13.0.*",
        lambda w: w.nvcc("13.0"),
    ),
    "nvcc: another major version": (
        "broken",
        "needs CUDA 13.0: .*usual has 12.4",
        lambda w: (w.no_nvcc(), w.nvcc("12.4", w.folder / "usual")),
        "pip install cuda-toolkit",
        lambda w: w.nvcc("13.0"),
    ),
    "nvcc_compiler: too new": (
        "broken",
        "x.h:137: error: -- unsupported GNU version",
        lambda w: w.nvcc(
            "13.0",
            compile="""[ "$2" = g++-15 ] || {
                echo "x.h:137: error: -- unsupported GNU version! gcc versions later than 15 are not" >&2; exit 1; }""",
        ),
        "sudo apt-get install g..-15\n",
        None,
    ),
    "nvcc_compiler: CC is none": (
        "broken",
        "does not work with nowhere: gcc: No such file",
        lambda w: (
            w.nvcc("13.0", compile='[ "$1" != -ccbin ] || { echo "gcc: No such file" >&2; exit 1; }'),
            w.environ(CC="nowhere"),
        ),
        "",
        None,
    ),
    "libcudart: no link": (
        "broken",
        "no link to .*libcudart.so.13",
        lambda w: (w.cuda / "lib/libcudart.so").unlink(),
        "",
        None,
    ),
    "libcudart: none": (
        "broken",
        "none in",
        lambda w: shutil.rmtree(w.cuda / "lib"),
        r"pip install cuda-toolkit\[nvcc,cudart",
        lambda w: w.write(w.cuda / "lib/libcudart.so"),
    ),
    "CUDA_HOME: nowhere": ("warning", "no nvcc", lambda w: w.environ(CUDA_HOME=w.folder / "gone"), "", None),
    "CUDA_HOME: another version": (
        "warning",
        "has CUDA 12.4, torch 13.0",
        lambda w: w.environ(CUDA_HOME=w.nvcc("12.4", w.folder / "an old one")),
        "",
        None,
    ),
    "LD_LIBRARY_PATH: another libcudart": (
        "warning",
        "old/libcudart.so.13 is loaded in place of .*cu13",
        lambda w: (w.write(w.folder / "old/libcudart.so.13", "13.9"), w.environ(LD_LIBRARY_PATH=w.folder / "old")),
        "",
        None,
    ),
    "driver: too old": (
        "broken",
        "runs CUDA 12.4, torch has 13.0",
        lambda w: (no_gpu_seen(w), w.gpu(cuda="12.4")),
        "sudo ubuntu-drivers install\nsudo reboot",
        World.gpu,
    ),
    "driver: does not answer": (
        "warning",
        "version mismatch",
        lambda w: (no_gpu_seen(w), w.program("nvidia-smi", "echo Driver/library version mismatch; exit 18")),
        "sudo reboot",
        World.gpu,
    ),
    "driver: none": ("warning", "no driver", hardware_only, "sudo ubuntu-drivers", World.gpu),
    "torch_and_gpu: torch for CPUs": (
        "warning",
        "2.15.0.cpu has no CUDA",
        lambda w: no_gpu_seen(w, version="2.15.0+cpu", cuda=None),
        "--index-url https://pypi.org/simple torch==2.15.0\n",
        World.torch,
    ),
    "torch_and_gpu: hidden": (
        "warning",
        "CUDA_VISIBLE_DEVICES= hides",
        lambda w: (no_gpu_seen(w), w.environ(CUDA_VISIBLE_DEVICES="")),
        "",
        lambda w: w.torch(gpu="CUDA_VISIBLE_DEVICES" not in os.environ),
    ),
    "torch_and_gpu: torch says why": (
        "broken",
        "CUDA unknown error",
        lambda w: no_gpu_seen(w, said="CUDA initialization: CUDA unknown error"),
        "sudo modprobe nvidia_uvm",
        World.torch,
    ),
    "architecture: a GPU that torch has left behind": (
        "broken",
        "NVIDIA H200 is 7.0; torch is built for sm_75 sm_80 sm_90",
        lambda w: w.gpu("7.0"),
        "pip install --force-reinstall torch --index-url",
        World.gpu,
    ),
    "TORCH_CUDA_ARCH_LIST: another GPU's": (
        "broken",
        "H200 needs 9.0",
        lambda w: w.environ(TORCH_CUDA_ARCH_LIST="8.0"),
        "",
        None,
    ),
    "TORCH_CUDA_ARCH_LIST: unknown": (
        "broken",
        "does not know 'Copper'",
        lambda w: w.environ(TORCH_CUDA_ARCH_LIST="9.0;Copper"),
        "",
        None,
    ),
    "TORCH_CUDA_ARCH_LIST: too old for nvcc": (
        "broken",
        "nvcc 13.0 has no sm_70",
        lambda w: w.environ(TORCH_CUDA_ARCH_LIST="Hopper Volta"),
        "",
        None,
    ),
    "container: no GPU passed": (
        "warning",
        "not passed into this container",
        lambda w: (hardware_only(w), w.write(w.root / ".dockerenv")),
        "docker run --gpus all",
        World.gpu,
    ),
    "WSL: version 1": (
        "warning",
        "WSL 1",
        lambda w: w.write(w.root / "proc/version", "Linux 4.4 Microsoft"),
        "wsl --set-version Ubuntu 2",
        lambda w: w.write(w.root / "dev/dxg"),
    ),
    "WSL: a driver in Linux": (
        "broken",
        "libcuda.so.1 hides Windows' driver",
        lambda w: (
            w.write(w.root / "proc/version", "Linux 6.6 microsoft-standard-WSL2"),
            w.write(w.root / "dev/dxg"),
            w.write(w.root / "usr/lib/x86_64-linux-gnu/libcuda.so.1"),
        ),
        "sudo apt-get purge .libnvidia-compute",
        lambda w: (w.root / "usr/lib/x86_64-linux-gnu/libcuda.so.1").unlink(),
    ),
    "WSL: a Windows disk": (
        "warning",
        "slow",
        lambda w: (
            w.write(w.root / "proc/version", "Linux 6.6 microsoft-standard-WSL2"),
            w.write(w.root / "dev/dxg"),
            setattr(w, "repository", Path("/mnt/c/chapters")),
        ),
        "git clone /mnt/c/chapters",
        lambda w: setattr(w, "repository", w.home),
    ),
    "memory: too many compilers": (
        "warning",
        "1.6 GB free, 2 compilers at once",
        lambda w: w.write(w.root / "proc/meminfo", "MemAvailable: 1600000 kB"),
        "",
        None,
    ),
    "memory: a container's limit": (
        "warning",
        "1.5 GB free",
        lambda w: (
            w.write(w.root / "sys/fs/cgroup/memory.max", "2000000000"),
            w.write(w.root / "sys/fs/cgroup/memory.current", "500000000"),
        ),
        "",
        None,
    ),
    "memory: none": (
        "broken",
        "0.1 GB free",
        lambda w: w.write(w.root / "proc/meminfo", "MemAvailable: 100000 kB"),
        "",
        lambda w: w.write(w.root / "proc/meminfo", "MemAvailable: 1100000 kB"),
    ),
    "memory: no number": ("warning", "MAX_JOBS=many", lambda w: w.environ(MAX_JOBS="many"), "", None),
    "disk: nearly full": (
        "warning",
        "1.0 GB free in .*a clone",
        lambda w: w.disk(repository=1e9),
        "make clean",
        lambda w: w.disk(repository=9e9),
    ),
    "disk: full": (
        "broken",
        "0.1 GB free",
        lambda w: w.disk(folder=1e8),
        "",
        lambda w: w.disk() if os.environ["TMPDIR"] else None,
    ),
    "disk: read-only": (
        "broken",
        "cannot be written",
        lambda w: w.monkeypatch.setattr(os, "access", lambda path, mode: str(path) != str(w.folder / "a clone")),
        "cp -r",
        lambda w: setattr(w, "repository", w.home),
    ),
    "locks: of a killed build": (
        "warning",
        "1 of builds that were killed: .*add2/lock",
        lambda w: (
            w.torch("2.11.0+cu130"),
            older_than_torch(w, w.home / ".cache/torch_extensions/py311_cu130/add2/lock"),
        ),
        "",
        None,
    ),
    "old_extensions: in torch's cache": (
        "warning",
        "is older than this torch",
        lambda w: older_than_torch(w, w.home / ".cache/torch_extensions/py311_cu130/add2/add2.so"),
        "",
        None,
    ),
    "old_extensions: in a chapter": (
        "warning",
        "is older than this torch",
        lambda w: older_than_torch(w, w.repository / "chapters/04_package/src/my_kernel.so"),
        "",
        None,
    ),
    "old_extensions: installed": (
        "warning",
        "mine was built for torch 2.11, here is 2.15.0",
        lambda w: w.metadata("mine", "1.0", "Requires-Dist: torch==2.11.*\n"),
        "pip uninstall mine",
        lambda w: w.remove("mine"),
    ),
}
