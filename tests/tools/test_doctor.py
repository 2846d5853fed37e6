"""`make doctor`: each check sees the fault that is planted for it, and is content when its own cure has been followed."""

import json
import re
import shutil
import sys

import pytest
from doctor_faults import FAULTS, hardware_only, in_wsl_2, on_pythonpath
from doctor_world import World
from support import ROOT
from test_environment import COMPLETE, Repository

sys.path.insert(0, str(ROOT / "tools"))
import doctor
from checks import CHECKS, broken, ok, warning
from checks.gpu import runs_on

NAMED = {check.__name__: check for check in CHECKS}


@pytest.fixture
def world(tmp_path, monkeypatch):
    return World(tmp_path / "a world", monkeypatch)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_seen_and_its_cure_mends_it(world, fault):
    status, found, plant, calls, mend = FAULTS[fault]
    mend = mend or (World.healthy if calls else None)
    check = NAMED[fault.partition(":")[0]]
    plant(world)  # into a machine on which all is well: test_a_machine_with_a_gpu
    finding = check(world.machine())
    assert finding.status == status and re.search(found, finding.found), finding
    called = world.follow(finding.cure)
    assert re.search(calls, called) and bool(calls) == bool(called), called
    if mend:
        mend(world)
    after = check(world.machine())
    assert after.status == "ok", after


def test_every_check_has_a_fault():
    assert set(NAMED) == {fault.partition(":")[0] for fault in FAULTS}


# Machines: what is wrong with one, by all checks


def wrong(world):
    findings = doctor.diagnose(world.machine())
    return {check.__name__: finding.status for check, finding in findings if finding.status != "ok"}


def test_a_machine_with_a_gpu(world):
    assert wrong(world) == {}


def test_a_machine_with_no_gpu_and_no_nvcc(world):
    world.no_gpu()
    world.write(world.root / ".dockerenv")  # a container, which has none to pass
    assert wrong(world) == {}
    world.no_nvcc()
    assert wrong(world) == {}


def test_without_a_gpu_its_faults_are_no_more_than_warnings(world):
    world.no_gpu()
    world.environ(TORCH_CUDA_ARCH_LIST="Copper")
    (world.cuda / "lib/libcudart.so").unlink()
    assert wrong(world) == {"libcudart": "warning", "TORCH_CUDA_ARCH_LIST": "warning"}
    world.environ(CHAPTERS_DEVICE="cuda")  # builds for one all the same
    assert wrong(world) == {"libcudart": "broken", "TORCH_CUDA_ARCH_LIST": "broken"}


def test_a_driver_older_than_the_runtime(world):
    world.gpu(cuda="12.4")
    world.torch(gpu=False, said="The NVIDIA driver on your system is too old (found version 12040).")
    assert wrong(world) == {"driver": "broken"}
    world.environ(CHAPTERS_DEVICE="cpu")
    assert wrong(world) == {"driver": "warning"}


def test_a_driver_of_the_same_major_version_will_do(world):
    world.gpu(cuda="13.0")
    world.torch("2.15.0+cu132", "13.2", gpu=False)
    assert NAMED["driver"](world.machine()).status == "ok"


def test_where_a_driver_has_to_be_installed(world):
    world.gpu(cuda="12.4")
    world.torch(gpu=False)
    assert NAMED["driver"](world.machine()).cure.endswith("sudo reboot    # a driver for CUDA 13.0")
    world.write(world.root / "proc/1/cgroup", "0::/docker/1234")
    assert NAMED["driver"](world.machine()).cure.endswith(
        "sudo reboot    # a driver for CUDA 13.0 on the container's host"
    )
    in_wsl_2(world)
    assert re.fullmatch("explorer.exe .*  # a driver for CUDA 13.0 in Windows", NAMED["driver"](world.machine()).cure)


def test_wsl(world):
    world.gpu()
    shutil.rmtree(world.root / "sys")  # the GPU is no PCI device there
    in_wsl_2(world)
    (world.root / "usr/lib/wsl/lib").mkdir(parents=True)
    shutil.move(world.bin / "nvidia-smi", world.root / "usr/lib/wsl/lib/nvidia-smi")  # not on the PATH
    assert wrong(world) == {}
    assert world.machine().gpus
    shutil.rmtree(world.root / "usr")  # Windows has a GPU by somebody else
    world.torch(gpu=False)
    assert wrong(world) == {}


def test_a_container_without_the_gpu(world):
    hardware_only(world)
    world.write(world.root / "run/.containerenv")
    assert wrong(world) == {"container": "warning"}
    world.environ(CHAPTERS_DEVICE="cuda")
    assert wrong(world) == {"container": "broken"}


def test_conda(world):
    """nvcc in the environment's bin, its libraries in targets/, and a ninja that is a program only."""
    prefix = world.folder / "prefix"
    world.no_nvcc()
    world.nvcc("13.0", prefix)
    (world.bin / "nvcc").symlink_to(prefix / "bin" / "nvcc")
    for name in "libcudart.so", "libcudart.so.13":
        world.write(prefix / "targets/x86_64-linux/lib" / name)
    world.remove("ninja")
    assert wrong(world) == {}
    assert world.machine().toolkit == prefix


def test_a_path_that_leads_to_the_lessons_or_to_installed_packages_is_no_fault(world):
    world.write(world.folder / "target/numpy/__init__.py")
    world.metadata("numpy", "2.4", site=world.folder / "target")
    world.write(world.folder / "same/libcudart.so.13", "cudart 13.0")
    world.environ(PYTHONPATH=f"{world.repository}/chapters/..:{world.folder}/target")
    world.environ(LD_LIBRARY_PATH=world.folder / "same")
    assert wrong(world) == {}


def test_torch_missing_is_one_fault_not_ten(world):
    for name in "torch", "numpy", "ninja":
        world.remove(name)
    (world.bin / "ninja").unlink()
    assert wrong(world) == {"torch": "broken"}


def test_a_full_disk_is_not_the_compilers_fault(world):
    world.free[world.folder] = 0
    world.nvcc("13.0", compile="echo 'Failed to preprocess host compiler properties' >&2; exit 1")
    assert wrong(world) == {"disk": "broken"}


def test_a_hidden_module_is_worse_than_a_hidden_common(world):
    on_pythonpath(world, "common/__init__.py")
    on_pythonpath(world, "random.py")
    assert wrong(world) == {"hidden_modules": "broken"}


@pytest.mark.parametrize(
    "built, capability, runs",
    [
        ("sm_80", (8, 0), True),
        ("sm_80", (8, 6), True),
        ("sm_86", (8, 0), False),
        ("sm_80", (9, 0), False),
        ("compute_80", (9, 0), True),
        ("compute_90", (8, 0), False),
        ("sm_90a", (9, 0), True),
        ("sm_90a", (9, 1), False),
        ("sm_120", (12, 1), True),
        ("sm_120", (10, 0), False),
    ],
)
def test_which_code_runs_on_which_gpu(built, capability, runs):
    assert runs_on([built], capability) == runs


def test_a_lock_that_is_held_is_no_fault(world):
    world.torch("2.11.0")
    with world.write(world.home / ".cache/torch_extensions/add2/lock").open():
        assert NAMED["locks"](world.machine()).status == "ok"


def test_a_check_that_fails_is_an_answer(world, monkeypatch):
    monkeypatch.setattr(doctor, "CHECKS", [lambda m: 1 / 0, *CHECKS])
    findings = doctor.diagnose(world.machine())
    assert "ZeroDivisionError" in findings[0][1].found and len(findings) == len(CHECKS) + 1


# The program


def test_one_screen(monkeypatch):
    """24 lines of 80 characters; where faults make it longer, they are what stays in sight."""
    monkeypatch.setenv("COLUMNS", "80")
    first, *others = CHECKS
    lines = doctor.report([(first, broken("found", "cure")), *((check, ok("x" * 99)) for check in others)]).splitlines()
    assert len(lines) == len(CHECKS) + 2 <= 24 and max(map(len, lines)) == 80
    assert lines[-3:] == [
        f"broken  {doctor.title(first):22}found",
        "        cure",
        f"{len(others)} ok, 0 warning, 1 broken",
    ]
    assert all(len(doctor.title(check)) < 22 for check in CHECKS)


def test_a_failing_lesson_hears_of_what_is_broken_only():
    first, second, third, *_ = CHECKS
    answer = doctor.short([(first, ok("fine")), (second, warning("odd", "a")), (third, broken("gone", "b"))])
    assert answer.splitlines()[1:] == [f"broken  {doctor.title(third):22}gone", "        b"]
    assert "nothing on this machine is broken" in doctor.short([(first, ok("fine"))])


def test_the_readme_lists_the_checks():
    text = (ROOT / "README.md").read_text()
    assert doctor.table() in text, "python tools/doctor.py --write"
    assert doctor.documented(text) == text


@pytest.fixture
def clone(tmp_path):
    repository = Repository(tmp_path)
    (repository.root / "common").mkdir()
    for name in "tools/doctor.py", "common/find_cuda.py":
        shutil.copy(ROOT / name, repository.root / name)
    checks = repository.root / "tools/checks"
    shutil.copytree(ROOT / "tools/checks", checks, ignore=shutil.ignore_patterns("__pycache__"))
    return repository


def test_python_alone_is_enough(clone):
    """No torch, no site-packages at all: it ends with 1 and says so; it makes nothing and installs nothing."""
    done = clone.run(clone.plain, "-S", "tools/doctor.py", "--json", PYTHONDONTWRITEBYTECODE="1")
    assert done.returncode == 1 and done.err == ""
    answers = json.loads(done.out)
    assert [answer["check"] for answer in answers] == [doctor.title(check) for check in CHECKS]
    assert {"check", "why", "status", "found", "cure"} == set(answers[0])
    assert answers[0]["status"] == "broken" and answers[0]["cure"] == "make setup"
    assert clone.logged() == [] and not clone.venv.exists()


def test_make_doctor(clone):
    (clone.straw / "ensurepip.py").rename(clone.straw / "random.py")  # on PYTHONPATH: what it seeks does not stop it
    done = clone.make("doctor")
    assert re.search("^broken +hidden modules +.*random.py hides", done.out, re.M)
    assert done.returncode != 0 and re.search(r"^broken +torch +no torch.*\n +make setup$", done.out, re.M)
    assert re.search(r"\d+ ok, \d+ warning, \d+ broken\n$", done.out)


def test_a_failing_lesson_says_what_is_broken(clone, tmp_path):
    done = clone.make("chapter03", FAKE="fail")
    assert done.returncode != 0 and done.out == ""
    assert re.search(r"make doctor.*\nbroken +torch +no torch: .venv is unfinished", done.err)
    assert "\n        make setup\n" in done.err and "ok " not in done.err


def test_a_lesson_that_runs_has_no_doctor(clone):
    done = clone.make("chapter03")
    assert done.returncode == 0 and "doctor" not in done.out + done.err


def test_a_lesson_that_fails_keeps_its_exit_status(clone):
    (clone.root / "chapters/03_add2/main.py").write_text("raise SystemExit(3)")
    done = clone.make("chapter03", f"PYTHON={clone.python(clone.root / 'mine', **COMPLETE)}")
    assert "Error 3" in done.err and "make doctor" in done.err


def test_it_looks_at_the_python_of_the_lessons(clone):
    clone.make("setup")
    (clone.venv / "bin" / "ninja").symlink_to("/bin/true")
    done = clone.make("doctor", "ARGS=--json")
    assert str(clone.venv) in done.out
