"""Builds: every parameter reaches torch, progress is shown, locks hold, and a build that fails says why."""

import contextlib
import fcntl
import functools
import inspect
import os
import pty
import re
import subprocess
import sys
import threading

import pytest
import torch
import torch.utils.cpp_extension
from support import ROOT

from common import cpp_extension, device, progress, toolkit


@pytest.mark.parametrize("name", ["load", "load_inline"])
def test_every_parameter_of_torchs_reaches_torch(name, tmp_path, monkeypatch):
    """By position and by keyword. (That inspect.signature shows torch's proves nothing: functools.wraps sees to that.)"""
    torchs = getattr(torch.utils.cpp_extension, name)
    theirs = inspect.signature(torchs)
    given = {p: f"-D{p}" for p in theirs.parameters} | {
        "sources": ["a.cpp"],
        "cpp_sources": ["x"],
        "cuda_sources": ["y"],
    }
    given |= {p: [f"-D{p}"] for p in theirs.parameters if p.startswith("extra")} | {"build_directory": str(tmp_path)}
    given = {p: given[p] for p in theirs.parameters}
    calls = []
    recorder = functools.wraps(torchs)(lambda **call: calls.append(call))
    monkeypatch.setattr(cpp_extension.torch_extension, name, recorder)
    monkeypatch.setattr(cpp_extension, "device", torch.device("cuda"))
    monkeypatch.setattr(toolkit, "require", lambda: None)
    getattr(cpp_extension, name)(**given)
    getattr(cpp_extension, name)(*given.values())
    for call in calls:
        assert call.pop("extra_ldflags")[-1] == "-Dextra_ldflags"
        assert call == {p: v for p, v in given.items() if p != "extra_ldflags"}
    assert len(calls) == 2


@pytest.mark.parametrize("name", ["load", "load_inline"])
def test_an_unknown_parameter_is_refused(name):
    with pytest.raises(TypeError, match="no_such_parameter"):
        getattr(cpp_extension, name)("x", ["x.cpp"], no_such_parameter=1)


# The smallest extension. JOIN pastes the name that load() gives it: small, small_v1, ...
HEAD = "#include <Python.h>\n#define JOIN(a, b) a##b\n#define INIT(name) JOIN(PyInit_, name)\n"
GOOD = 'static PyModuleDef d = {PyModuleDef_HEAD_INIT, "small"}; '
GOOD += "PyMODINIT_FUNC INIT(TORCH_EXTENSION_NAME)() { return PyModule_Create(&d); }\n"


@pytest.fixture
def extension(tmp_path):
    """Builds a small extension from a string in a folder of its own, with Python's header only: that takes a second."""

    def build(source, name="small"):
        file = tmp_path / f"{name}.cpp"
        file.write_text(HEAD + source)
        folder = tmp_path / "build"
        return cpp_extension.load(name=name, sources=[str(file)], build_directory=str(folder))

    return build


def test_build_shows_the_file_and_its_time_then_that_nothing_changed(extension, capsys):
    assert extension(GOOD).__name__.startswith("small")
    out = capsys.readouterr().out
    assert "small.cpp" in out and " s" in out and "nothing changed" not in out
    extension(GOOD)
    assert "nothing changed" in capsys.readouterr().out


def test_build_error_is_the_compilers_first(extension, tmp_path):
    with pytest.raises(progress.BuildError) as info:
        extension(GOOD + "int g() { return undeclared; }\nint h() { return also_undeclared; }\n")
    text = str(info.value)
    assert f"{tmp_path / 'small.cpp'}:5:" in text and "undeclared" in text and "also_undeclared" not in text
    assert len(text.splitlines()) < 15
    assert "also_undeclared" in info.value.log.read_text(), "the log has everything"


def test_ninja_may_shorten_its_log(extension, tmp_path, capsys):
    """Above 100 lines ninja drops entries that later ones replace: fewer lines than before, although a file was built."""
    extension(GOOD)
    log = tmp_path / "build" / ".ninja_log"
    head, *entries = log.read_text().splitlines()
    log.write_text("\n".join([head, *entries * 100]) + "\n")
    capsys.readouterr()
    extension(GOOD + "// changed\n")
    out = capsys.readouterr().out
    assert len(log.read_text().splitlines()) < 100
    assert "small.cpp" in out and "nothing changed" not in out


@pytest.mark.skipif(device.type == "cuda", reason="about the translator; CHAPTERS_DEVICE=cpu runs it")
def test_a_launch_with_a_typing_error_is_a_build_error(tmp_path):
    (tmp_path / "typo.cu").write_text("__global__ void k() {}\nvoid f() { k<<<1, 1>>(); }\n")
    with pytest.raises(progress.BuildError, match=r"typo does not build.\n.*typo.cu:2: <<< without >>>"):
        cpp_extension.load("typo", [str(tmp_path / "typo.cu")], build_directory=str(tmp_path / "build"))


def test_a_folder_that_cannot_be_written_is_a_clear_message(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(progress.BuildError, match="use a copy of the repository that you own"):
        cpp_extension.load("x", ["x.cpp"], build_directory=str(tmp_path / "file" / "build"))


def test_live_line_in_a_terminal(tmp_path):
    """A finished file's line replaces the live one, and nothing of that is left behind it."""
    (tmp_path / "slow.cpp").write_text(HEAD + "#include <pybind11/pybind11.h>\n" + GOOD)
    lesson = f"from common.cpp_extension import load; load('slow', [{str(tmp_path / 'slow.cpp')!r}], build_directory="
    terminal, inside = pty.openpty()
    lesson = [sys.executable, "-c", lesson + f"{str(tmp_path / 'build')!r})"]
    with subprocess.Popen(lesson, cwd=ROOT, stdout=inside, stderr=inside):
        os.close(inside)
        screen = b""
        with contextlib.suppress(OSError):  # Linux's way to say that nobody writes any more
            while data := os.read(terminal, 1024):
                screen += data
    os.close(terminal)
    text = screen.decode()
    assert re.search(r"slow.cpp +1.\d s \.\.\.\033\[K\r", text), "a live line"
    assert re.search(r"build   slow.cpp +\d+\.\d s\033\[K\r\n", text), "the finished one"


def test_missing_header_is_named(extension):
    with pytest.raises(progress.BuildError, match=r"small.cpp:4:10: fatal error: .?no_such_header.h"):
        extension('#include "no_such_header.h"\n' + GOOD)


def test_a_lock_left_by_a_killed_build_is_not_waited_for(extension, tmp_path):
    folder = tmp_path / "build"
    folder.mkdir()
    (folder / "lock").touch()  # what torch before 2.15 leaves behind when it is killed
    (folder / ".in_use").touch()  # and what we leave
    assert extension(GOOD).__name__.startswith("small")  # or this test never ends


def test_a_build_waits_for_one_that_runs(extension, tmp_path, capsys):
    folder = tmp_path / "build"
    folder.mkdir()
    with (folder / ".in_use").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        threading.Timer(1.0, lambda: fcntl.flock(held, fcntl.LOCK_UN)).start()
        assert extension(GOOD).__name__.startswith("small")
    assert "small is being built by another process" in capsys.readouterr().err


@pytest.mark.parametrize(
    "output, first",
    [
        (
            '[1/2] nvcc -Werror x\nFAILED: x.o\nx.cu(7): error: identifier "y" is undefined\n\n1 error\n',
            "x.cu(7): error",
        ),
        ("In file included from a.cpp:1:\nb.h:3:1: error: expected ';'\n", "b.h:3:1: error"),
        ("[3/3] c++ x.o -o x\n/usr/bin/ld: cannot find -lcudart: No such file\n", "/usr/bin/ld: cannot find -lcudart"),
        ("x.o: in function `f':\nx.cpp:(.text+0x5): undefined reference to `g'\n", "x.cpp:(.text+0x5): undefined"),
        ("nvcc fatal   : Unsupported gpu architecture 'compute_50'\n", "nvcc fatal"),
        ("no word of it\n", "no word of it"),
    ],
)
def test_first_error(output, first):
    assert progress.first_error(output).startswith(first)
    more = "[2/3] c++ -c b.cpp\nFAILED: [code=1] b.o\nb.cpp:1:1: error: another\nninja: build stopped\n"
    if first != "no word of it":
        assert progress.first_error(output + more) == progress.first_error(output)


def test_unknown_device_is_refused():
    run = subprocess.run(
        [sys.executable, "-c", "import common"],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "CHAPTERS_DEVICE": "tpu"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 1 and run.stderr.strip() == "CHAPTERS_DEVICE must be cpu or cuda, got 'tpu'"


def test_no_nvcc_is_a_clear_message(monkeypatch):
    monkeypatch.setattr(toolkit, "_candidates", lambda: [])
    toolkit.cuda_home.cache_clear()
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    try:
        with pytest.raises(RuntimeError, match=r"needs an nvcc of CUDA 13.0.*\n.*pip install 'cuda-toolkit\[.*==13.0"):
            toolkit.require()
    finally:
        toolkit.cuda_home.cache_clear()


def fake_toolkit(folder, version):
    nvcc = folder / "bin" / "nvcc"
    nvcc.parent.mkdir(parents=True)
    nvcc.write_text(f"#!/bin/sh\necho 'Cuda compilation tools, release {version}, V{version}.1'\n")
    nvcc.chmod(0o755)
    return folder


@pytest.mark.parametrize(
    "there, chosen",
    [
        (["12.4", "13.2", "13.0"], "13.0"),  # torch's own version, wherever it stands
        (["12.4", "13.2", "13.1"], "13.2"),  # else the first of its major version
        (["12.4"], None),
    ],
)
def test_the_toolkit_of_torchs_own_cuda_version_is_chosen(there, chosen, tmp_path, monkeypatch):
    homes = [fake_toolkit(tmp_path / version, version) for version in there]
    monkeypatch.setattr(toolkit, "_candidates", lambda: homes)
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    toolkit.cuda_home.cache_clear()
    try:
        assert toolkit.cuda_home() == (chosen and tmp_path / chosen)
    finally:
        toolkit.cuda_home.cache_clear()
