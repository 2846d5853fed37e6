"""What happens to a machine while a lesson builds: killed, two at once, a full disk, a read-only checkout, odd paths."""

import errno
import multiprocessing
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from unittest import mock

import pytest

from common import cmake, cpp_extension, progress, toolkit
from tests.support import ROOT

device = sys.modules["common.machine"]  # the module; common.device is a torch.device
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # torch's threads only wait here
# The smallest extension, with Python's header only.
SOURCE = """
#include <Python.h>
#define JOIN(a, b) a##b
#define INIT(name) JOIN(PyInit_, name)
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "small"};
PyMODINIT_FUNC INIT(TORCH_EXTENSION_NAME)() { return PyModule_Create(&definition); }
"""
# A compiler that counts, and that leaves half a file and hangs where $HANG is among its arguments, in the build's folder.
COMPILER = """#!/bin/sh
case "$*" in *-shared*) echo link >> count; file=small.so;; *-c*) echo compile >> count; file=small.o;; esac
[ -z "$SLOW" ] || sleep "$SLOW"
case "$HANG:$*" in :*) ;; -*:*"$HANG"*) echo half > $file; touch hanging; sleep 60;; esac
exec c++ "$@"
"""


class Small:
    def __init__(self, folder):
        self.source, self.build, self.compiler = folder / "small.cpp", folder / "build", folder / "compiler"
        self.compiler.write_text(COMPILER)
        self.compiler.chmod(0o755)
        self.source.write_text(SOURCE)

    def load(self):
        print("loaded", cpp_extension.load("small", [str(self.source)], build_directory=str(self.build)).__name__)

    def start(self, **environment):
        """Loads it in a process of its own. Forked: to import torch would take longer than all of this."""
        body = [os.setsid, lambda: os.environ.update(environment), self.load]
        process = multiprocessing.get_context("fork").Process(target=lambda: [step() for step in body])
        process.start()
        return process


@pytest.fixture
def small(tmp_path, monkeypatch):
    monkeypatch.setenv("CXX", str(tmp_path / "compiler"))
    return Small(tmp_path)


def test_killed_while_building(small):
    for step, half in ("-c", "small.o"), ("-shared", "small.so"):
        process = small.start(HANG=step)
        while not (small.build / "hanging").exists():
            assert process.is_alive()
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGKILL)
        process.join()
        (small.build / "hanging").unlink()
        assert (small.build / half).read_text() == "half\n"
    small.load()


LESSON = """
from common import title
from common.cpp_extension import load
title(3, "small")
load("small", [{source!r}], build_directory={build!r})
"""


def interruptible(command, **env):
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env=os.environ | env,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # `make test &` ignores it
    )


def test_interrupted_while_building(small, tmp_path):
    """Ctrl-C also reaches the compilers. The next run builds what is missing."""
    main = tmp_path / "main.py"
    main.write_text(LESSON.format(source=str(small.source), build=str(small.build)))
    process = interruptible([sys.executable, main], HANG="-c", PYTHONPATH=str(ROOT), CHAPTERS_DEVICE="cpu")
    while not (small.build / "hanging").exists():
        assert process.poll() is None
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    assert process.communicate(timeout=30)[1] == "Interrupted. Run the same command again.\n"
    assert process.returncode == -signal.SIGINT  # a shell says 130
    small.load()


@pytest.mark.parametrize("command", ["chapters/03_add2/main.py", "-m tools.lesson memcheck chapters/03_add2/main.py",
                                     "-m tools.lesson microscope 03"])  # fmt: skip
def test_interrupted_while_torch_is_imported(command, tmp_path):
    begun = tmp_path / "begun"
    (tmp_path / "torch.py").write_text(f"import time; open({str(begun)!r}, 'w'); time.sleep(60)")
    process = interruptible([sys.executable, *command.split()], PYTHONPATH=str(tmp_path))
    while not begun.exists():
        assert process.poll() is None
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    assert process.communicate(timeout=30)[1] == "Interrupted. Run the same command again.\n"
    assert process.returncode in (-signal.SIGINT, 128 + signal.SIGINT)


def test_a_compiler_of_several_words_and_one_without_any(small, capfd, monkeypatch):
    """The first line of a lesson names it, and torch gets no empty name."""
    for cxx in "env c++", "", " ":
        monkeypatch.setenv("CXX", cxx)
        named = re.fullmatch(r"(.*) \d+\.\d+\.\d+", device._host_compiler())[1]
        assert named == (cxx.strip() or "c++")
        shutil.rmtree(small.build, ignore_errors=True)
        toolkit.prepare()
        small.start().join()
    assert capfd.readouterr().out.count("loaded small\n") == 3


def test_two_at_once(small, capfd):
    processes = [small.start(SLOW="0.5") for _ in range(2)]
    for process in processes:
        process.join()
    out, err = capfd.readouterr()
    assert out.count("loaded small\n") == 2 and "being built by another process" in err
    assert (small.build / "count").read_text().split() == ["compile", "link"]


@pytest.mark.parametrize("number, help", [(errno.ENOSPC, "make room"), (errno.EROFS, "use a copy of the repository")])
def test_a_full_or_read_only_disk(small, monkeypatch, capsys, number, help):
    with monkeypatch.context() as patch, pytest.raises(progress.BuildError, match=f"{os.strerror(number)}.*\n.*{help}"):
        patch.setattr(Path, "touch", mock.Mock(side_effect=OSError(number, os.strerror(number))))
        small.load()
    progress.excepthook(OSError, OSError(number, "while it builds"), None)
    assert "while it builds\nA lesson writes to build/: that needs room," in capsys.readouterr().err


def test_a_folder_with_blanks_and_other_letters(tmp_path, monkeypatch, capfd):
    name = "two words, Ümläute 漢字 (@home) [1] {2} 50% a~b=c+d!"
    torch_lib = tmp_path / f"torch in {name}"
    torch_lib.symlink_to(cpp_extension.torch_extension.TORCH_LIB_PATH)
    monkeypatch.setattr(cpp_extension.torch_extension, "TORCH_LIB_PATH", str(torch_lib))  # a .venv in such a folder
    (tmp_path / name).mkdir()
    small = Small(tmp_path / name)
    small.start().join()
    small.load()
    assert capfd.readouterr().out.count("nothing changed") == 1  # ninja has understood the compiler's list of headers


@pytest.mark.parametrize("name", ["$(touch pwned)", "a:b", "it's"])
def test_a_name_that_ninja_cannot_have(tmp_path, name):
    with pytest.raises(progress.BuildError, match="which ninja does not allow in a path: use another folder"):
        cpp_extension.load("x", [], build_directory=str(tmp_path / name))


def test_moved_checkout_and_cmake(tmp_path):
    for root in tmp_path / "old", tmp_path / "new place":
        if (tmp_path / "old").exists():
            (tmp_path / "old").rename(root)
        root.mkdir(exist_ok=True)
        (root / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.20)\nproject(x NONE)\n")
        cmake.build("x", [], ["all"], root=root, folder=root / "build")
