"""tests/conftest.py: what workers build first, and that a test marked alone is alone."""

import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import torch

import common
from tests import conftest
from tests.support import CHAPTERS


def test_alone(tmp_path, monkeypatch):
    """Two may run side by side. One that wants to be alone waits for both."""
    monkeypatch.setattr(conftest, "ROOT", tmp_path)
    events, may_end = [], threading.Event()

    def run(alone):
        with conftest.turn(alone):
            events.append("begins")
            may_end.wait(10)
            events.append("ends")

    threads = [threading.Thread(target=run, args=[alone]) for alone in (False, False, True, True)]
    for thread in threads:
        thread.start()
        time.sleep(0.2)
    assert events == ["begins"] * 2
    may_end.set()
    for thread in threads:
        thread.join()
    assert events == ["begins"] * 2 + ["ends"] * 2 + ["begins", "ends"] * 2


def item(nodeid, *marks, **params):
    found = list(marks)
    return SimpleNamespace(
        nodeid=nodeid,
        path=Path(nodeid.partition("::")[0]),
        callspec=SimpleNamespace(params=params),
        get_closest_marker=lambda name: SimpleNamespace(args=("alone",)) if name in found else None,
        add_marker=lambda mark: found.append(mark.name),
    )


def test_only_what_the_tests_need_is_built():
    one = item("tests/chapters/03_add2/test_add2.py::test_x")
    assert list(conftest.builds([one])) == ["03_add2 build"]
    several = [one, item("tests/chapters/test_operators.py::test_x[05_cmake.axpy]")]
    assert list(conftest.builds(several)) == ["05_cmake build", "03_add2 build"]
    everything = [item(f"tests/chapters/test_{folder.name}.py::test_x", "thorough") for folder in CHAPTERS]
    assert {"03_add2 build_notes", "04_package build_with_load"} < set(conftest.builds(everything))


def test_marks_and_order(monkeypatch):
    monkeypatch.setattr(common, "device", torch.device("cuda"))
    monkeypatch.delenv("CHAPTERS_PART", raising=False)  # which .ci/run sets
    items = [
        item("tests/tools/test_x.py::test_x"),
        item("tests/chapters/test_x.py::test_x", op=SimpleNamespace(build="build_notes")),
        item("tests/chapters/test_x.py::test_x", op=SimpleNamespace(build="build")),
        item("tests/chapters/test_x.py::test_x", op="a name"),
    ]
    alone = [item("x/test_x.py::test_x", "alone"), item("tests/common/test_harness_gpu.py::test_x")]
    group = item("x/test_x.py::test_x", "xdist_group")
    found = [*alone, *items, group]
    conftest.pytest_collection_modifyitems(None, found)
    assert found == [group, *items, *alone]
    assert [conftest.marked(i, "thorough") for i in items] == [True, True, False, False]
    assert all(conftest.marked(i, "alone") and conftest.marked(i, "xdist_group") for i in alone)


def test_the_tests_of_a_chapter():
    of_03 = "tests/chapters/03_add2/test_add2.py::test_x", "tests/chapters/test_operators.py::test_x[03_add2.add2]"
    others = "tests/chapters/13_softmax/test_softmax.py::test_x[03]", "tests/grader/test_exercises.py::test_x[13.03-a]"
    for nodeid in *of_03, "tests/grader/test_exercises.py::test_x[03.2-solution]":
        assert conftest.of_chapter(item(nodeid), "03")
    assert not any(conftest.of_chapter(item(nodeid), "03") for nodeid in others)


def test_a_part_of_the_thorough_tests(monkeypatch):
    """Together, the parts have each thorough test once; what is in one group is in one part; other tests are in all."""
    group = [item(f"x/test_x.py::test_{i}", "thorough", "xdist_group") for i in "ab"]
    others = [item(f"x/test_x.py::test_{i}", "thorough") for i in range(4)]
    always, parts, left_out = item("x/test_x.py::test_always"), [], []
    config = SimpleNamespace(hook=SimpleNamespace(pytest_deselected=lambda items: left_out.extend(items)))
    for part in "1/2", "2/2":
        monkeypatch.setenv("CHAPTERS_PART", part)
        parts.append(found := [*group, *others, always])
        conftest.pytest_collection_modifyitems(config, found)
    sizes = [len(part) for part in parts]
    assert sorted(sizes) in ([3, 5], [4, 4]) and all(part.count(always) == 1 for part in parts)
    assert all(sum(i in part for part in parts) == left_out.count(i) == 1 for i in (*group, *others))
    assert any(group[0] in part and group[1] in part for part in parts)


def test_a_group_runs_in_one_process(tmp_path):
    """pytest and pytest-xdist have to fit for that; where they do not, tests that share a folder fight for it. 2 s."""
    (tmp_path / "test_group.py").write_text(
        "import os, pathlib, pytest, time\n"
        "@pytest.mark.xdist_group('group')\n"
        "@pytest.mark.parametrize('i', range(8))\n"
        "def test_worker(i):\n"
        "    time.sleep(0.05)\n"
        "    pathlib.Path('in_' + os.environ['PYTEST_XDIST_WORKER']).touch()\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-n2", "--dist=loadgroup", "--no-loadscope-reorder"]
    subprocess.run([*command, "--rootdir=."], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    assert len(list(tmp_path.glob("in_*"))) == 1
