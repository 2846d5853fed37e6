"""`make doctor`: each diagnosis sees the fault that is planted for it, and names the command that mends it."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest
from doctor_world import World
from support import ROOT

sys.path.insert(0, str(ROOT / "tools"))
import doctor
from diagnoses import DIAGNOSES
from diagnoses.gpu import runs_on
from diagnoses.machine import broken, ok, warning

NAMED = {diagnosis.__name__: diagnosis for diagnosis in DIAGNOSES}


@pytest.fixture
def world(tmp_path, monkeypatch):
    return World(tmp_path / "a world", monkeypatch)


# The faults


class Fault(NamedTuple):
    diagnosis: str
    plant: Callable  # into a World
    printed: str  # the status, and what is found
    cure: str


def module(world, name, text=""):
    """Puts a module on PYTHONPATH."""
    world.write(world.folder / "p" / name, text)
    world.environ(PYTHONPATH=world.folder / "p")
    world.monkeypatch.setattr(sys, "path", [str(world.folder / "p"), *sys.path])


def old(world, file):
    """An extension that is older than torch."""
    os.utime(world.write(file), (1, 1))


TOO_OLD = 'case "$*" in *++20*vector*) echo "g++: error: unrecognized" >&2; exit 1;; esac; echo 7.5.0'
TOO_NEW = '[ "$2" = g++-15 ] || { echo "error: unsupported! gcc versions later than 15 are not" >&2; exit 1; }'
NO_CC = '[ "$1" != -ccbin ] || { echo "gcc: No such file" >&2; exit 1; }'
CACHE = ".cache/torch_extensions/py311_cu130/add2"

# fmt: off
FAULTS = [
    Fault("torch", lambda w: w.remove("torch"), "broken .*has no torch", "make setup"),
    Fault("torch", lambda w: w.torch("2.9.0"), "broken 2.9.0.*torch>=2", "make setup"),
    Fault("torch", lambda w: w.torch(more="raise ImportError('libc10.so: cannot open')"),
          "broken .*libc10.so: cannot open", r"python' -m pip install --force-reinstall --no-deps torch==2.15.0$"),
    Fault("torch", lambda w: w.torch(more="import os; os.abort()"), "broken .*status -6", "--force-reinstall"),
    Fault("torch", lambda w: module(w, "torch.py", "raise ImportError('not this one')"),
          "broken 2.15.0.*not this one", "unset PYTHONPATH"),
    Fault("build_isolation", lambda w: w.remove("setuptools"), "broken setuptools is missing", "pip install setuptools"),
    Fault("ninja", lambda w: (w.bin / "ninja").unlink(), "broken not found", "pip install ninja"),
    Fault("compiler", lambda w: (w.bin / "c++").unlink(), r"broken c\+\+ not found", r"sudo apt-get install g\+\+$"),
    Fault("compiler", lambda w: w.environ(CXX="nowhere"), "broken nowhere not found", "unset CXX"),
    Fault("compiler", lambda w: w.program("c++", TOO_OLD), r"broken c\+\+ 7.5.0 does not know -std=c\+\+20: g.*unrecognized",
          r"apt-get install g\+\+-10 && export CXX=g\+\+-10$"),
    Fault("python_headers", lambda w: (w.include / "Python.h").unlink(), "broken no .*Python.h", r"python3\.\d+-dev"),
    Fault("hidden_modules", lambda w: w.write(w.repository / "chapters/03_add2/random.py"),
          "broken .*random.py hides the module random", "mv '.*random.py' '.*my_random.py'"),
    Fault("hidden_modules", lambda w: module(w, "build/__init__.py"), "broken .*build hides", "unset PYTHONPATH"),
    Fault("memory", lambda w: w.memory(1.6), "warning 1.6 GB free, 2 compilers at once", "export MAX_JOBS=1"),
    Fault("memory", lambda w: (w.write(w.root / "sys/fs/cgroup/memory.max", "2000000000"),
                               w.write(w.root / "sys/fs/cgroup/memory.current", "500000000")),
          "warning 1.5 GB free", "export MAX_JOBS=1"),
    Fault("memory", lambda w: w.memory(0.1), "broken 0.1 GB free", "MAX_JOBS=1 .*end other programs"),
    Fault("disk", lambda w: w.free.update({w.repository: 1e9}), "warning 1.0 GB free in .*a clone", "make clean"),
    Fault("disk", lambda w: w.free.update({w.folder: 1e8}), "broken 0.1 GB free", "export TMPDIR='.*a clone'"),
    Fault("disk", lambda w: w.environ(TMPDIR="/nowhere"), "broken /nowhere is not writable", "export TMPDIR="),
    Fault("disk", lambda w: w.monkeypatch.setattr(os, "access", lambda path, mode: path != w.repository),
          "broken .*a clone is not writable", "cp -r .*a clone' ~/chapters"),
    Fault("locks", lambda w: (w.torch("2.11.0"), w.write(w.home / CACHE / "lock")),
          "warning 1, such as .*add2/lock", "rm .*lock'    # unless a build is running"),
    Fault("old_extensions", lambda w: old(w, w.home / CACHE / "add2.so"), "warning .*older than this torch", "rm .*add2.so"),
    Fault("old_extensions", lambda w: old(w, w.repository / "chapters/04_package/src/my_kernel.so"),
          "warning .*older than this torch", "rm .*my_kernel.so"),
    Fault("old_extensions", lambda w: w.metadata("mine", "1.0", "Requires-Dist: torch==2.11.*\n"),
          "warning mine was built for torch 2.11, here is 2.15.0", "pip uninstall mine "),
    Fault("nvcc", lambda w: shutil.rmtree(w.cuda), "broken torch needs CUDA 13.0: there is none",
          r"pip install 'cuda-toolkit\[.*nvcc.*==13.0.\*"),
    Fault("nvcc", lambda w: (shutil.rmtree(w.cuda), w.nvcc("12.4", w.folder / "usual")),
          "broken torch needs CUDA 13.0: .*usual has 12.4", "pip install 'cuda-toolkit"),
    Fault("nvcc_compiler", lambda w: w.nvcc("13.0", compile=TOO_NEW), "broken .*error: unsupported",
          r"sudo apt-get install g\+\+-15 && export CC=g\+\+-15"),
    Fault("nvcc_compiler", lambda w: (w.nvcc("13.0", compile=NO_CC), w.environ(CC="nowhere")),
          "broken nvcc does not work with nowhere: gcc: No such file", "unset CC"),
    Fault("libcudart", lambda w: (w.cuda / "lib/libcudart.so").unlink(), "ok the lessons bring their link to .*so.13",
          "ln -s libcudart.so.13 '.*/libcudart.so'    # for a project of your own"),
    Fault("CUDA_HOME", lambda w: w.environ(CUDA_HOME="/nowhere"), "warning /nowhere has no nvcc", "export CUDA_HOME='.*cu13"),
    Fault("CUDA_HOME", lambda w: w.environ(CUDA_HOME=w.nvcc("12.4", w.folder / "an old one")),
          "warning .*an old one has CUDA 12.4, torch has 13.0", "export CUDA_HOME='.*cu13"),
    Fault("torch_and_gpu", lambda w: (w.torch(gpu=False), w.gpu(cuda="12.4")), "broken .*runs CUDA 12.4, torch has 13.0",
          "ubuntu-drivers install && sudo reboot"),
    Fault("torch_and_gpu", lambda w: (w.torch(gpu=False), w.program("nvidia-smi", "echo version mismatch; exit 18")),
          "warning nvidia-smi fails: version mismatch", "sudo reboot"),
    Fault("torch_and_gpu", World.no_driver, "warning .*without a driver", "ubuntu-drivers install && sudo reboot"),
    Fault("torch_and_gpu", lambda w: (w.no_driver(), w.write(w.root / ".dockerenv")),
          "warning this container was not given the GPU", "docker run --gpus all"),
    Fault("torch_and_gpu", lambda w: w.torch("2.15.0+cpu", cuda=None, gpu=False), "warning torch 2.15.0.cpu has no CUDA",
          "pip install --force-reinstall torch==2.15.0 "),
    Fault("torch_and_gpu", lambda w: (w.torch(gpu="'CUDA_VISIBLE_DEVICES' not in __import__('os').environ"),
                                      w.environ(CUDA_VISIBLE_DEVICES="")),
          "warning CUDA_VISIBLE_DEVICES= hides the GPU", "unset CUDA_VISIBLE_DEVICES"),
    Fault("torch_and_gpu", lambda w: w.torch(gpu=False, warns="CUDA unknown error"), "broken .*CUDA unknown error",
          "sudo modprobe nvidia_uvm"),
    Fault("architecture", lambda w: w.gpu("7.0"), "broken NVIDIA H200 is 7.0; torch is built for sm_75 sm_80 sm_90",
          "xdg-open https://pytorch.org/get-started"),
    Fault("TORCH_CUDA_ARCH_LIST", lambda w: w.environ(TORCH_CUDA_ARCH_LIST="8.0"), "broken 8.0: NVIDIA H200 is 9.0",
          "export TORCH_CUDA_ARCH_LIST=9.0"),
]
# fmt: on


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.diagnosis}: {fault.printed}")
def test_a_planted_fault_is_found(world, fault):
    """A cure that a shell alone can follow must mend the fault."""
    fault.plant(world)
    finding = NAMED[fault.diagnosis](world.machine())
    assert re.match(fault.printed, f"{finding.status} {finding.found}") and re.search(fault.cure, finding.cure), finding
    if re.match("(export|unset|mv|rm|ln) ", finding.cure) and "end other programs" not in finding.cure:
        world.follow(finding.cure)
        after = NAMED[fault.diagnosis](world.machine())
        assert (after.status, after.cure) == ("ok", ""), after


def test_every_diagnosis_has_a_fault():
    assert set(NAMED) == {fault.diagnosis for fault in FAULTS}


# No fault, or only one


def wrong(world):
    """{diagnosis: status} of all that are not ok."""
    findings = doctor.diagnose(world.machine())
    return {diagnosis.__name__: finding.status for diagnosis, finding in findings if finding.status != "ok"}


def test_a_machine_without_faults(world):
    assert wrong(world) == {}
    world.write(world.folder / "target/numpy/__init__.py")  # pip install --target
    world.write(world.folder / "target/numpy-2.4.dist-info/METADATA")
    world.environ(PYTHONPATH=f"{world.repository}/chapters/..:{world.folder}/target", TORCH_CUDA_ARCH_LIST="8.0 Hopper")
    assert wrong(world) == {}
    shutil.rmtree(world.cuda)
    world.environ(
        CUDA_HOME=world.nvcc("13.1", world.folder / "mine")
    )  # of torch's major version, and no other is there
    assert wrong(world) == {}


def test_a_machine_without_a_gpu(world):
    world.no_gpu()
    assert wrong(world) == {}
    world.nvcc("13.0", compile=TOO_NEW)
    assert wrong(world) == {"nvcc_compiler": "warning"}
    world.environ(CHAPTERS_DEVICE="cuda")
    assert wrong(world) == {"nvcc_compiler": "broken"}
    shutil.rmtree(world.cuda)
    assert wrong(world) == {"nvcc": "broken"}
    world.environ(CHAPTERS_DEVICE="cpu")
    assert wrong(world) == {}


def test_an_old_driver_is_one_fault(world):
    world.gpu(cuda="12.4")
    world.torch(gpu=False, warns="The NVIDIA driver on your system is too old (found version 12040).")
    assert wrong(world) == {"torch_and_gpu": "broken"}
    world.environ(CHAPTERS_DEVICE="cpu")
    assert wrong(world) == {"torch_and_gpu": "warning"}


def test_a_driver_of_the_same_major_version_is_new_enough(world):
    world.torch("2.15.0+cu132", "13.2", gpu=False, warns="something else")
    assert "something else" in NAMED["torch_and_gpu"](world.machine()).found


def test_a_missing_torch_is_one_fault(world):
    for name in "torch", "setuptools", "ninja":
        world.remove(name)
    (world.bin / "ninja").unlink()
    assert wrong(world) == {"torch": "broken"}


def test_which_code_runs_on_which_gpu():
    for built, capability in ("sm_80", (8, 6)), ("compute_80", (9, 0)), ("sm_90a", (9, 0)), ("sm_120", (12, 1)):
        assert runs_on([built], capability), built
    for built, capability in ("sm_86", (8, 0)), ("sm_80", (9, 0)), ("compute_90", (8, 0)), ("sm_90a", (9, 1)):
        assert not runs_on([built], capability), built


def test_a_diagnosis_that_raises_is_reported_and_the_others_still_run(world, monkeypatch):
    monkeypatch.setattr(doctor, "DIAGNOSES", [lambda m: 1 / 0, *DIAGNOSES])
    (_, first), *others = doctor.diagnose(world.machine())
    assert first.status == "warning" and "ZeroDivisionError" in first.found and len(others) == len(DIAGNOSES)


# The program


def test_the_report_ends_with_what_is_broken_and_fits_a_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    first, second, *others = DIAGNOSES
    findings = [
        (first, broken("found", "cure")),
        (second, warning("odd", "mend")),
        *((d, ok("x" * 99)) for d in others),
    ]
    lines = doctor.report(findings).splitlines()
    assert len(lines) == len(DIAGNOSES) + 3 <= 24 and max(map(len, lines)) == 80
    last = [f"broken  {doctor.title(first):22}found", "        cure", f"{len(others)} ok, 1 warning, 1 broken"]
    assert lines[-3:] == last
    assert doctor.short(findings).splitlines()[1:] == last[:2]
    assert "nothing on this machine is broken" in doctor.short(findings[1:])


def test_the_table_has_a_row_for_each_diagnosis():
    """tools/doctor.py's table() is a part of the root README."""
    heading, rule, *rows = doctor.table().splitlines()
    assert len(rows) == len(DIAGNOSES) and all(re.fullmatch(r"\| [\w ]{2,21} \| [^|]+\. \|", row) for row in rows)
    assert heading == "| diagnosis | why |"


@pytest.fixture
def clone(world):
    """A copy of the repository as far as the doctor and one failing lesson need it, run by the straw world's Python."""
    for name in "Makefile", "pyproject.toml", "tools", "common/find_cuda.py":
        target = world.repository / name
        target.parent.mkdir(exist_ok=True)
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, target)
    world.write(world.repository / "chapters/03_add2/main.py", "raise SystemExit(3)")

    def run(*command, **variables):
        env = {**os.environ, "PATH": f"{world.bin}:/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1", **variables}
        return subprocess.run(command, cwd=world.repository, env=env, capture_output=True, text=True)

    world.run = run
    return world


def test_the_standard_library_is_enough(clone):
    """Also where a file random.py on PYTHONPATH hides the module random."""
    for name in "torch", "numpy", "setuptools":
        clone.remove(name)
    module(clone, "random.py")
    done = clone.run(sys.executable, "tools/doctor.py", "--json")
    answers = {answer["diagnosis"]: answer for answer in json.loads(done.stdout)}
    assert done.returncode == 1 and done.stderr == ""
    assert list(answers) == [doctor.title(diagnosis) for diagnosis in DIAGNOSES]
    assert answers["hidden modules"]["found"].endswith("random.py hides the module random")
    assert answers["torch"]["status"] == "broken" and answers["torch"]["cure"] == "make setup"
    assert set(answers["torch"]) == {"diagnosis", "why", "status", "found", "cure"}


def test_a_lesson_that_fails_prints_what_is_broken_and_keeps_its_status(clone):
    clone.write(clone.repository / "chapters/03_add2/random.py")
    done = clone.run("make", "chapter03", f"PYTHON={sys.executable}")
    assert "Error 3" in done.stderr and re.search("^broken +hidden modules +.*\n +mv ", done.stderr, re.M)
    assert not re.search("^ok ", done.stderr, re.M)


def test_it_goes_on_in_the_python_of_the_lessons(clone):
    clone.remove("torch")
    clone.program("python", 'echo "$@"', clone.repository / ".venv/bin")
    done = clone.run(sys.executable, "tools/doctor.py", "--short")
    assert done.stdout.endswith("/tools/doctor.py --short\n")
