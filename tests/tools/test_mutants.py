"""tools/maintain/mutants.py in a tiny project, and the rows of this one. Some seconds: a pytest process for each mutant."""

import re
import runpy
import subprocess
import sys

import pytest

from tests.support import ROOT

CODE = "def half(x):\n    return x // 2\n"
TESTS = """
import pathlib, pytest, code_under_test as code

@pytest.mark.parametrize("x", [0, 1])
def test_half(x):
    assert code.half(x) == 0

def test_of_a_larger_number():
    assert code.half(7) == 3

@pytest.fixture
def fixture():
    assert code.half(4) == 2

def test_with_a_fixture(fixture):
    pass

@pytest.mark.skip
def test_skipped():
    pass

def test_compiles():
    assert pathlib.Path("kernel.cu").read_text() == "int x;"

def test_crash():
    code.half(2) == 1 or __import__("os").abort()

def test_broken():
    assert False
"""
ROWS = """
from tools.maintain.mutants import Mutant

def mutant(replacement, tests, **more):
    return Mutant("code_under_test.py", "x // 2", replacement, tests, **more)

T = "tests/test_code.py::test_"
MUTANTS = [
    mutant("(x + 1) // 2", T + "half"),                                        # killed: by one of the two cases
    mutant("x // 2 + 1", [T + "half[1]", T + "of_a_larger_number"]),           # killed
    mutant("x // 2 + 1", T + "crash"),                                         # killed
    Mutant("tests/test_code.py", "int x", "long x", T + "compiles"),           # killed
    mutant("x // 3", [T + "of_a_larger_number", T + "half[0]"]),               # survived
    mutant("__import__('time').sleep(99)", T + "half"),                        # no end
    mutant("x // 3", T + "skipped"),                                           # not judged
    mutant("x // 3", T + "half", gpus=1),                                      # not judged
    mutant("x //", T + "half"),                                                # invalid: no Python
    mutant("x // 3", T + "with_a_fixture"),                                    # invalid: an error outside of its body
    Mutant("code_under_test.py", "x", "y", T + "half"),                        # invalid: more than one x
    mutant("x // 3", T + "broken"),                                            # invalid: it fails anyway
    mutant("x // 3", T + "that_is_not_there"),                                 # invalid
    Mutant("kernel.cu", "int", "kernel.cu:1:5: error: oops", T + "compiles"),  # invalid: not compiled
]
"""


@pytest.fixture
def project(tmp_path):
    for name, text in {
        "code_under_test.py": CODE,
        "kernel.cu": "int x;",
        "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
        "tests/test_code.py": TESTS,
        "tests/area/mutants_of_half.py": ROWS,
        "tools/maintain/mutants.py": (ROOT / "tools/maintain/mutants.py")
        .read_text()
        .replace("TIMEOUT = 900", "TIMEOUT = 10"),
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def run(project, *arguments):
    command = [sys.executable, "-m", "tools.maintain.mutants", "--gpus", "0", "--workers", "2", *arguments]
    return subprocess.run(command, cwd=project, capture_output=True, text=True)


def files(folder):
    found = {path.relative_to(folder): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_text() for name, path in found.items() if not {"build", "__pycache__"} & {*name.parts}}


def test_every_verdict_and_restored_afterwards(project):
    stale = project / "build" / "mutants" / "0" / "tests" / "test_removed.py"
    stale.parent.mkdir(parents=True)
    stale.touch()
    before = files(project)
    done = run(project, "area")
    assert "\n14 mutants: 4 killed, 1 survived, 1 no end, 6 invalid, 2 not judged; " in done.stdout, done.stdout
    assert re.search(r"\nsurvived: code_under.*x // 3.*\n +tests/test_code.py::test_half.0.: PASSED", done.stdout)
    for why in "text stands 2 times", "kernel.cu:1:5: error", "compile: invalid syntax", "test_half: no end":
        assert why in done.stdout
    assert done.returncode == 1 and done.stderr == ""
    assert files(project) == before
    assert [files(copy) for copy in (project / "build" / "mutants").iterdir()] == [before] * 2


def test_only_those_asked_for(project):
    done = run(project, "tests/test_code.py")
    assert done.returncode == 0 and "\n1 mutants: 1 killed, 0 survived" in done.stdout, done.stdout
    assert "there are: area, code_under_test.py, kernel.cu, tests, tests/test_code.py" in run(project, "areas").stderr


@pytest.mark.parametrize(
    "path", sorted(ROOT.glob("tests/**/mutants*.py")), ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_rows_name_what_is_there(path, monkeypatch):
    """Every text stands exactly once in its file, and every test exists: so that a change of either updates the row."""
    wrong = []
    for mutant in runpy.run_path(str(path))["MUTANTS"]:
        count = (ROOT / mutant.file).read_text().count(mutant.text)
        wrong += [f"{mutant}: the text stands {count} times: change this row, as the code has changed"] * (
            count != 1 or mutant.text == mutant.replacement
        )
        for name in mutant.names:
            file, test = re.fullmatch(r"(tests/[\w/]+/test_\w+\.py)::(test_\w+)(?:\[.*\])?", name).groups()
            wrong += [f"{mutant}: no {name}"] * (f"def {test}(" not in (ROOT / file).read_text())
    assert not wrong, "\n".join(wrong)
