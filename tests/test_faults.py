"""What happens to a machine while a lesson builds: killed, a full disk, a read-only checkout, odd paths, a wrong clock.

The builds are of the smallest extension, with Python's header only. tests/test_environment.py has the same for the set-up,
tests/test_results.py for what tools write, tests/test_harness.py for locks.
"""

import os
import re
import shlex
import signal
import subprocess
import sys
import time

import pytest
from conftest import CHAPTERS, ROOT, chapter

from common import cmake, cpp_extension, progress

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
LESSON = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from common import progress
from common.cpp_extension import load
sys.excepthook = progress.excepthook
print("answer", load("small", [sys.argv[1]], build_directory=sys.argv[2]).answer)
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

    @property
    def command(self):
        return [sys.executable, "-c", LESSON, str(self.source), str(self.build)]

    def start(self, *before, **environment):
        env = os.environ | {"CXX": str(self.compiler), "CHAPTERS_DEVICE": "cpu"} | environment
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen([*before, *self.command], env=env, text=True, start_new_session=True, **pipes)

    def run(self, *before, **environment):
        process = self.start(*before, **environment)
        out, err = process.communicate(timeout=60)
        return out, err

    def compiled(self):
        return (self.build / "count").read_text().split()


@pytest.fixture
def small(tmp_path):
    return Small(tmp_path)


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


# ---- killed ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", ["-c", "-shared"])
def test_killed_while_building(small, step):
    process = small.start(HANG=step)
    deadline = time.monotonic() + 30
    while not (small.build / "hanging").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert (small.build / ("small.o" if step == "-c" else "small.so")).read_text() == "half\n"
    assert small.run()[0].endswith("answer 1\n")


def test_two_at_once(small):
    processes = [small.start(SLOW="0.5") for _ in range(2)]
    said = [process.communicate(timeout=60) for process in processes]
    assert all(out.endswith("answer 1\n") for out, _ in said), said
    assert "being built by another process" in "".join(err for _, err in said)
    assert small.compiled() == ["compile", "link"]


# ---- disks -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", ["4k", "12k"])
def test_full_disk(small, size):
    """4k: not even ninja's file has room. 12k: the object has none."""
    small.build.mkdir()
    prefix = in_a_namespace('mount -t tmpfs -o size="$2" none "$1"', small.build, size)
    with_room = f'"$@"; mount -o remount,size=9M {shlex.quote(str(small.build))}; exec "$@"'
    out, err = small.run(*prefix, "sh", "-c", with_room, "sh")
    assert "No space left on device" in err and "Traceback" not in err
    assert out.count("answer") == 1 and out.endswith("answer 1\n"), out + err


def test_read_only_checkout():
    prefix = in_a_namespace('mount --bind "$1" "$1"; mount -o remount,bind,ro "$1"', ROOT)
    done = subprocess.run([*prefix, sys.executable, CHAPTERS[2] / "main.py"], capture_output=True, text=True)
    assert done.returncode == 1
    assert re.fullmatch(
        r"\[Errno 30\] Read-only file system: .*\nA build writes there: use a copy .* that you own\.\n", done.stderr
    )


def test_symlinked_checkout(tmp_path):
    (tmp_path / "link").symlink_to(ROOT)
    lesson = tmp_path / "link" / CHAPTERS[2].relative_to(ROOT) / "main.py"
    done = subprocess.run([sys.executable, lesson], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and "ok, largest error 0" in done.stdout, done.stderr
    assert list(tmp_path.iterdir()) == [tmp_path / "link"]


def test_a_picture_that_cannot_be_written(tmp_path, monkeypatch):
    cv2 = pytest.importorskip("cv2")
    monkeypatch.syspath_prepend(str(ROOT / "chapters" / "08_image"))
    monkeypatch.setattr(cv2, "imwrite", lambda *_: False)  # what OpenCV says when the disk is full
    with pytest.raises(SystemExit, match=r"photo.png could not be written"):
        chapter("08_image", "pictures").main(None, tmp_path)


# ---- paths and variables -----------------------------------------------------------------------------------------------


def load(folder):
    folder.mkdir()
    (folder / "small.cpp").write_text(SOURCE.replace("ANSWER", "1"))
    sources = [str(folder / "small.cpp")]
    return cpp_extension.load(
        "small", sources, extra_include_paths=[str(folder)], build_directory=str(folder / "build")
    )


@pytest.mark.parametrize(
    "name", ["two words", "Ümläute 漢字", "it's", 'a"b', "a&b; touch pwned", "`touch pwned`", "#(*)"]
)
def test_a_folder_of_any_name(tmp_path, monkeypatch, name):
    torch_lib = tmp_path / f"torch in {name}"
    torch_lib.symlink_to(cpp_extension.torch_extension.TORCH_LIB_PATH)
    monkeypatch.setattr(cpp_extension.torch_extension, "TORCH_LIB_PATH", str(torch_lib))  # a .venv in such a folder
    assert load(tmp_path / name).answer == 1
    assert not list(tmp_path.rglob("pwned"))


@pytest.mark.parametrize("name", ["$(touch pwned)", "a$HOME", "a:b", "a|b", "a\nb"])
def test_a_name_that_ninja_cannot_have(tmp_path, name):
    with pytest.raises(progress.BuildError, match="ninja builds no such file: use another folder"):
        load(tmp_path / name)


@pytest.mark.parametrize(
    "text", ["; touch pwned", "c++; touch pwned", "$(touch pwned)", "`touch pwned`", "c++\ntouch x"]
)
def test_a_compiler_is_no_command(tmp_path, monkeypatch, text):
    monkeypatch.setenv("CXX", text)
    with pytest.raises(progress.BuildError, match="expected the path of a compiler"):
        load(tmp_path / "x")
    assert not list(tmp_path.rglob("pwned"))


# ---- the clock ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dated", ["sources", "builds"])
def test_clock_set_back(small, dated):
    """What was written or built before is dated in the future; a change after that must be seen all the same."""
    small.run()
    for file in [small.source] if dated == "sources" else small.build.iterdir():
        os.utime(file, (time.time() + 3600,) * 2)
    assert small.run()[0].endswith("answer 1\n")
    small.write(2)
    assert small.run()[0].endswith("answer 2\n")


CMAKE = "cmake_minimum_required(VERSION 3.20)\nproject(x NONE)\nfile(WRITE ${CMAKE_BINARY_DIR}/said SAYS)\n"


def build_by_cmake(root, says="1"):
    root.mkdir(exist_ok=True)
    (root / "CMakeLists.txt").write_text(CMAKE.replace("SAYS", says))
    return (cmake.build("x", [], ["all"], root=root, folder=root / "build") / "said").read_text()


def test_clock_set_back_and_cmake(tmp_path):
    assert build_by_cmake(tmp_path / "x") == "1"
    for file in (tmp_path / "x" / "build").iterdir():
        os.utime(file, (time.time() + 3600,) * 2)
    assert build_by_cmake(tmp_path / "x", "2") == "2"
    os.utime(tmp_path / "x" / "CMakeLists.txt", (time.time() + 3600,) * 2)
    with pytest.raises(progress.BuildError, match=r"CMakeLists.txt is dated in the future.*\n    find '.*touch"):
        cmake.build("x", [], ["all"], root=tmp_path / "x", folder=tmp_path / "x" / "build")


def test_moved_checkout_and_cmake(tmp_path):
    build_by_cmake(tmp_path / "old")
    (tmp_path / "old").rename(tmp_path / "new place")
    assert build_by_cmake(tmp_path / "new place", "2") == "2"


# ---- nothing is fetched, nothing is a shell's --------------------------------------------------------------------------


def test_no_code_fetches_or_starts_a_shell():
    words = r"\b(urllib|requests|http\.client|socket|ftplib|torch\.hub|torchvision|huggingface_hub|from_pretrained)\b"
    words += r"|download_url|shell=True|os\.system|os\.popen|getoutput|\beval\(|\bexec\("
    for folder in "chapters", "common", "tools":
        for file in sorted((ROOT / folder).rglob("*.py")):
            assert not re.findall(words, file.read_text()), file
