"""tools/environment.py and the Makefile, without network: a copy in a temporary folder, its venv and pip of straw."""

import importlib.util
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
from support import ROOT

sys.path.insert(0, str(ROOT / "tools"))
import environment

VERSION = f"python{environment.VERSION}"
BASE = f"{sys.base_prefix}/bin/{VERSION}"
SITE = Path("lib") / VERSION / "site-packages"
CFG = f"home = {os.path.dirname(BASE)}\ninclude-system-site-packages = false\n"  # what makes a folder an environment

# `python -m venv DIR`, with a pip that pretends. Both do what the environment's FAKE says, and leave a line in $LOG.
VENV = """
import os, pathlib, sys, time
print("venv", file=open(os.environ["LOG"], "a"), flush=True)
if os.environ.get("FAKE") == "hang in venv":
    time.sleep(60)
folder = pathlib.Path(sys.argv[1])
pip = folder / "SITE" / "pip"
pip.mkdir(parents=True)
(pip / "__main__.py").write_text('''PIP''')
(folder / "bin").mkdir()
(folder / "bin/python").symlink_to("BASE")
(folder / "pyvenv.cfg").write_text(CFG)
"""
PIP = """
import os, pathlib, sys, time
log = open(os.environ["LOG"], "a")
print("pip", *sys.argv[1:], sep="|", file=log, flush=True)
fake = os.environ.get("FAKE", "")
site = pathlib.Path(__file__).parent.parent
(site / "half").touch()
print("Collecting torch")
if fake == "fail":
    sys.exit("ERROR: no network")
if fake.startswith("slow"):
    time.sleep(float(fake.split()[1]))
(site / "half").unlink()
(site / "torch").mkdir(exist_ok=True)
print("pip done", file=log, flush=True)
"""
LESSON = '"""Chapter {}: what {} is about."""\nimport sys\nprint("ran", sys.executable, sys.argv[1:])\n'
COMPLETE = {"torch": "2.15.0+cu132", "numpy": "2.4.6", "ninja": "1.13.2", "setuptools": "81.0.0"}
MADE = ["venv", "pip", "pip done"]


class Repository:
    def __init__(self, folder):
        self.root = folder / "a clone"  # a path with a blank
        self.venv = self.root / ".venv"
        self.log = folder / "log"
        self.log.touch()
        (self.root / "tools").mkdir(parents=True)
        for name in "Makefile", "pyproject.toml", "tools/environment.py", "tools/run.py":
            shutil.copy(ROOT / name, self.root / name)
        (self.root / "tools" / "sanitize.py").write_text("import sys; print('through', sys.argv[1:])")
        for name in "01_hello", "03_add2":
            self.chapter(name)
        self.straw = folder / "straw"
        self.straw.mkdir()
        script = VENV.replace("SITE", str(SITE)).replace("PIP", PIP).replace("BASE", BASE)
        (self.straw / "venv.py").write_text(script.replace("CFG", repr(CFG)))
        for name in (
            "packaging",
            *(["tomli"] if sys.version_info < (3, 11) else []),
        ):  # quicker than pip's copies in a wheel
            (self.straw / name).symlink_to(Path(packaging.__path__[0]).with_name(name))
        self.plain = self.python(folder / "plain")
        self.environment = {
            "HOME": str(folder),
            "LOG": str(self.log),
            "PYTHONPATH": str(self.straw),
            "PATH": f"{self.plain.parent}:/usr/local/bin:/usr/bin:/bin",
            "CXX": "true",  # any program: these tests compile nothing
            "PIP_NO_INDEX": "1",  # should a real pip run after all
        }

    def chapter(self, name):
        (self.root / "chapters" / name).mkdir(parents=True)
        (self.root / "chapters" / name / "main.py").write_text(LESSON.format(name[:2], name[3:]))

    @staticmethod
    def python(folder, **packages):
        """A Python of its own in `folder`, with metadata of these packages and nothing else."""
        (folder / SITE).mkdir(parents=True)
        (folder / "bin").mkdir()
        (folder / "bin" / "python3").symlink_to(BASE)
        (folder / "pyvenv.cfg").write_text(CFG)
        for name, version in packages.items():
            info = folder / SITE / f"{name}-{version}.dist-info"
            info.mkdir()
            (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        return folder / "bin" / "python3"

    def start(self, *command, **variables):
        return subprocess.Popen(
            command,
            cwd=self.root,
            env={**self.environment, **variables},
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # `make test &` ignores it
        )

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

    def wait_for(self, word):
        deadline = time.monotonic() + 60
        while not re.search(f"^{word}", self.log.read_text(), re.M):
            assert time.monotonic() < deadline, f"no {word}"
            time.sleep(0.02)

    def kill(self, process, signal_number=signal.SIGKILL):
        os.killpg(process.pid, signal_number)
        return process.communicate()[1]


@pytest.fixture
def repository(tmp_path):
    return Repository(tmp_path)


def listing(folder):
    return {file: (file.lstat().st_mtime_ns, file.lstat().st_size) for file in folder.rglob("*")}


# ---- the Makefile ------------------------------------------------------------------------------------------------------


def test_make_alone_lists_targets_and_chapters(repository):
    repository.chapter("17_new")  # there is no list of chapters to write it into
    out = repository.make().out
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), flags=re.M)
    assert {"setup", "test"} < set(targets)
    for target in {*targets, "sanitizeNN", "chapterNN"} - {"help"}:
        assert f"make {target} " in out, target
    assert "\nmake chapter01    what hello is about.\n" in out and "make chapter17    what new is about.\n" in out


def test_what_does_not_exist_is_said(repository):
    for target in "chapter02", "sanitize02", "chapter3":
        process = repository.make(target)
        assert process.returncode != 0 and "there are: 01 03" in process.err
    process = repository.make("chapter01", "PYTHON=python9.9")
    assert process.returncode != 0 and process.err.startswith("PYTHON=python9.9: no such program\nmake: ***")
    assert repository.logged() == []  # nobody waited for an installation to hear that


def test_nothing_that_is_passed_is_a_command(repository, tmp_path):
    text = """$(touch pwned) $(shell touch pwned) `touch pwned` ; touch pwned | touch pwned '"; touch pwned; "' "'; :"\n#"""
    usual = {"PYTHON": str(repository.python(tmp_path / "mine", **COMPLETE))}
    read = dict.fromkeys(["ARGS", "CHAPTERS_DEVICE", "TORCH_CUDA_ARCH_LIST", "MAX_JOBS", "CUDA_HOME"], text)
    for process in repository.make("chapter03", **usual | read), repository.make("chapter03", f"ARGS={text}", **usual):
        assert process.out.endswith(f" {shlex.split(text)}\n")
    repository.make("sanitize03", **usual, ARGS=text)
    repository.make("chapter03", **usual | {"CXX": text})
    repository.make("chapter03", f"PYTHON={text}")
    for target in "chapter", "bench":
        assert repository.make(f"{target}{text}").returncode != 0
    repository.chapter("07_$(touch pwned) `touch pwned`; touch pwned")
    repository.make("chapter07", **usual)
    assert not list(tmp_path.rglob("pwned"))


def test_lessons_get_their_arguments_and_fail_as_they_do(repository):
    assert "['-n', '2 3']" in repository.make("chapter01", "ARGS=-n '2 3'").out
    assert "ARGS=-n '2: No closing quotation" in repository.make("chapter01", "ARGS=-n '2").err
    assert "through ['chapters/03_add2/main.py', '-n', '2']" in repository.make("sanitize03", "ARGS=-n 2").out
    (repository.root / "chapters/01_hello/main.py").write_text("raise SystemExit(3)")
    assert repository.make("chapter01").returncode != 0
    (repository.root / "build" / "x").mkdir(parents=True)
    assert repository.make("clean").returncode == 0
    assert not (repository.root / "build").exists() and repository.venv.exists()


# ---- a Python that has torch -------------------------------------------------------------------------------------------


def test_which_torch_fits(monkeypatch):
    for fits, versions in {
        True: ["2.11", "2.11.0+cu130", "2.13.1", "2.15.0a0+git123", "2.15.9"],
        False: ["2.10.1", "2.9.0", "2.16", "2.16.0+cpu", "3.0"],
    }.items():
        for version in versions:
            monkeypatch.setattr(environment.metadata, "version", lambda name, version=version: version)
            assert environment.fits(environment.TORCH) == fits, version


def test_a_fitting_torch_is_used_as_it_is(repository, tmp_path):
    """Nothing is made, fetched or changed; not even beside an nvcc from PyPI, which lacks links."""
    python = repository.python(tmp_path / "mine", **COMPLETE)
    for name in "bin/nvcc", "lib/libcudart.so.13":
        file = tmp_path / "mine" / SITE / "nvidia" / "cu13" / name
        file.parent.mkdir(parents=True)
        file.touch()
    before = listing(tmp_path / "mine")
    active = {"PATH": f"{python.parent}:{repository.environment['PATH']}"}
    for process in repository.make("chapter03", f"PYTHON={python}"), repository.make("chapter03", **active):
        assert f"ran {python}" in process.out and process.err == ""
    assert f"{python}\n" == repository.run(python, "tools/environment.py", "--check").out
    assert listing(tmp_path / "mine") == before
    assert repository.logged() == [] and not repository.venv.exists()


def test_any_other_torch_gets_a_venv(repository, tmp_path):
    python = repository.python(tmp_path / "mine", **{**COMPLETE, "torch": "2.10.1"})
    process = repository.run(python, "tools/environment.py", "--check")
    assert process.returncode == 1 and "no torch that fits" in process.err and repository.logged() == []
    assert f"ran {repository.venv}" in repository.make("chapter03", f"PYTHON={python}").out
    assert repository.logged() == MADE


def test_missing_packages_are_named_with_the_command(repository, tmp_path):
    python = repository.python(tmp_path / "mine", torch="2.15.0", setuptools="81.0", cmake="3.25.1")
    (tmp_path / "bin").mkdir()
    ninja = tmp_path / "bin" / "ninja"
    ninja.symlink_to("/bin/true")  # a program only, as conda's and Debian's
    active = {"PATH": f"{ninja.parent}:/usr/bin:/bin"}
    process = repository.make("chapter03", f"PYTHON={python}", **active)
    assert process.returncode != 0 and f"{python} -m pip install 'numpy>=1.26,<3'\n" in process.err
    said = repository.make("test", f"PYTHON={python}", **active).err
    assert re.search(r"-m pip install 'numpy>=\S*' 'pytest>=.*'cmake>=\S*'\n", said)
    lint = " ".join(f"'{requirement}'" for requirement in environment.requirements("lint"))
    assert f"-m pip install {lint}\n" in repository.make("lint", f"PYTHON={python}", **active).err
    ninja.unlink()
    if not shutil.which("ninja", path=active["PATH"]):
        assert "'ninja>=" in repository.make("chapter03", f"PYTHON={python}", **active).err
    assert repository.logged() == []


# ---- .venv -------------------------------------------------------------------------------------------------------------


def test_made_once_then_mended_or_made_anew(repository):
    first = repository.make("chapter03")
    assert f"ran {repository.venv}/bin/python" in first.out and first.out.count("\n") == 1  # pip writes to stderr
    wanted = environment.requirements("dependencies", "cuda", "test", "pictures", "lint")
    assert repository.log.read_text().splitlines()[1].split("|")[-len(wanted) :] == wanted
    assert repository.logged() == MADE
    second = repository.make("chapter03")
    assert second.out == first.out and second.err == "" and repository.logged() == []

    pyproject, stamp = repository.root / "pyproject.toml", repository.venv / "made-from"
    pyproject.write_text(pyproject.read_text().replace('"numpy>=1.26,<3",', '"numpy>=2,<3",'))
    repository.make("setup")
    assert "|numpy>=2,<3|" in repository.log.read_text() and repository.logged() == ["pip", "pip done"]

    (repository.venv / SITE / "torch").rmdir()  # an upgrade of the interpreter looks like this, too
    repository.make("setup")
    assert repository.logged() == MADE
    (repository.venv / "bin" / "python").unlink()
    (repository.venv / "bin" / "python").symlink_to("/no/such/python")
    repository.make("setup")
    assert repository.logged() == MADE

    stamp.write_text(stamp.read_text().replace(BASE, "/another/python3"))
    repository.make("setup")
    assert repository.logged() == []  # python3 is now another one, and nobody asked for it
    repository.make("setup", f"PYTHON={repository.plain}")
    assert repository.logged() == MADE


def test_killed_and_run_again(repository):
    for fake, where in ("hang in venv", "venv"), ("slow 60", "pip"), ("slow 60", "pip"):
        process = repository.start("make", "chapter03", FAKE=fake)
        repository.wait_for(where)
        repository.kill(process)
        repository.logged()
        assert "ran" in repository.make("chapter03").out
        assert repository.logged() == MADE  # afresh: what that pip left cannot be trusted
        assert not (repository.venv / SITE / "half").exists()
        if where == "venv":
            shutil.rmtree(repository.venv)
        else:  # the last time, pip is to mend what there is
            pyproject = repository.root / "pyproject.toml"
            pyproject.write_text(pyproject.read_text().replace("numpy>=1.26", "numpy>=2"))


def test_interrupted_and_failed(repository):
    process = repository.start("make", "chapter03", FAKE="slow 60")
    repository.wait_for("pip")
    said = repository.kill(process, signal.SIGINT)
    assert "Run the same command again" in said and 'File "' not in said.split("Interrupted")[1]
    process = repository.make("chapter03", FAKE="fail")
    assert process.returncode != 0 and process.out == "" and "Traceback" not in process.err
    assert "no network" in process.err and "unfinished" in process.err and "Run the same command again" in process.err
    assert "ran" in repository.make("chapter03").out


def test_one_at_a_time(repository):
    """Three at once; then a pip that outlives its killed make."""
    processes = [repository.start("make", "chapter03", FAKE="slow 0.5") for _ in range(3)]
    assert all("ran" in process.communicate()[0] for process in processes)
    assert repository.logged() == MADE
    shutil.rmtree(repository.venv)
    process = repository.start(repository.plain, "tools/environment.py", FAKE="slow 1")
    repository.wait_for("pip")
    process.kill()
    second = repository.make("chapter03")
    assert "waiting" in second.err and "ran" in second.out
    assert repository.logged() == MADE * 2


def test_an_activated_venv_is_still_looked_after(repository):
    repository.make("setup")
    info = repository.venv / SITE / "torch-2.15.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: torch\nVersion: 2.15.0\n")
    (repository.venv / "made-from").write_text("")  # as after a kill
    (repository.venv / "bin" / "python3").symlink_to("python")
    activated = {"PATH": f"{repository.venv}/bin:{repository.environment['PATH']}"}
    assert "ran" in repository.make("chapter03", **activated).out
    assert repository.logged() == MADE * 2
    assert (repository.venv / "made-from").read_text().startswith(f"{BASE}\n")


def test_a_venv_of_the_readers_own_is_not_touched(repository):
    repository.python(repository.venv)
    before = listing(repository.venv)
    process = repository.make("chapter03")
    assert process.returncode != 0 and "was not made by this repository" in process.err
    assert listing(repository.venv) == before


def test_the_oldest_and_the_newest_have_environments_of_their_own(repository):
    repository.make("test-oldest")  # to run the tests there fails: this pip is of straw
    repository.make("test-newest")
    oldest, newest = (line.split("|") for line in repository.log.read_text().splitlines() if line.startswith("pip|"))
    assert {"torch==2.11.*", "numpy==1.26.*", "cmake==3.30.*"} < set(oldest) and "--upgrade" not in oldest
    assert {"torch>=2.11,<2.16", "--upgrade"} < set(newest)
    made = {folder.name for folder in repository.root.glob(".venv*") if (folder / "made-from").read_text()}
    assert made == {".venv-oldest", ".venv-newest"}


# ---- what is missing is said before anything is made -------------------------------------------------------------------


def test_a_bare_python_reads_pyproject_with_pips_copies(repository):
    """Debian's has no pip, only venv's wheel of it; and with no venv either, the command that installs one."""
    for name in "packaging", "tomli":
        (repository.straw / name).unlink(missing_ok=True)
    if not importlib.util.find_spec("ensurepip"):
        pytest.skip("this Python has no ensurepip")
    assert "ran" in repository.make("chapter03").out and repository.logged() == MADE
    hide = "import importlib.util as u; f = u.find_spec; u.find_spec = lambda x: None if x == 'ensurepip' else f(x)"
    shutil.rmtree(repository.venv)
    (repository.straw / "sitecustomize.py").write_text(hide)
    assert "sudo apt-get install python3." in repository.make("chapter03").err and repository.logged() == []


@pytest.mark.parametrize(
    "patch, said",
    [
        ("import sys; sys.version_info = (3, 9, 20)", "too old: make PYTHON="),
        ("import os, shutil; shutil.disk_usage = lambda path: os.terminal_size((0, 0)); "
         "shutil.disk_usage = lambda path: type('Usage', (), {'free': 1.5e9})", "has 1.5 GB free"),
    ],
    ids=["Python too old", "disk too small"],
)  # fmt: skip
def test_what_is_too_little_is_said(repository, patch, said):
    (repository.straw / "sitecustomize.py").write_text(patch)
    process = repository.make("chapter03")
    assert process.returncode != 0 and said in process.err and repository.logged() == []


def test_no_compiler(repository, tmp_path):
    command = [repository.plain, "tools/environment.py"]
    (tmp_path / "bin").mkdir()
    process = repository.run(*command, PATH=str(tmp_path / "bin"), CXX="")
    assert process.returncode == 1 and "No C++ compiler" in process.err and "apt-get install g++" in process.err
    assert "no-such-compiler" in repository.run(*command, CXX="no-such-compiler -O2").err
    assert repository.logged() == []
    (tmp_path / "bin" / "clang++").symlink_to("/bin/true")
    assert repository.run(*command, PATH=str(tmp_path / "bin"), CXX="").returncode == 0
    assert repository.run(*command, "--for", "lint", PATH="/none", CXX="").returncode == 0


# ---- one source for each fact ------------------------------------------------------------------------------------------


def test_pyproject_is_the_one_list():
    for requirement in environment.requirements(*environment.LISTS):
        bounds = sorted(s.operator for s in environment.Requirement(requirement).specifier)
        assert bounds in (["<", ">="], ["=="]) or requirement.startswith("cuda-toolkit["), (
            requirement
        )  # torch pins that
    for path in ".pre-commit-config.yaml", "environment.yml", "Makefile", ".ci/run", "tools/lint.py":
        for requirement in environment.requirements("lint"):
            assert requirement.partition("==")[2] not in (ROOT / path).read_text(), path


def test_conda_installs_from_pyproject():
    yaml = pytest.importorskip("yaml")
    conda = yaml.safe_load((ROOT / "environment.yml").read_text())
    assert conda["name"] == environment.PROJECT["project"]["name"]
    *tools, packages = conda["dependencies"]
    assert packages == {"pip": [f"-e .[{','.join(environment.PROJECT['project']['optional-dependencies'])}]"]}
    names = {environment.package(requirement) for requirement in environment.requirements("dependencies")}
    assert not names & {environment.package(tool) for tool in tools}


def test_lint_finds_and_format_mends(repository):
    for module in "ruff", "clang_format":
        pytest.importorskip(module)
    for folder in "chapters", "tools":
        shutil.rmtree(repository.root / folder)
    for name in "tools/lint.py", ".clang-format":
        (repository.root / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, repository.root / name)
    wrong = {"a.py": "import os\n", "b.py": "x = 'a'\n", "c.cu": "int  main( ){}\n", "d e.md": "text  \nmore"}
    for name, text in {**wrong, ".gitignore": "ignored.py\n", "ignored.py": "x  = 1"}.items():
        (repository.root / name).write_text(text)
    lint = [sys.executable, "tools/lint.py"]
    subprocess.run(["git", "init", "-q"], cwd=repository.root, check=True)
    process = repository.run(*lint)
    assert process.returncode != 0 and "ignored" not in process.out
    assert all(name in process.out + process.err for name in wrong)
    repository.run(*lint, "--fix")
    assert repository.run(*lint).returncode == 0
    assert (repository.root / "d e.md").read_text() == "text\nmore\n"
