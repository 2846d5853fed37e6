"""What happens to a machine while a lesson builds: killed, two at once, a full disk, a read-only checkout, odd paths.

The builds are of the smallest extension, with Python's header only. tests/tools/test_environment.py has the set-up,
tests/tools/test_bench.py for what tools write, tests/common/test_builds.py for locks.
"""

import multiprocessing
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support import CHAPTERS, ROOT, chapter, without_network

from common import cmake, cpp_extension, progress, toolkit

# A fork of a process with threads: those only wait here.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")

SOURCE = """
#include <Python.h>
#define JOIN(a, b) a##b
#define INIT(name) JOIN(PyInit_, name)
static PyModuleDef d = {PyModuleDef_HEAD_INIT, "small"};
PyMODINIT_FUNC INIT(TORCH_EXTENSION_NAME)() {
    PyObject* m = PyModule_Create(&d);
    PyModule_AddIntConstant(m, "answer", ANSWER);
    return m;
}
"""
# argv: the source, the build's folder. A lesson on a disk of three sizes, which then may only be read.
DISK = f"""
import subprocess, sys
sys.path.insert(0, {str(ROOT)!r})
from common import progress
from common.cpp_extension import load

for n, options in enumerate(["size=4k", "size=12k", "size=9M", "ro"]):
    subprocess.run(["mount", "-o", f"remount,{{options}}", sys.argv[2]], check=True)
    print(options, file=sys.stderr)
    try:
        print("answer", load(f"small{{n}}", [sys.argv[1]], build_directory=sys.argv[2]).answer)
    except (progress.BuildError, OSError):
        progress.excepthook(*sys.exc_info())
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
        self.write(1)

    def write(self, answer):
        self.source.write_text(SOURCE.replace("ANSWER", str(answer)))

    def start(self, **environment):
        """Loads it in a process of its own. Forked: to import torch would take longer than all of this."""

        def body():
            os.setsid()
            os.environ.update(environment)
            print("answer", self.load())

        process = multiprocessing.get_context("fork").Process(target=body)
        process.start()
        return process

    def load(self):
        return cpp_extension.load("small", [str(self.source)], build_directory=str(self.build)).answer


@pytest.fixture
def small(tmp_path, monkeypatch):
    small = Small(tmp_path)
    monkeypatch.setenv("CXX", str(small.compiler))
    return small


def in_a_namespace(script, *arguments):
    """What goes before a command to run it after that script of mount commands, which nobody else sees."""
    prefix = ["unshare", "-rm", "sh", "-ec", f'{script}; shift {len(arguments)}; exec "$@"', "sh", *map(str, arguments)]
    try:
        done = subprocess.run([*prefix, "true"], capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("needs unshare")
    if done.returncode:
        pytest.skip(f"this machine does not let us mount: {done.stderr.strip()}")
    return prefix


# ---- killed, and two at once ---------------------------------------------------------------------------------------------


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
    assert small.load() == 1


def test_two_at_once(small, capfd):
    processes = [small.start(SLOW="0.5") for _ in range(2)]
    for process in processes:
        process.join()
    out, err = capfd.readouterr()
    assert out.count("answer 1\n") == 2 and "being built by another process" in err
    assert (small.build / "count").read_text().split() == ["compile", "link"]


# ---- disks -------------------------------------------------------------------------------------------------------------


def test_full_and_read_only_disk(small):
    """4k: not even ninja's file has room. 12k: the object has none. 9M: somebody made room."""
    small.build.mkdir()
    prefix = in_a_namespace('mount -t tmpfs -o size=4k none "$1"', small.build)
    command = [*prefix, sys.executable, "-c", DISK, str(small.source), str(small.build)]
    done = subprocess.run(command, capture_output=True, text=True)
    full, fuller, enough, read_only = re.split("size=.*\n|ro\n", done.stderr)[1:]
    assert re.fullmatch(r".*No space left on device\nA lesson writes to build/: that needs room, .*\n", full)
    assert "No space left on device" in fuller and enough == ""
    assert done.stdout.count("answer") == 1 and done.stdout.endswith("answer 1\n")
    assert re.fullmatch(r".* Read-only file system: .*\nA build writes there: use a copy .* own\.\n", read_only)
    assert "Traceback" not in done.stderr
    linker = "ld: final link failed: No space left on device"
    assert progress.first_error(f"{linker}\ncollect2: error: ld returned 1 exit status") == linker


def test_symlinked_checkout(tmp_path):
    """A lesson works with the paths that the checkout has: what was built there is not built again."""
    (tmp_path / "link").symlink_to(ROOT)
    for folder in CHAPTERS:
        assert chapter(tmp_path / "link" / "chapters" / folder.name).here == folder


def test_a_picture_that_cannot_be_written(tmp_path, monkeypatch):
    cv2 = pytest.importorskip("cv2")
    monkeypatch.syspath_prepend(str(ROOT / "chapters" / "08_image"))
    monkeypatch.setattr(cv2, "imwrite", lambda *_: False)  # what OpenCV says when the disk is full
    with pytest.raises(SystemExit, match=r"photo.png could not be written"):
        chapter("08_image", "pictures").main(None, tmp_path)


# ---- paths -------------------------------------------------------------------------------------------------------------


def test_a_folder_with_blanks_and_other_letters(tmp_path, monkeypatch, capfd):
    name = "two words, Ümläute 漢字 (@home) [1] {2} 50% a~b=c+d!"
    torch_lib = tmp_path / f"torch in {name}"
    torch_lib.symlink_to(cpp_extension.torch_extension.TORCH_LIB_PATH)
    monkeypatch.setattr(cpp_extension.torch_extension, "TORCH_LIB_PATH", str(torch_lib))  # a .venv in such a folder
    (tmp_path / name).mkdir()
    small = Small(tmp_path / name)
    small.start().join()
    assert small.load() == 1
    assert capfd.readouterr().out.count("nothing changed") == 1  # ninja has understood the compiler's list of headers


def test_an_nvcc_in_a_folder_with_blanks(monkeypatch):
    monkeypatch.setattr(os, "environ", {"PATH": os.environ["PATH"]})
    monkeypatch.setattr(toolkit, "cuda_home", lambda: Path("/my tools/cuda"))
    toolkit.prepare()
    assert os.environ["PYTORCH_NVCC"] == "'/my tools/cuda/bin/nvcc'"  # torch 2.11 writes it into ninja's file as it is


@pytest.mark.parametrize("name", ["$(touch pwned)", "a:b", "it's"])
def test_a_name_that_ninja_cannot_have(tmp_path, name):
    with pytest.raises(progress.BuildError, match="which ninja cannot have: use another folder"):
        cpp_extension.load("x", [], build_directory=str(tmp_path / name))


def test_moved_checkout_and_cmake(tmp_path):
    text = "cmake_minimum_required(VERSION 3.20)\nproject(x NONE)\nfile(WRITE ${CMAKE_BINARY_DIR}/said SAYS)\n"
    for name in "old", "new place":
        root = tmp_path / name
        if name != "old":
            (tmp_path / "old").rename(root)
        root.mkdir(exist_ok=True)
        (root / "CMakeLists.txt").write_text(text.replace("SAYS", f'"{name}"'))
        assert (cmake.build("x", [], ["all"], root=root, folder=root / "build") / "said").read_text() == name


# ---- nothing is fetched ------------------------------------------------------------------------------------------------


def test_lessons_run_without_a_network():
    """tests/chapters/test_chapters.py starts every lesson like this."""
    if not without_network():
        pytest.skip("this machine does not let us take the network away: the lessons ran with it")
    code = "import socket; socket.create_connection(('1.1.1.1', 53), timeout=5)"
    done = subprocess.run([*without_network(), sys.executable, "-c", code], capture_output=True, text=True)
    assert "Network is unreachable" in done.stderr
