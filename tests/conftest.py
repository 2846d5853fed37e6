"""What holds in all rooms: marks, fixtures, and how tests share a machine. Functions that tests share are in support.py.

`make test` runs the tests in one process a core (pytest-xdist); these processes are called workers here.
"""

import contextlib
import fcntl
import itertools
import math
import operator
import os
import sys
import time
from pathlib import Path
from unittest import mock

import pytest

from cuda_on_cpu.report import found_by_cuda, told, with_sources
from tests.support import CHAPTERS, ROOT, chapter, operators
from tools.chapters import folders

MEASURES = "test_harness_gpu"  # the file whose tests ask how long a kernel takes


def pytest_configure(config):
    """Before the workers start: together they get a thread a core, not as many each. A build gets an eighth of the
    cores, since the last builds are waited for; CMake, which builds most, half of them."""
    if workers := getattr(config.option, "numprocesses", None):  # None in a worker
        for name, share in ("OMP_NUM_THREADS", workers), ("MAX_JOBS", 8), ("CMAKE_BUILD_PARALLEL_LEVEL", 2):
            os.environ.setdefault(name, str(max(1, os.cpu_count() // share)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers():
    """What `-n auto` means: a worker a core. On a GPU each needs memory of its own there: 4 GiB."""
    import torch

    from common import device

    there = torch.cuda.get_device_properties(0).total_memory >> 32 if device.type == "cuda" else math.inf
    return max(1, min(os.cpu_count(), there))


def pytest_addoption(parser):
    parser.addoption("--chapter", metavar="NN", help="only the tests of that chapter; -k chooses among them")


def is_worker(config):
    return hasattr(config, "workerinput")


def marked(item, name):
    return item.get_closest_marker(name) is not None


@pytest.hookimpl(tryfirst=True)  # before pytest looks at -m, and xdist at groups
def pytest_collection_modifyitems(config, items):
    """Marks what no lesson needs: the tools, and what a lesson builds only if one asks for it (--notes). And sorts the
    tests: those that keep a process busy for long come first, those that must be alone last, in one process.

    CHAPTERS_PART=2/3 leaves out two thirds of the thorough tests, and reports them as deselected: .ci/run sets it."""
    from common import device

    for item in items:
        op = getattr(item, "callspec", None) and item.callspec.params.get("op")
        if Path(item.path).parent.name == "tools" or getattr(op, "build", "build") != "build":
            item.add_marker(pytest.mark.thorough)
        if device.type == "cuda" and Path(item.path).stem == MEASURES:
            item.add_marker(pytest.mark.alone)
        if marked(item, "alone"):
            item.add_marker(pytest.mark.xdist_group("alone"))
    items.sort(key=lambda item: (marked(item, "alone"), not marked(item, "xdist_group")))

    if number := getattr(config, "option", None) and config.option.chapter:
        keep(config, items, [of_chapter(item, number) for item in items])
    if part := os.environ.get("CHAPTERS_PART"):
        first, parts = map(int, part.split("/"))
        thorough = sorted({what_runs_together(item) for item in items if marked(item, "thorough")})
        others = set(thorough) - set(thorough[first - 1 :: parts])
        keep(config, items, [not (marked(item, "thorough") and what_runs_together(item) in others) for item in items])


def keep(config, items, kept):
    """Deselects the others."""
    config.hook.pytest_deselected(items=list(itertools.compress(items, map(operator.not_, kept))))
    items[:] = itertools.compress(items, kept)


def of_chapter(item, number):
    """A test whose name or folder has the chapter's name in it, or that of an exercise."""
    name = folders()[number].name
    return name in item.nodeid or ("test_exercises" in item.nodeid and f"[{number}." in item.nodeid)


def what_runs_together(item):
    """Its group, whose tests share what they build, or else its own name."""
    group = item.get_closest_marker("xdist_group")
    return str(group.args[0]) if group else item.nodeid


def builds(items):
    """{name: function} of what these tests need built, the longest first: CMake's and setuptools' own builds, then the
    last chapters."""
    needed = [folder for folder in reversed(CHAPTERS) if any(folder.name in item.nodeid for item in items)]
    thorough = any(marked(item, "thorough") for item in items)
    found = {}
    tools = "CMakeLists.txt", "setup.py"
    for name in (f.name for f in sorted(needed, key=lambda f: [not (f / tool).exists() for tool in tools])):
        for build in (word for word in dir(chapter(name)) if word.startswith("build")):
            if build == "build" or thorough:
                found[f"{name} {build}"] = lambda name=name, build=build: operators(name, build)
    return found


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    """Each worker begins with its share of the builds. A test that needs another's share builds it, or waits for it:
    common/progress.py locks the folder. What fails here fails in a test again."""
    if not is_worker(session.config):
        return
    terminal = session.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled
    first, step = int(session.config.workerinput["workerid"][2:]), session.config.workerinput["workercount"]  # of gw0
    with turn(alone=False), contextlib.suppress(Exception, SystemExit):
        for name, build in list(builds(session.items).items())[first::step]:
            start = time.monotonic()
            build()
            with terminal():
                print(f"build   {name:<32}{time.monotonic() - start:6.1f} s", file=sys.stderr, flush=True)


@contextlib.contextmanager
def turn(alone):
    """Any number of tests side by side, or one that is marked alone."""
    folder = ROOT / "build" / "tests"
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "machine", "w") as machine:
        fcntl.flock(machine, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        yield


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    with turn(marked(item, "alone")) if is_worker(item.config) else contextlib.nullcontext():
        yield
        leave_gpu_memory_to_others()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    """A test of a mistake that readers make keeps what was said of the mistake, for pytest_terminal_summary()."""

    @contextlib.contextmanager
    def raises(*args, raises=pytest.raises, **options):
        with raises(*args, **options) as caught:
            yield caught
        item.add_report_section("call", "mistake", str(caught.value))

    with mock.patch.object(pytest, "raises", raises) if "pitfall" in item.nodeid else contextlib.nullcontext():
        yield


def pytest_terminal_summary(terminalreporter, config):
    """make test ARGS='-k "12 and pitfall"': what was said of each mistake, with the lines of code that it names."""
    if not config.option.keyword:
        return
    patterns = "tests/chapters/*/*.cu", "chapters/*/*.*", "device/*.h"
    files = {str(file.relative_to(ROOT)): file for pattern in patterns for file in ROOT.glob(pattern)}
    for report in terminalreporter.stats.get("passed", []):
        for name, text in report.sections:
            if name == "Captured mistake call":
                test = report.nodeid.rpartition("::test_")[2]
                terminalreporter.write(told("test", test) + told("found", with_sources(found_by_cuda(text), files)))


def leave_gpu_memory_to_others():
    """torch keeps the memory of tensors that are gone, for its own process alone."""
    import torch

    if torch.cuda.is_initialized() and torch.cuda.memory_reserved() > 2**30:
        torch.cuda.empty_cache()


@pytest.fixture(params=["forward", pytest.param("reverse", marks=pytest.mark.thorough)])
def thread_order(request, monkeypatch):
    """CUDA on CPU runs the threads of a block first to last, and with CUDA_REVERSE=1 last to first: the second is left to
    make test03 and to test-all."""
    from common import device

    if device.type == "cuda" and request.param == "reverse":
        pytest.skip("a GPU has no thread order to reverse")
    monkeypatch.setenv("CUDA_REVERSE", str(int(request.param == "reverse")))
    return request.param
