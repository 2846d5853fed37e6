"""tools/mutants.py in a tiny project, and the rows of this one. Some seconds: a pytest process for each mutant."""

import importlib.util
import re
import subprocess
import sys

import pytest
from support import ROOT

CODE = "def half(x):\n    return x // 2\n\n\nready = True\n"
TESTS = """
import pathlib, pytest, code_under_test as code

@pytest.mark.parametrize("x", [0, 1])
def test_half(x):
    assert code.half(x) == 0

def test_of_a_larger_number():
    assert code.half(7) == 3

def test_that_is_weak():
    assert code.half(0) == 0

@pytest.fixture
def ready():
    assert code.ready

def test_with_a_fixture(ready):
    pass

@pytest.mark.skip
def test_skipped():
    pass

def test_compiles():
    text = pathlib.Path("kernel.cu").read_text()
    assert "4" in text or "oops" not in text, "kernel.cu:1:5: error: oops"

def test_crash():
    code.half(2) == 1 or __import__("os").abort()

def test_broken():
    assert False
"""
ROWS = """
from mutants import Mutant

def mutant(replacement, tests, **more):
    return Mutant("code_under_test.py", "x // 2", replacement, tests, **more)

T = "tests/test_code.py::test_"
MUTANTS = [
    mutant("(x + 1) // 2", T + "half"),                                        # killed: by one of the two cases
    mutant("(x + 1) // 2", [T + "half[1]", T + "of_a_larger_number"]),         # killed
    mutant("x // 2 + 1", T + "crash"),                                         # killed
    mutant("x // 3", T + "that_is_weak"),                                      # survived
    mutant("x // 3", [T + "of_a_larger_number", T + "that_is_weak"]),          # survived
    mutant("x // 3", T + "skipped"),                                           # not judged
    mutant("x // 3", T + "half", gpus=1),                                      # not judged
    mutant("x //", T + "half"),                                                # invalid: no Python
    Mutant("code_under_test.py", "ready = True", "ready = False", T + "with_a_fixture"),  # invalid: no test's body
    Mutant("code_under_test.py", "x", "y", T + "half"),                        # invalid: more than one x
    mutant("x // 3", T + "broken"),                                            # invalid: it fails anyway
    mutant("x // 3", T + "that_is_not_there"),                                 # invalid
    Mutant("kernel.cu", "int x", "oops", T + "compiles"),                      # invalid: not compiled
]
"""


@pytest.fixture
def project(tmp_path):
    for name, text in {
        "code_under_test.py": CODE,
        "kernel.cu": "int x;\n",
        "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
        "tests/test_code.py": TESTS,
        "tests/mutants/area.py": ROWS,
        "build/large": "",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def run(project, *arguments):
    command = [sys.executable, ROOT / "tools" / "mutants.py", "--gpus", "0", "--workers", "2", *arguments]
    return subprocess.run(command, cwd=project, capture_output=True, text=True)


def files(folder):
    found = [p for p in folder.rglob("*") if p.is_file() and not {"build", "__pycache__"} & {*p.parts}]
    return {p.relative_to(folder): p.read_text() for p in found}


def test_every_verdict_and_restored_afterwards(project):
    before = files(project)
    done = run(project)
    verdicts = re.findall(r"^ *\d+ of 13  (killed|survived|invalid|not judged) ", done.stdout, re.M)
    assert sorted(verdicts) == ["invalid"] * 6 + ["killed"] * 3 + ["not judged"] * 2 + ["survived"] * 2, done.stdout
    assert "\n13 mutants: 3 killed, 2 survived, 6 invalid, 2 not judged on this machine; " in done.stdout
    assert re.search(
        r"survived: code_under_test.py: .*x // 3.*\n +tests/test_code.py::test_that_is_weak: passed", done.stdout
    )
    assert "the text stands 2 times in code_under_test.py" in done.stdout
    assert "kernel.cu:1:5: error" in done.stdout and "does not compile: invalid syntax" in done.stdout
    assert done.returncode == 1 and done.stderr == ""
    assert files(project) == before
    copies = list((project / "build" / "mutants").iterdir())
    assert len(copies) == 2 and all(files_of(copy, before) for copy in copies)


def files_of(copy, expected):
    there = {p.relative_to(copy): p.read_text() for p in copy.rglob("*") if p.is_file()}
    return {p: text for p, text in there.items() if p.parts[0] != "build"} == expected


def test_only_those_asked_for(project):
    rows = project / "tests" / "mutants" / "area.py"
    rows.write_text(ROWS.partition("MUTANTS")[0] + 'MUTANTS = [mutant("x // 3", T + "of_a_larger_number")]\n')
    (project / "tests" / "mutants" / "another.py").write_text(
        ROWS.partition("MUTANTS")[0] + 'MUTANTS = [Mutant("kernel.cu", "int x", "", T + "that_is_weak")]\n'
    )
    done = run(project, "area")
    assert done.returncode == 0 and "1 mutants: 1 killed, 0 survived" in done.stdout, done.stdout
    done = run(project, "kernel.cu")
    assert done.returncode == 1 and "1 mutants: 0 killed, 1 survived" in done.stdout, done.stdout
    assert "there are: another, area, code_under_test.py, kernel.cu" in run(project, "areas").stderr


@pytest.mark.parametrize("path", sorted((ROOT / "tests" / "mutants").glob("*.py")), ids=lambda path: path.stem)
def test_rows_name_what_is_there(path, monkeypatch):
    """Every text stands exactly once in its file, and every test exists: so that a change of either updates the row."""
    monkeypatch.setitem(sys.modules, "mutants", load(ROOT / "tools" / "mutants.py", "mutants", monkeypatch))
    wrong = []
    for mutant in load(path, f"mutants_of_{path.stem}", monkeypatch).MUTANTS:
        count = (ROOT / mutant.file).read_text().count(mutant.text)
        wrong += [f"{mutant}: the text stands {count} times"] * (count != 1 or mutant.text == mutant.replacement)
        for name in mutant.names:
            file, test = re.fullmatch(r"(tests/\w+/test_\w+\.py)::(test_\w+)(?:\[.*\])?", name).groups()
            wrong += [f"{mutant}: no {name}"] * (f"def {test}(" not in (ROOT / file).read_text())
    assert not wrong, "\n".join(wrong)


def load(path, name, monkeypatch):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    return module
