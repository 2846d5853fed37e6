"""What holds in all rooms: marks, fixtures, and how tests share a machine. Functions that tests share are in support.py.

`make test` runs the tests in one process a core (pytest-xdist); these processes are called workers here.
"""

import contextlib
import fcntl
import os
import shutil
import sys
import time
import uuid
from pathlib import Path

import pytest
from support import CHAPTERS, CMAKE_TARGETS, ROOT, chapter, operators

SHARED = ROOT / "build" / "tests" / "workers"  # files by which the workers of a run agree


def is_worker(config):
    return hasattr(config, "workerinput")


def starts_workers(config):
    return not is_worker(config) and bool(getattr(config.option, "numprocesses", None))


def pytest_configure(config):
    """Before the workers start: together they get a thread and a compiler a core, not as many each. CMake builds more than
    any chapter, so it gets half of the cores."""
    if starts_workers(config):
        cores, workers = os.cpu_count(), config.option.numprocesses
        for name, share in ("OMP_NUM_THREADS", workers), ("MAX_JOBS", workers), ("CMAKE_BUILD_PARALLEL_LEVEL", 2):
            os.environ.setdefault(name, str(max(1, cores // share)))
        config.option.testrunuid = uuid.uuid4().hex


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers():
    """What `-n auto` means: a worker a core. On a GPU they take turns, and each needs memory of its own there."""
    from common import device

    return min(os.cpu_count(), 8) if device.type == "cuda" else os.cpu_count()


def is_alone(item):
    return item.get_closest_marker("alone") is not None


def is_thorough(item):
    return item.get_closest_marker("thorough") is not None


MEASURES = "test_harness_gpu", "test_wrong_operators"  # files whose tests ask how long a kernel takes


@pytest.hookimpl(tryfirst=True)  # before pytest looks at -m, and xdist at groups
def pytest_collection_modifyitems(items):
    """Marks what no lesson needs: the tools, and what a lesson builds only if one asks for it (chapter 03's --one-file). And
    sorts the tests: those that keep a process busy for long come first, those that must be alone last, in one process."""
    from common import device

    for item in items:
        op = getattr(item, "callspec", None) and item.callspec.params.get("op")
        if Path(item.path).parent.name == "tools" or getattr(op, "build", "build") != "build":
            item.add_marker(pytest.mark.thorough)
        if device.type == "cuda" and Path(item.path).stem in MEASURES:
            item.add_marker(pytest.mark.alone)
        if is_alone(item):
            item.add_marker(pytest.mark.xdist_group("alone"))
    items.sort(key=lambda item: (is_alone(item), item.get_closest_marker("xdist_group") is None))


# ---- every extension is built once, and all of them at the beginning -------------------------------------------------


def builds(items):
    """{name: function} of what these tests need built, the longest first."""
    from common import cmake

    wanted = [folder.name for folder in CHAPTERS if any(folder.name in item.nodeid for item in items)]
    thorough = {Path(item.path).stem for item in items if is_thorough(item)}
    found = {}

    def cmake_build():  # one for all of it, as it holds the lock of their folder
        if "test_05_cmake" in thorough:
            cmake.build("CMake", [], ["all"])
            chapter("05_cmake").export_model()
        else:
            cmake.build("CMake", [], CMAKE_TARGETS)

    if "05_cmake" in wanted:
        found["05_cmake"] = cmake_build
        wanted.remove("05_cmake")
    for name in sorted(wanted, key="04_package".__ne__):
        for build in (word for word in dir(chapter(name)) if word.startswith("build")):
            if build == "build" or thorough:
                found[f"{name} {build}"] = lambda name=name, build=build: operators(name, build)
    return found


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    """Each worker takes the next build that none has begun; when there is none left, it starts on the tests. A test that
    comes too early waits for its build: common/progress.py locks the folder. What fails here fails in a test again."""
    if not is_worker(session.config):
        return
    terminal = session.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled
    claims = SHARED / session.config.workerinput["testrunuid"]
    todo = {}
    with contextlib.suppress(Exception, SystemExit):  # of a chapter that cannot even be imported
        todo = builds(session.items)
    for name, build in todo.items():
        with contextlib.suppress(FileExistsError):
            (claims / name).mkdir(parents=True)
            start = time.monotonic()
            with turn(alone=False), contextlib.suppress(Exception, SystemExit):
                build()
            with terminal():
                print(f"build   {name:<32}{time.monotonic() - start:6.1f} s", file=sys.stderr, flush=True)


def pytest_sessionfinish(session):
    if starts_workers(session.config):
        shutil.rmtree(SHARED / session.config.option.testrunuid, ignore_errors=True)


# ---- tests that need the machine for themselves ----------------------------------------------------------------------


@contextlib.contextmanager
def turn(alone):
    """Any number of tests side by side, or one that is marked alone."""
    SHARED.mkdir(parents=True, exist_ok=True)
    with open(SHARED / "machine", "w") as machine:
        fcntl.flock(machine, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        yield


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    with turn(is_alone(item)) if is_worker(item.config) else contextlib.nullcontext():
        yield


# ---- fixtures --------------------------------------------------------------------------------------------------------


@pytest.fixture(params=["forward", "reverse"])
def thread_order(request, monkeypatch):
    """CUDA on CPU runs the threads of a block first to last, and with CUDA_REVERSE=1 last to first."""
    from common import device

    if device.type == "cuda" and request.param == "reverse":
        pytest.skip("a GPU has no thread order to reverse")
    monkeypatch.setenv("CUDA_REVERSE", str(int(request.param == "reverse")))
    return request.param
