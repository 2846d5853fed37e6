"""tools/environment.py and the Makefile, without network: a copy in a temporary folder, its venv and pip of straw."""

import ast
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VERSION = f"python{sys.version_info[0]}.{sys.version_info[1]}"
SITE = Path("lib") / VERSION / "site-packages"

# `python -m venv DIR`, with a pip that pretends. Both do what the environment's FAKE says, and leave a line in $LOG.
VENV = """
import os, pathlib, sys, time
log = open(os.environ["LOG"], "a")
print("venv", file=log, flush=True)
if os.environ.get("FAKE") == "hang in venv":
    time.sleep(60)
sys.path.remove(os.path.dirname(__file__))
del sys.modules["__main__"]
import venv  # the real one
venv.EnvBuilder(symlinks=True).create(sys.argv[1])
site = pathlib.Path(sys.argv[1]) / "SITE"
(site / "pip").mkdir()
(site / "pip" / "__main__.py").write_text('''PIP''')
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
cuda = site / "nvidia" / "cu13"
for name in "bin/nvcc", "lib/libcudart.so.13", "lib/libnvrtc.so.13", "lib/libcupti.so.13":
    (cuda / name).parent.mkdir(parents=True, exist_ok=True)
    (cuda / name).touch()
print("pip done", file=log, flush=True)
"""
SHOW = '''"""Chapter {number}: what {name} is about."""
import sys
print("ran", sys.executable, sys.argv[1:])
'''


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
        straw = folder / "straw"
        straw.mkdir()
        (straw / "venv.py").write_text(VENV.replace("SITE", str(SITE)).replace("PIP", PIP))
        (straw / "ensurepip.py").touch()
        self.straw = straw
        self.plain = self.python(folder / "plain")
        self.environment = {
            "HOME": str(folder),
            "LOG": str(self.log),
            "PYTHONPATH": str(straw),
            "PATH": f"{self.plain.parent}:/usr/local/bin:/usr/bin:/bin",
            "CXX": "true",  # any program: these tests compile nothing
        }

    def chapter(self, name):
        (self.root / "chapters" / name).mkdir(parents=True)
        text = SHOW.format(number=name[:2], name=name[3:])
        (self.root / "chapters" / name / "main.py").write_text(text)

    @staticmethod
    def python(folder, **packages):
        """A Python of its own in `folder`, with metadata of these packages and nothing else."""
        subprocess.run([f"{sys.base_prefix}/bin/{VERSION}", "-I", "-m", "venv", "--without-pip", folder], check=True)
        for name, version in packages.items():
            info = folder / SITE / f"{name}-{version}.dist-info"
            info.mkdir()
            (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        return folder / "bin" / "python3"

    def start(self, *command, **environment):
        return subprocess.Popen(
            command,
            cwd=self.root,
            env={**self.environment, **environment},
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # `make test &` ignores it
        )

    def run(self, *command, **environment):
        process = self.start(*command, **environment)
        process.out, process.err = process.communicate(timeout=30)
        return process

    def make(self, *arguments, **environment):
        return self.run("make", *arguments, **environment)

    def logged(self):
        """What venv and pip were asked for, by the first word."""
        return [line.partition("|")[0] for line in self.log.read_text().splitlines()]

    def wait_for(self, word):
        for _ in range(500):
            if word in self.logged():
                return
            time.sleep(0.02)
        raise AssertionError(f"no {word} in {self.logged()}")


@pytest.fixture
def repository(tmp_path):
    return Repository(tmp_path)


COMPLETE = {"torch": "2.15.0+cu132", "numpy": "2.4.6", "ninja": "1.13.2", "setuptools": "81.0.0"}
MADE = ["venv", "pip", "pip done"]


# The Makefile


def test_make_alone_lists_targets_and_chapters(repository):
    lines = repository.make().out.splitlines()
    for target in "setup", "test", "lint", "format", "clean", "sanitizeNN", "chapterNN", "chapter03":
        assert any(re.match(rf"make {target} +\w", line) for line in lines), target
    assert "make chapter01    what hello is about." in lines
    assert "make chapter03    what add2 is about." in lines


def test_every_target_is_listed(repository):
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), flags=re.M)
    assert {"setup", "test"} < set(targets)
    for target in set(targets) - {"help"}:
        assert f"make {target} " in repository.make().out


def test_a_new_chapter_needs_no_list(repository):
    repository.chapter("17_new")
    assert "make chapter17    what new is about." in repository.make().out
    assert repository.make("chapter17").out.startswith("ran ")


def test_unknown_chapter_says_which_there_are(repository):
    for target in "chapter02", "sanitize02", "chapter3":
        process = repository.make(target)
        assert process.returncode != 0
        assert "there are: 01 03" in process.err
    assert repository.logged() == []  # and nobody waited for an installation to hear that


def test_folder_names_are_no_commands(repository):
    repository.chapter("07_$(touch pwned) `touch pwned`; touch pwned")
    repository.chapter("08_two words")
    assert repository.make().returncode == 0
    for number in "07", "08":
        repository.make(f"chapter{number}")
        repository.make(f"sanitize{number}")
    assert not list(repository.root.rglob("pwned"))


COMMANDS = [
    "$(touch pwned) $(shell touch pwned) `touch pwned`",
    "; touch pwned;\ntouch pwned\n| touch pwned #",
    '"; touch pwned; "',
    "'; touch pwned; '",
]


@pytest.mark.parametrize("text", COMMANDS)
def test_nothing_that_is_passed_is_a_command(repository, tmp_path, text):
    usual = {"PYTHON": str(repository.python(tmp_path / "mine", **COMPLETE))}
    read = dict.fromkeys(["ARGS", "CHAPTERS_DEVICE", "TORCH_CUDA_ARCH_LIST", "MAX_JOBS", "CUDA_HOME"], text)
    lessons = repository.make("chapter03", **usual | read), repository.make("chapter03", f"ARGS={text}", **usual)
    for target in "sanitize03", "doctor":
        repository.make(target, **usual, ARGS=text)
    for name in "PYTHON", "CXX":
        repository.make("chapter03", **usual | {name: text})
    repository.make("chapter03", f"PYTHON={text}")
    for target in "chapter", "sanitize", "bench":
        assert repository.make(f"{target}{text}").returncode != 0
    assert not list(tmp_path.rglob("pwned"))
    for process in lessons:
        assert process.out.endswith(f" {shlex.split(text)}\n")


def test_arguments_reach_the_lesson(repository):
    assert "['-n', '2 3']" in repository.make("chapter01", "ARGS=-n '2 3'").out
    assert "ARGS=-n '2: No closing quotation" in repository.make("chapter01", "ARGS=-n '2").err


def test_sanitize_runs_the_lesson_through_its_tool(repository):
    assert "through ['chapters/03_add2/main.py', '-n', '2']" in repository.make("sanitize03", "ARGS=-n 2").out


def test_clean_removes_build_only(repository):
    repository.make("setup")
    (repository.root / "build" / "x").mkdir(parents=True)
    assert repository.make("clean").returncode == 0
    assert not (repository.root / "build").exists()
    assert repository.venv.exists()


def test_unknown_python(repository):
    process = repository.make("chapter01", "PYTHON=python9.9")
    assert process.returncode != 0
    assert process.err.startswith("PYTHON=python9.9: no such program\nmake: ***")


def test_a_failing_lesson_fails(repository):
    (repository.root / "chapters/01_hello/main.py").write_text("raise SystemExit(3)")
    assert repository.make("chapter01").returncode != 0


# A Python that has torch


@pytest.mark.parametrize("version", ["2.11", "2.11.0+cu130", "2.13.1", "2.15.0a0+git123", "2.15.9"])
def test_fitting_torch_is_used_as_it_is(repository, tmp_path, version):
    python = repository.python(tmp_path / "mine", **{**COMPLETE, "torch": version})
    before = sorted((tmp_path / "mine").rglob("*"))
    for process in (
        repository.make("chapter03", f"PYTHON={python}"),
        repository.make("chapter03", PATH=f"{python.parent}:{repository.environment['PATH']}"),
    ):
        assert f"ran {python}" in process.out
        assert process.err == ""
    assert repository.logged() == []
    assert not repository.venv.exists()
    assert sorted((tmp_path / "mine").rglob("*")) == before


@pytest.mark.parametrize("version", ["2.10.1", "2.9.0", "2.16", "2.16.0", "3.0"])
def test_any_other_torch_gets_a_venv(repository, tmp_path, version):
    python = repository.python(tmp_path / "mine", **{**COMPLETE, "torch": version})
    assert f"ran {repository.venv}" in repository.make("chapter03", f"PYTHON={python}").out
    assert repository.logged() == MADE


def test_missing_packages_are_named_with_the_command(repository, tmp_path):
    python = repository.python(tmp_path / "mine", torch="2.15.0", setuptools="81.0", ninja="1.13", cmake="3.25.1")
    process = repository.make("chapter03", f"PYTHON={python}")
    assert process.returncode != 0
    assert f"{python} -m pip install 'numpy>=1.26,<3'\n" in process.err
    process = repository.make("test", f"PYTHON={python}")
    assert re.search(r"-m pip install 'numpy>=.*' 'pytest>=.*' 'pybind11>=.*' 'cmake>=.*'\n", process.err)
    process = repository.make("lint", f"PYTHON={python}")
    assert re.search(
        r"-m pip install 'ruff==[\d.]+' 'clang-format==[\d.]+' 'pre-commit==[\d.]+' 'mypy==[\d.]+' 'build==[\d.]+'\n",
        process.err,
    )
    assert repository.logged() == []


def test_a_ninja_that_is_a_program_only_will_do(repository, tmp_path):
    python = repository.python(tmp_path / "mine", torch="2.15.0", setuptools="81.0", numpy="2.0")
    path = f"{tmp_path}/bin:/usr/bin:/bin"
    without = {name: path for name in ["PATH"] if not shutil.which("ninja", path=path)}
    if without:
        assert "'ninja>=" in repository.make("chapter03", f"PYTHON={python}", **without).err
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "ninja").symlink_to("/bin/true")
    assert "ran" in repository.make("chapter03", f"PYTHON={python}", PATH=path).out


def test_an_nvcc_from_pypi_gets_its_links(repository, tmp_path):
    python = repository.python(tmp_path / "mine", **COMPLETE)
    cuda = tmp_path / "mine" / SITE / "nvidia" / "cu13"
    for name in "bin", "lib":
        (cuda / name).mkdir(parents=True)
    (cuda / "lib" / "libcudart.so.13").touch()
    repository.make("chapter03", f"PYTHON={python}")
    assert not (cuda / "lib" / "libcudart.so").exists()  # no nvcc: not ours to change
    (cuda / "bin" / "nvcc").touch()
    repository.make("chapter03", f"PYTHON={python}")
    assert (cuda / "lib" / "libcudart.so").resolve().name == "libcudart.so.13"


# .venv


def test_venv_is_made_once(repository):
    first = repository.make("chapter03")
    assert f"ran {repository.venv}/bin/python" in first.out
    assert first.out.count("\n") == 1  # pip's words go to stderr: stdout is the lesson's
    pip = repository.log.read_text().splitlines()[1].split("|")
    wanted = [
        *pyproject()["project"]["dependencies"],
        *(
            r
            for name in ("cuda", "test", "pictures", "lint")
            for r in pyproject()["project"]["optional-dependencies"][name]
        ),
    ]
    assert pip[-len(wanted) :] == wanted

    second = repository.make("chapter03")
    assert second.out == first.out
    assert second.err == ""
    assert repository.logged() == MADE


def test_links_are_made(repository):
    repository.make("setup")
    lib = repository.venv / SITE / "nvidia" / "cu13" / "lib"
    for name in "libcudart", "libnvrtc", "libcupti":
        assert (lib / f"{name}.so").readlink() == Path(f"{name}.so.13")


def test_changed_dependencies_are_installed_over(repository):
    repository.make("setup")
    text = (repository.root / "pyproject.toml").read_text()
    (repository.root / "pyproject.toml").write_text(text.replace('"numpy>=1.26,<3",', '"numpy>=2,<3",'))
    repository.make("setup")
    assert repository.logged() == [*MADE, "pip", "pip done"]
    assert "|numpy>=2,<3|" in repository.log.read_text()
    repository.make("setup")
    assert len(repository.logged()) == 5


@pytest.mark.parametrize("fake, where", [("hang in venv", "venv"), ("slow 60", "pip")])
def test_killed_and_run_again(repository, fake, where):
    process = repository.start("make", "chapter03", FAKE=fake)
    repository.wait_for(where)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    repository.log.write_text("")
    assert "ran" in repository.make("chapter03").out
    assert repository.logged() == MADE
    assert not (repository.venv / SITE / "half").exists()


def test_killed_while_installing_over(repository):
    repository.make("setup")
    with (repository.root / "tools/environment.py").open("a") as file:
        file.write("# another version\n")
    process = repository.start("make", "setup", FAKE="slow 60")
    while repository.logged().count("pip") < 2:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    repository.log.write_text("")
    repository.make("setup")
    assert repository.logged() == MADE  # afresh: what that pip left cannot be trusted


def test_interrupted(repository):
    process = repository.start("make", "chapter03", FAKE="slow 60")
    repository.wait_for("pip")
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate()
    assert "Run the same command again" in err
    assert 'File "' not in err.split("Interrupted")[1]
    assert "ran" in repository.make("chapter03").out


def test_pip_that_outlives_a_killed_make_is_waited_for(repository):
    process = repository.start(repository.plain, "tools/environment.py", FAKE="slow 1")
    repository.wait_for("pip")
    process.kill()
    second = repository.make("chapter03")
    assert "waiting" in second.err
    assert "ran" in second.out
    assert repository.logged() == MADE * 2


def test_two_at_once(repository):
    processes = [repository.start("make", "chapter03", FAKE="slow 0.5") for _ in range(3)]
    assert all("ran" in process.communicate()[0] for process in processes)
    assert repository.logged() == MADE


def test_failed_pip(repository):
    process = repository.make("chapter03", FAKE="fail")
    assert process.returncode != 0
    assert "no network" in process.err and "unfinished. Run the same command again" in process.err
    assert "Traceback" not in process.err and process.out == ""
    assert "ran" in repository.make("chapter03").out


def test_interpreter_gone(repository):
    repository.make("setup")
    python = repository.venv / "bin" / "python"
    python.unlink()
    python.symlink_to("/no/such/python")
    assert "ran" in repository.make("chapter03").out
    assert repository.logged() == MADE * 2


def test_torch_gone(repository):
    repository.make("setup")
    (repository.venv / SITE / "torch").rmdir()  # an upgrade of the interpreter looks like this, too
    repository.make("setup")
    assert repository.logged() == MADE * 2


def test_another_python_makes_it_anew_when_named(repository):
    repository.make("setup")
    stamp = repository.venv / "made-from"
    stamp.write_text(stamp.read_text().split()[0] + " /another/python3")
    repository.make("setup")
    assert repository.logged() == MADE  # python3 is now another one, and nobody asked for it
    repository.make("setup", f"PYTHON={repository.plain}")
    assert repository.logged() == MADE * 2


def test_activated_venv_is_still_looked_after(repository):
    repository.make("setup")
    info = repository.venv / SITE / "torch-2.15.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: torch\nVersion: 2.15.0\n")
    activated = {"PATH": f"{repository.venv}/bin:{repository.environment['PATH']}"}
    assert "ran" in repository.make("chapter03", **activated).out
    (repository.venv / "made-from").write_text("")  # as after a kill
    assert "ran" in repository.make("chapter03", **activated).out
    assert repository.logged() == MADE * 2
    assert (repository.venv / "made-from").read_text().endswith(f"{sys.base_prefix}/bin/{VERSION}")


def test_a_venv_of_the_readers_own_is_not_touched(repository):
    repository.python(repository.venv)
    before = sorted(repository.venv.rglob("*"))
    process = repository.make("chapter03")
    assert process.returncode != 0
    assert "was not made by this repository" in process.err
    assert sorted(repository.venv.rglob("*")) == before


# The oldest and the newest


def test_versions_are_environments_of_their_own(repository):
    repository.make("test-oldest")  # to run the tests there fails: this pip is of straw
    repository.make("test-newest")
    oldest, newest = (line.split("|") for line in repository.log.read_text().splitlines() if line.startswith("pip|"))
    assert {"torch==2.11.*", "numpy==1.26.*", "cmake==3.30.*"} < set(oldest) and "--upgrade" not in oldest
    assert {"torch>=2.11,<2.16", "--upgrade"} < set(newest)
    made = {folder.name for folder in repository.root.glob(".venv*") if (folder / "made-from").read_text()}
    assert made == {".venv-oldest", ".venv-newest"}


def test_every_requirement_has_both_bounds():
    project = pyproject()["project"]
    for requirement in [*project["dependencies"], *sum(project["optional-dependencies"].values(), [])]:
        exact = re.fullmatch(r"[\w-]+(==[\d.]+|>=[\d.]+,<[\d.]+)", requirement)
        assert exact or requirement.startswith("cuda-toolkit["), requirement  # which torch pins


# What is missing is said before anything is made


def patched(repository, patch):
    (repository.straw / "sitecustomize.py").write_text(patch)
    process = repository.make("chapter03")
    assert process.returncode != 0
    assert "pip" not in repository.logged()
    return process.err


def test_python_too_old(repository):
    assert "too old: make PYTHON=" in patched(repository, "import sys; sys.version_info = (3, 9, 20)")


def test_no_ensurepip(repository):
    (repository.straw / "ensurepip.py").unlink()
    hide = "import importlib.util as u; f = u.find_spec; u.find_spec = lambda x: None if x == 'ensurepip' else f(x)"
    assert "sudo apt-get install python3." in patched(repository, hide)
    assert not repository.venv.exists()


def test_disk_too_small(repository):
    small = "import collections, shutil; shutil.disk_usage = lambda path: collections.namedtuple('U', 'free')(1.5e9)"
    assert "has 1.5 GB free" in patched(repository, small)
    (repository.straw / "sitecustomize.py").unlink()
    assert "ran" in repository.make("chapter03").out


def test_no_compiler(repository, tmp_path):
    command = [repository.plain, "tools/environment.py"]
    (tmp_path / "bin").mkdir()
    process = repository.run(*command, PATH=str(tmp_path / "bin"), CXX="")
    assert process.returncode == 1
    assert "No C++ compiler" in process.err and "apt-get install g++" in process.err
    assert "no-such-compiler" in repository.run(*command, CXX="no-such-compiler -O2").err
    assert repository.logged() == []
    (tmp_path / "bin" / "clang++").symlink_to("/bin/true")
    assert repository.run(*command, PATH=str(tmp_path / "bin"), CXX="").returncode == 0
    assert repository.run(*command, "--for", "lint", PATH="/none", CXX="").returncode == 0


# One source for each fact


def pyproject():
    tomllib = pytest.importorskip("tomllib" if sys.version_info >= (3, 11) else "pip._vendor.tomli")
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_the_lists_are_read_as_toml_would():
    project = pyproject()["project"]
    names = "['dependencies', 'cuda', 'test', 'pictures', 'lint']"
    code = f"import sys; sys.path.insert(0, 'tools'); import environment; print(environment.requirements(*{names}))"
    printed = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    optional = project["optional-dependencies"]
    lists = [project["dependencies"], *(optional[name] for name in ("cuda", "test", "pictures", "lint"))]
    assert ast.literal_eval(printed) == sum(lists, [])


def test_conda_installs_from_pyproject():
    yaml = pytest.importorskip("yaml")
    conda = yaml.safe_load((ROOT / "environment.yml").read_text())
    project = pyproject()["project"]
    assert conda["name"] == project["name"]
    *tools, packages = conda["dependencies"]
    assert packages == {"pip": [f"-e .[{','.join(project['optional-dependencies'])}]"]}
    names = {re.match(r"[\w-]+", requirement)[0] for requirement in project["dependencies"]}
    assert not names & {re.match(r"[\w-]+", tool)[0] for tool in tools}


def test_exact_versions_stand_once():
    lint = pyproject()["project"]["optional-dependencies"]["lint"]
    versions = [re.fullmatch(r"[\w-]+==([\d.]+)", requirement)[1] for requirement in lint]
    for path in ".pre-commit-config.yaml", "environment.yml", "Makefile", ".ci/run", "tools/lint.py":
        assert not [version for version in versions if version in (ROOT / path).read_text()], path


# make lint


def test_lint_finds_and_format_mends(repository):
    for module in "ruff", "clang_format":
        pytest.importorskip(module)
    for name in "tools/lint.py", ".clang-format":
        shutil.copy(ROOT / name, repository.root / name)
    wrong = {
        "a.py": "import os\n",
        "b.py": "x = 'a'\n",
        "c.cu": "int  main( ){return 0;}\n",
        "d e.md": "text  \nmore",
    }
    lint = [sys.executable, "tools/lint.py"]
    shutil.rmtree(repository.root / "chapters")
    (repository.root / "tools" / "sanitize.py").unlink()
    subprocess.run(["git", "init", "-q"], cwd=repository.root, check=True)
    (repository.root / ".gitignore").write_text("ignored.py\n")
    (repository.root / "ignored.py").write_text("x  = 1")
    assert repository.run(*lint).returncode == 0
    for name, text in wrong.items():
        (repository.root / name).write_text(text)
        assert repository.run(*lint).returncode != 0, name
        repository.run(*lint, "--fix")
        assert repository.run(*lint).returncode == 0, name
    assert (repository.root / "d e.md").read_text() == "text\nmore\n"
