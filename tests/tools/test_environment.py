"""tools/environment.py and the Makefile, without network: a copy in a temporary folder, its venv and pip of straw."""

import contextlib
import importlib.util
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import packaging
import pytest

from tests.support import CHAPTERS, ROOT
from tools import environment

VERSION = f"python{environment.VERSION}"
BASE = f"{sys.base_prefix}/bin/{VERSION}"
SITE = Path("lib") / VERSION / "site-packages"
# `python -m venv DIR`, and a pip that pretends. Both leave a line in $LOG, then do what $IN_VENV or $IN_PIP says; pip does
# what $FETCHING says before it installs anything.
VENV = """
import os, shutil, sys, time
print("venv", file=open(os.environ["LOG"], "a"), flush=True)
exec(os.environ.get("IN_VENV", ""))
shutil.copytree("TEMPLATE", sys.argv[1], symlinks=True, dirs_exist_ok=True)
"""
PIP = """
import os, pathlib, sys, time
if "pip>=24.1" in sys.argv:
    sys.exit()  # this one is new enough
sys.stdout.reconfigure(line_buffering=True)  # pip prints each line at once
log = open(os.environ["LOG"], "a")
print("pip", *sys.argv[1:], sep="|", file=log, flush=True)
exec(os.environ.get("FETCHING", ""))
print("Installing collected packages: ninja, torch", flush=True)
exec(os.environ.get("IN_PIP", ""))
pathlib.Path(__file__).parents[1].joinpath("torch").mkdir(exist_ok=True)
print("pip done", file=log, flush=True)
"""
LESSON = '"""Chapter {}, {}: a lesson\n"""\nimport sys\nprint("ran", sys.executable, sys.argv[1:])\n'
COMPLETE = {"torch": "2.15.0+cu132", "numpy": "2.4.6", "ninja": "1.13.2", "setuptools": "81.0.0"}
MADE = ["venv", "pip", "pip done"]
# Each Python of these tests reads this when it starts: whether this machine's disk is full is not their subject.
ROOM = "import shutil; shutil.disk_usage = lambda path: type('', (), {'free': 20e9})\n"
POPEN = {"text": True, "stdout": subprocess.PIPE, "start_new_session": True}
POPEN["preexec_fn"] = lambda: signal.signal(signal.SIGINT, signal.default_int_handler)  # `make test &` ignores it


class Repository:
    def __init__(self, folder):
        self.root, self.straw, self.log = folder / "a clone", folder / "straw", folder / "log"  # a path with a blank
        self.venv = self.root / ".venv"
        self.log.touch()
        (self.root / "tools").mkdir(parents=True)
        for name in "Makefile", "pyproject.toml", "tools/environment.py", "tools/run.py":
            shutil.copy(ROOT / name, self.root / name)
        for name in "01_hello", "03_add2":
            (self.root / "chapters" / name).mkdir(parents=True)
            (self.root / "chapters" / name / "main.py").write_text(LESSON.format(name[:2], name[3:]))
        template, pip = folder / "template", folder / "template" / SITE / "pip"
        self.python(template, torch="2.15.0")
        for file, text in (pip / "__main__.py", PIP), (self.straw / "venv.py", VENV.replace("TEMPLATE", str(template))):
            file.parent.mkdir()
            file.write_text(text)
        self.customize(ROOM)
        for name in "packaging", "tomli":  # quicker than pip's copies in a wheel
            (self.straw / name).symlink_to(Path(packaging.__path__[0]).with_name(name))
        self.plain = self.python(folder / "plain")
        # CXX may be any program: nothing is compiled here. PIP_NO_INDEX: should a real pip run after all.
        self.environment = {"LOG": str(self.log), "PYTHONPATH": str(self.straw), "CXX": "true", "PIP_NO_INDEX": "1"}
        self.environment["PATH"] = f"{self.plain.parent}:/usr/bin:/bin"

    @staticmethod
    def python(folder, **packages):
        """A Python of its own in `folder`, with metadata of these packages and nothing else."""
        (folder / SITE).mkdir(parents=True)
        (folder / "bin").mkdir()
        for name in "python", "python3":
            (folder / "bin" / name).symlink_to(BASE)
        (folder / "pyvenv.cfg").write_text(f"home = {os.path.dirname(BASE)}\ninclude-system-site-packages = false\n")
        for name, version in packages.items():
            metadata = folder / SITE / f"{name}-{version}.dist-info" / "METADATA"
            metadata.parent.mkdir()
            metadata.write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        return folder / "bin" / "python3"

    def customize(self, text):
        """What each Python runs when it starts."""
        (self.straw / "sitecustomize.py").write_text(text)

    def start(self, *command, stderr=subprocess.PIPE, **variables):
        return subprocess.Popen(command, cwd=self.root, env=self.environment | variables, stderr=stderr, **POPEN)

    def run(self, *command, **variables):
        process = self.start(*command, **variables)
        process.out, process.err = process.communicate(timeout=60)
        return process

    def make(self, *arguments, **variables):
        return self.run("make", *arguments, **variables)

    def logged(self):
        """What venv and pip were asked for since the last time, by the first word."""
        lines = self.log.read_text().splitlines()
        self.log.write_text("")
        return [line.partition("|")[0] for line in lines]

    def wait_for(self, word, process):
        while word not in self.log.read_text():
            assert process.poll() is None, f"no {word}"
            time.sleep(0.02)


@pytest.fixture
def repository(tmp_path):
    return Repository(tmp_path)


def listing(folder):
    return {file: (file.lstat().st_mtime_ns, file.lstat().st_size) for file in folder.rglob("*")}


def test_make_alone_lists_targets_and_chapters_and_what_does_not_exist_is_said(repository):
    out = repository.make().out
    assert "\nmake test " in out and "make chapter01      hello: a lesson\n" in out
    for target in "chapter02", "sanitize02", "chapter3", "test02":
        assert "there are: 01 03" in repository.make(target).err
    (repository.root / "tests").mkdir()
    for target in "chapters", "tests", "nonsense":
        assert f"There is no command `make {target}`; make lists" in repository.make(target).err
    assert repository.make("chapter01", "PYTHON=python9.9").err.startswith("PYTHON=python9.9: no such program\n")


def test_a_program_of_ones_own_is_a_file_or_several_and_no_number(repository):
    package = repository.root / "cuda_on_cpu"
    package.mkdir()
    (package / "__main__.py").write_text("import sys; print(sys.argv[1:])")
    for name in "a b.cu", "c.cu", "?.cu":
        (repository.root / name).touch()
    for file, words in ("a b.cu", ["a b.cu"]), ("c.cu ?.cu", ["c.cu", "?.cu"]), ("c.cu none.cu", ["c.cu", "none.cu"]):
        assert repository.make("memcheck", f"FILE={file}").out == f"{['check', *words]}\n"
    for goal in "memcheck03", "chapter03", "run99":
        process = repository.make(goal, "FILE=c.cu")
        assert process.returncode and process.out == "" and f"make {goal} is about a lesson, and FILE" in process.err
    lesson = repository.make("memcheck", "FILE=chapters/03_add2/add2.cu")
    assert lesson.returncode and not lesson.out and "is part of a lesson: make memcheck03 checks a lesson" in lesson.err
    assert "make chapter03 runs that lesson" in repository.make("run03").err
    assert "leave out" not in repository.make("chapter03", FILE="of the shell's own environment").err


def test_nothing_that_is_passed_is_a_command(repository, tmp_path):
    text = """$(touch pwned) $(shell touch pwned) `touch pwned` ; touch pwned | touch pwned '"; touch pwned; "' "'; :"\n#"""
    python = {"PYTHON": str(repository.python(tmp_path / "mine", **COMPLETE))}
    for words, variables in ([], {"ARGS": text}), (["ARGS=" + text], {}):
        process = repository.make("chapter03", *words, **python, **variables)
        assert process.out.endswith(f" {shlex.split(text)}\n")
    assert "ARGS=-n '2: No closing quotation" in repository.make("chapter01", "ARGS=-n '2", **python).err
    repository.make("chapter03", CXX=text)
    repository.make("chapter03", f"PYTHON={text}")
    repository.make(f"chapter{text}")
    repository.make(text)
    assert not list(tmp_path.rglob("pwned"))


def test_which_torch_fits(monkeypatch):
    fit, others = ["2.11", "2.11.0+cu130", "2.15.0a0+git123", "2.15.9"], ["2.10.1", "2.16.0+cpu", "3.0"]
    for version in fit + others:
        monkeypatch.setattr(environment.metadata, "version", lambda name, version=version: version)
        assert environment.fits(environment.TORCH) == (version in fit), version


def test_a_fitting_torch_is_used_as_it_is(repository, tmp_path):
    python = repository.python(tmp_path / "mine", **COMPLETE)
    before = listing(tmp_path / "mine")
    for variables in {"PYTHON": str(python)}, {"PATH": f"{python.parent}:/usr/bin:/bin"}:
        process = repository.make("chapter03", **variables)
        assert f"ran {python}" in process.out and process.err == ""
    assert f"{python}\n" == repository.run(python, "tools/environment.py", "--check").out
    assert listing(tmp_path / "mine") == before
    assert repository.logged() == [] and not repository.venv.exists()


def test_missing_packages_are_named_with_the_command(repository, tmp_path):
    python = repository.python(tmp_path / "mine", torch="2.15.0", setuptools="81.0", cmake="3.25.1")
    python.with_name("ninja").symlink_to("/bin/true")  # a program only, as conda's and Debian's
    active = {"PATH": f"{python.parent}:/usr/bin:/bin"}
    assert "python3 -m pip install 'numpy>=1.26,<3'\n" in repository.make("chapter03", **active).err
    said = repository.make("test", **active).err
    assert re.search(r"-m pip install 'numpy>=\S*' 'pytest>=.*'cmake>=\S*'\n", said)
    assert repository.logged() == []


def test_made_once_then_mended_or_made_anew(repository, tmp_path):
    other = repository.python(tmp_path / "mine", **{**COMPLETE, "torch": "2.10.1"})
    assert "no torch that fits" in repository.run(other, "tools/environment.py", "--check").err
    assert repository.logged() == []
    first = repository.make("chapter03", f"PYTHON={other}")
    assert f"ran {repository.venv}/bin/python" in first.out
    assert repository.log.read_text().splitlines()[1].endswith("|".join(environment.requirements(*environment.LESSON)))
    assert repository.logged() == MADE
    second = repository.make("chapter03")
    assert second.out == first.out and second.err == "" and repository.logged() == []

    pyproject, stamp = repository.root / "pyproject.toml", repository.venv / "made-from"
    pyproject.write_text(pyproject.read_text().replace('"numpy>=1.26,<3",', '"numpy>=2,<3",'))
    repository.make("setup")
    assert "|numpy>=2,<3|" in repository.log.read_text() and repository.logged() == MADE[1:]

    (repository.venv / "bin" / "python").unlink()  # an upgrade of the interpreter looks like this
    repository.make("setup")
    assert repository.logged() == MADE

    stamp.write_text(stamp.read_text().replace(BASE, "/another/python3"))
    repository.make("setup")
    assert repository.logged() == []  # python3 is now another one, and nobody asked for it
    repository.make("setup", f"PYTHON={repository.plain}")
    assert repository.logged() == MADE


@pytest.mark.parametrize("signal_number, where", [("KILL", "venv"), ("KILL", "pip"), ("INT", "pip")])
def test_killed_and_run_again(repository, signal_number, where):
    if (signal_number, where) == ("KILL", "pip"):  # it mends an environment
        repository.make("setup")
        pyproject = repository.root / "pyproject.toml"
        pyproject.write_text(pyproject.read_text().replace("numpy>=1.26", "numpy>=2"))
        repository.logged()
    command = ["make", "chapter03"] if signal_number == "KILL" else [repository.plain, "tools/environment.py"]
    process = repository.start(*command, **{f"IN_{where.upper()}": "time.sleep(60)"})
    repository.wait_for(where, process)
    end = time.monotonic() + 5
    while (repository.venv / "made-from").read_text() and time.monotonic() < end:  # until pip begins to install
        time.sleep(0.02)
    os.killpg(process.pid, signal.Signals[f"SIG{signal_number}"])
    said = process.communicate()[1]
    if signal_number == "INT":
        assert "Interrupted. Run the same command again." in said.splitlines() and "Traceback" not in said
        assert process.returncode == -signal.SIGINT  # a shell says 130, and ends, too
    repository.logged()
    assert "ran" in repository.make("chapter03").out
    assert repository.logged() == MADE  # afresh: what that pip left cannot be trusted


def test_failed_and_run_again(repository):
    process = repository.make("chapter03", IN_PIP="sys.exit('ERROR: no network')")
    assert process.out == "" and "Traceback" not in process.err
    assert "no network" in process.err and "Run the same command again" in process.err
    assert "ran" in repository.make("chapter03").out


FETCH = r"""
for file in "torch-2.15.0-cp311-cp311-manylinux_2_28_x86_64.whl (539.1 MB)", "numpy-2.4.6-cp311-cp311-x.whl (16.9 MB)":
    print("  Downloading " + file, *(f"Progress {part}0000000 of 539100000" for part in range(54)), sep="\n")
print("  Using cached ninja-1.13.2-py3-none-x.whl (200 kB)", *("Collecting " + str(i) for i in range(200)), sep="\n")
"""


def test_what_pip_does_is_one_line_and_its_own_lines_are_in_a_log(repository):
    """Elsewhere than in a terminal, that line is printed once everything is fetched."""
    said = repository.make("chapter03", FETCHING=FETCH).err.splitlines()
    assert len(said) == 2 and "Making .venv with" in said[0]
    assert said[1] == "setup   installing 2 packages (0.56 GB fetched)"
    log = (repository.venv / "pip.log").read_text()
    assert log.count("Collecting") == 200 and "(539.1 MB)" in log and "Progress" not in log
    shutil.rmtree(repository.venv)

    ours, terminal = os.openpty()
    process = repository.start("make", "chapter03", FETCHING=FETCH, stderr=terminal)
    os.close(terminal)
    shown = b""
    with contextlib.suppress(OSError):  # the other end is closed
        while more := os.read(ours, 2**16):
            shown += more
    os.close(ours)
    assert process.communicate()[0].startswith("ran ")
    lines = shown.decode().replace("\r\n", "\n").split("\r\033[K")
    assert "setup   torch-2.15.0                      0.53 of about 3.2 GB" in lines
    assert "setup   numpy-2.4.6                       0.54 of about 3.2 GB" in lines
    assert sum(line.count("\n") for line in lines) == 2


def test_a_pip_that_fails_is_shown_by_its_last_lines(repository):
    process = repository.make("chapter03", FETCHING=FETCH + "sys.exit('ERROR: no network')")
    assert "Collecting 199\nERROR: no network\n" in process.err and "Collecting 100" not in process.err
    assert f"{repository.venv}/pip.log has the whole output" in process.err


def test_what_is_asked_for_is_added_and_stays(repository):
    def asked():
        """What pip was asked for since the last time."""
        words = [line.split("|")[1:] for line in repository.log.read_text().splitlines() if line.startswith("pip|")]
        repository.log.write_text("")
        return [set(line[line.index("raw") + 1 :]) for line in words]

    lesson, test, lint = (
        set(environment.requirements(*environment.INSTALLED[purpose])) for purpose in ("lesson", "test", "lint")
    )
    assert any("pytest" in line for line in test - lesson) and any("opencv" in line for line in test & lint - lesson)
    repository.make("chapter03")
    assert asked() == [lesson]
    said = repository.make("setup").err
    assert asked() == [test] and "Adding to .venv: pytest, pytest-xdist, hypothesis, " in said and "torch" not in said
    repository.make("lint")  # to run it fails: there is no ruff
    assert asked() == [test | lint]
    for target in "chapter03", "setup", "lint":
        repository.make(target)
    assert asked() == []
    pyproject = repository.root / "pyproject.toml"
    pyproject.write_text(pyproject.read_text().replace('"numpy>=1.26,<3",', '"numpy>=2,<3",'))
    repository.make("chapter03")
    assert asked() == [test - {"numpy>=1.26,<3"} | lint - {"numpy>=1.26,<3"} | {"numpy>=2,<3"}]
    repository.make("setup")
    assert asked() == []


@pytest.mark.parametrize("failure", ["sys.exit('ERROR: no network')", "time.sleep(60)"])
def test_lessons_still_run_when_nothing_could_be_added(repository, failure):
    repository.make("chapter03")
    repository.logged()
    process = repository.start("make", "setup", FETCHING=failure)
    repository.wait_for("pip", process)
    if "sleep" in failure:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    repository.logged()
    assert "ran" in repository.make("chapter03").out and repository.logged() == []


def test_one_at_a_time(repository):
    """Two at once; then a pip that outlives its killed make."""
    processes = [repository.start("make", "chapter03", IN_PIP="time.sleep(0.5)") for _ in range(2)]
    assert all("ran" in process.communicate()[0] for process in processes)
    assert repository.logged() == MADE
    shutil.rmtree(repository.venv)
    process = repository.start(repository.plain, "tools/environment.py", IN_PIP="time.sleep(1)")
    repository.wait_for("pip", process)
    process.kill()
    second = repository.make("chapter03")
    assert "waiting" in second.err and "ran" in second.out
    assert repository.logged() == MADE * 2


def test_an_activated_venv_is_still_looked_after(repository):
    repository.make("setup")
    (repository.venv / "made-from").write_text("")  # as after a kill
    assert "ran" in repository.make("chapter03", PATH=f"{repository.venv}/bin:/usr/bin:/bin").out
    assert repository.logged() == MADE * 2


def test_a_venv_of_the_readers_own_is_not_touched(repository):
    repository.python(repository.venv)
    before = listing(repository.venv)
    assert "was not made by this repository" in repository.make("chapter03").err
    assert listing(repository.venv) == before


def test_an_activated_venv_of_the_readers_own_is_used(repository):
    python = repository.python(repository.venv, **COMPLETE)
    before = listing(repository.venv)
    assert f"ran {python}" in repository.make("chapter03", PATH=f"{python.parent}:/usr/bin:/bin").out
    assert listing(repository.venv) == before


def test_the_oldest_and_the_newest_have_environments_of_their_own(repository):
    repository.make("test-oldest")  # to run the tests there fails: this pip is of straw
    repository.make("test-newest")
    oldest, newest = (line.split("|") for line in repository.log.read_text().splitlines() if line.startswith("pip|"))
    assert {"torch==2.11.*", "numpy==1.26.*", "cmake==3.30.*"} < set(oldest) and "--upgrade" not in oldest
    assert {"torch>=2.11,<2.16", "--upgrade"} < set(newest)
    assert {folder.name for folder in repository.root.glob(".venv*")} == {".venv-oldest", ".venv-newest"}


def test_a_bare_python_reads_pyproject_with_pips_copies(repository):
    """Debian's has no pip, only venv's wheel of it; and with no venv either, the command that installs one."""
    if not importlib.util.find_spec("ensurepip"):
        pytest.skip("this Python has no ensurepip")
    for name in "packaging", "tomli":
        (repository.straw / name).unlink()
    assert "ran" in repository.make("chapter03").out and repository.logged() == MADE
    hide = "import importlib.util as u; f = u.find_spec; u.find_spec = lambda x: None if x == 'ensurepip' else f(x)"
    repository.customize(hide)
    assert "sudo apt-get install python3." in repository.make("chapter03").err and repository.logged() == []


@pytest.mark.parametrize("folder", CHAPTERS, ids=lambda folder: folder.name)
def test_a_lesson_started_by_another_python_says_how_to_start_it(folder, tmp_path):
    """-S: a Python without packages. What finds torch and numpy in PYTHONPATH still lacks two."""
    main = folder / "main.py"
    start = f"Run: make chapter{folder.name[:2]}   (or .venv/bin/python {main.relative_to(ROOT)})\n"
    for name in "torch", "numpy":
        (tmp_path / f"{name}.py").touch()
    for place, lacking in (None, "torch, numpy, setuptools, ninja"), (tmp_path, "setuptools, ninja"):
        env = {"PATH": str(tmp_path)} | ({"PYTHONPATH": str(place)} if place else {})
        done = subprocess.run([sys.executable, "-S", main], env=env, capture_output=True, text=True)
        assert done.stderr == f"This Python has no {lacking}. {start}" and done.returncode == 1


ARM = {"sys_platform": "linux", "platform_system": "Linux", "platform_machine": "aarch64", "python_version": "3.12"}
GLIBC = "manylinux2014", "manylinux_2_17", "manylinux_2_24", "manylinux_2_26", "manylinux_2_27", "manylinux_2_28"


def for_arm(requirements):
    """Those that count for Python 3.12 on Linux on Arm, without their conditions: pip would ask this machine for them."""
    for requirement in map(environment.Requirement, requirements):
        if requirement.marker is None or requirement.marker.evaluate(ARM | {"extra": ""}):
            requirement.marker = None
            yield str(requirement)


def found_for_arm(folder, *options):
    """{name of a package: [its file's name, what it requires]} of what pip would install there."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--target", folder]
    pip += ["--report=-", "--only-binary=:all:", "--python-version=3.12", *(f"--platform={g}_aarch64" for g in GLIBC)]
    done = subprocess.run([*pip, "--retries=1", "--timeout=20", *options], capture_output=True, text=True)
    if done.returncode and "WARNING: Retrying" in done.stderr:
        pytest.skip("there is no network")
    assert done.returncode == 0, done.stderr
    found = {}
    for package in json.loads(done.stdout)["install"]:
        file = package["download_info"]["url"].rpartition("/")[2]
        found[package["metadata"]["name"]] = file, package["metadata"].get("requires_dist", [])
    return found


@pytest.mark.parametrize("torch", ["torch==2.11.*", environment.TORCH])
def test_linux_on_arm_gets_cuda_and_an_nvcc_for_it(tmp_path, torch):
    """Nothing is installed. An index that has no metadata beside its files makes pip fetch them: 0.6 GB, 15 s."""
    lesson = [torch if line == environment.TORCH else line for line in environment.requirements(*environment.LESSON)]
    found = found_for_arm(tmp_path, "--no-deps", *for_arm(lesson))
    assert {"torch", "numpy", "cmake", "cuda-toolkit"} <= set(found)
    assert "aarch64" in found["torch"][0]
    toolkit = next(line for line in for_arm(found["torch"][1]) if line.startswith("cuda-toolkit"))
    nvcc = next(line for line in for_arm(lesson) if line.startswith("cuda-toolkit"))
    version = environment.Requirement(toolkit).specifier
    found = found_for_arm(tmp_path, f"{nvcc}{version}")
    for name in "nvcc", "crt", "nvvm", "cccl":
        assert "aarch64" in next(file for package, (file, _) in found.items() if package.endswith(name)), found


@pytest.mark.parametrize("cxx", ["env true", "", " "])
def test_a_compiler_of_several_words_and_one_without_any(repository, cxx):
    assert "ran" in repository.make("chapter03", CXX=cxx).out


@pytest.mark.skipif(sys.platform != "linux", reason="tools/lesson.py needs Linux")
@pytest.mark.parametrize("cxx", ["env c++", "", " "])
def test_the_compiler_that_sanitize_asks(repository, cxx):
    command = [sys.executable, "-m", "tools.lesson", "sanitize", "-c", "print('ran')"]
    done = repository.run(*command, CXX=cxx, PYTHONPATH=str(ROOT))
    assert done.out == "ran\nmemory  AddressSanitizer found nothing\n", done.err


def test_a_compiler_that_is_not_there(repository):
    for cxx, name in ("nowhere g++", "nowhere"), ("an open ' quote", "an open ' quote"):
        assert f"No C++ compiler: {name} not found" in repository.make("chapter03", CXX=cxx).err


def test_what_is_too_little_is_said(repository):
    for patch, said in {
        "import sys; sys.version_info = (3, 9, 20)": "too old: make PYTHON=",
        ROOM.replace("20e9", "1.5e9"): "has 1.5 GB free",
        "import shutil; shutil.which = lambda name: None": "To install one: sudo apt-get install g++",
    }.items():
        repository.customize(patch)
        assert said in repository.make("chapter03").err and repository.logged() == []
