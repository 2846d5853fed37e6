"""Each exercise: its skeleton is told what is missing, its solution is right, wrong solutions are told what is wrong.

On one core, 8 s, 40 from clean; with the thorough ones, on 2 cores, 2 minutes, and 5 from clean: they build 61 wrong
bindings and packages.
"""

import functools
import hashlib
import itertools
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from grader import exercises, launchers
from tests.support import ROOT, one_line, write

EXERCISES = exercises.find()
CPP = ".cu", ".cpp", ".h"


each_exercise = pytest.mark.parametrize("it", EXERCISES, ids=lambda it: it.number)


def cases(which):
    """(exercise, name) for each of these names, with the tests of a chapter in one process: together() compiles them at once.

    `make test` has a solution of every second chapter, of a kernel that is checked for races: others take longer to build.
    """
    kernels = [it for it in EXERCISES if it.memory_check and any((it.folder / "skeleton").glob("*.cu"))]
    first = list({it.folder.parents[1]: it for it in reversed(kernels)}.values())[::2]
    for it in EXERCISES:
        for name in which(it):
            marks = [pytest.mark.xdist_group(f"exercises {it.number[:2]}")]
            marks += [pytest.mark.thorough] * (it not in first or name != "solution")
            yield pytest.param(it, name, id=f"{it.number}-{name}", marks=marks)


def texts_of(it, name) -> dict[str, str]:
    """The files of the skeleton, the solution or a wrong solution."""
    folders = [it.folder / "skeleton"] + [it.folder / "solution"] * (name != "skeleton")
    texts = {str(file): text for file, text in exercises.texts(*folders).items()}
    for file, changes in (it.wrong[name][1] if name in it.wrong else {}).items():
        for old, new in changes:
            assert texts[file].count(old) == 1, (it.number, name, old)
            texts[file] = texts[file].replace(old, new)
    return texts


def files_of(it, name) -> Path:
    """A folder with the skeleton, the solution or a wrong solution.

    As with a reader, a folder has one try after the other: those with the same C++ share it, and a file that stays as it
    is keeps its time. So a build compiles only what has changed. Without a .cpp or .cu each has its own.
    """
    texts = texts_of(it, name)
    sources = [text for file, text in texts.items() if file.endswith(CPP)] or texts.values()
    key = hashlib.sha256("".join(sources).encode())
    files = ROOT / "build" / "tests" / "exercises" / it.number / key.hexdigest()[:8]
    for file in exercises.files_in(files):
        if str(file) not in texts:
            (files / file).unlink()
    for file, text in texts.items():
        write(files / file, text)
    return files


@functools.cache
def together(chapter, wrong):
    """Compiles the kernels of a chapter's skeletons and solutions, or wrong solutions: quicker than each by itself."""
    if sys.platform == "linux":
        its = [it for it in EXERCISES if it.folder.parents[1] == chapter and it.memory_check and not it.needs_gpu]
        folders = {files_of(it, name) for it in its for name in (it.wrong if wrong else ("skeleton", "solution"))}
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("CHAPTERS_SANITIZE", "memory")
            launchers.compile_together(sorted(cu for folder in folders for cu in folder.glob("*.cu")))


def checked(it, name):
    """Whether these files are right, and what the reader is told: on the CPU in both thread orders, and on a GPU if any."""
    files = files_of(it, name)
    told = ""
    for device in exercises.devices(it):
        status, more = exercises.check(it, files, device)
        told += one_line(more)
        assert status != exercises.BROKEN, told
        if status == exercises.WRONG:
            return False, told
    return True, told


@each_exercise
def test_wrong_solutions_change_what_the_solution_has(it):
    """Their texts are checked here, at once: a comment that reads differently would cost the thorough tests a chapter."""
    for name in it.wrong:
        assert texts_of(it, name) != texts_of(it, "solution")


@pytest.fixture
def compiled(it, name, request):
    """What the tests of this chapter need, at once, where more than one of them runs."""
    if request.node.get_closest_marker("thorough"):
        together(it.folder.parents[1], name in it.wrong)


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("it, name", list(cases(lambda it: ["solution"])))
def test_the_solution_is_right(it, name):
    right, told = checked(it, name)
    assert right, told
    if it.number.endswith(".1"):  # the first of a chapter: there is something to see
        assert re.search("^see     .{40}", told, re.M), told


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("it, name", list(cases(lambda it: ["skeleton", *it.wrong])))
def test_what_is_wrong_is_told(it, name):
    right, told = checked(it, name)
    words = it.wrong[name][0] if name in it.wrong else it.fails
    assert not right and words in told, told


UNDER_SANITIZER = """
import sys
from pathlib import Path
from grader.checks import module
from grader.launchers import compile_together
words = [Path(word) for word in sys.argv[1:]]
tries = dict(zip(words[::2], words[1::2], strict=True))
compile_together([cu for folder in tries.values() for cu in sorted(folder.glob("*.cu"))])
for exercise, folder in tries.items():
    print(exercise, flush=True)
    module(exercise / "exercise.py").run(folder)
print("all")
"""


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform != "linux", reason="tools/lesson.py needs Linux")
def test_address_sanitizer_finds_nothing_in_the_solutions(tmp_path):
    """Of all kernels that are checked with no binding, in one process: their checks run as they do for a reader."""
    tries = {it.folder: files_of(it, "solution") for it in EXERCISES if it.memory_check and not it.needs_gpu}
    tries = [it for it in tries.items() if any(it[1].glob("*.cu")) and not any(it[1].glob("*.cpp"))]
    program = tmp_path / "program.py"
    program.write_text(UNDER_SANITIZER)
    command = [sys.executable, "-m", "tools.lesson", "sanitize", program, *itertools.chain(*tries)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment)
    report = done.stderr.partition("ERROR: AddressSanitizer")[2][:2000] or done.stderr[-3000:]
    assert done.returncode == 0 and "all\nmemory  " in done.stdout, done.stdout[-500:] + report


@each_exercise
def test_the_reader_writes_between_marks(it):
    """The solution has those files of the skeleton that differ, and they differ between marks only."""
    skeleton, solution = it.folder / "skeleton", it.folder / "solution"
    assert exercises.names(it), "no file has a mark"
    assert exercises.files_in(solution), "nothing is solved"
    for file in exercises.files_in(solution):
        given, solved = ((folder / file).read_text() for folder in (skeleton, solution))
        assert given != solved, f"{file} equals the skeleton's, which is enough"
        assert exercises.MARKS.sub("", given) == exercises.MARKS.sub("", solved), file


CAPABILITIES = {
    "hopper.h": "9.0a",
    "wgmma": "9.0a",
    "cluster": "9.0",
    "ptx_mma.h": "8.0",
}  # words that name instructions


@each_exercise
def test_says_which_gpus_can_run_it(it):
    text = "".join(file.read_text() for file in it.folder.glob("s*/*.*") if file.suffix in CPP)
    assert it.capability == next((needs for word, needs in CAPABILITIES.items() if word in text), "")


@pytest.mark.parametrize("capability, runs_on", [
    ("", [(7, 5), (8, 0), (9, 0), (12, 0)]), ("8.0", [(8, 0), (9, 0), (12, 0)]), ("9.0a", [(9, 0)]),
])  # fmt: skip
def test_gpus_that_run_an_exercise(capability, runs_on):
    it = replace(EXERCISES[0], capability=capability)
    assert [gpu for gpu in ((7, 5), (8, 0), (9, 0), (12, 0)) if it.runs_on(*gpu)] == runs_on


@each_exercise
def test_there_are_hints_and_wrong_solutions(it):
    assert len(it.hints) >= 2 and len(it.wrong) >= 2 and it.fails
    assert not re.search("^(HINTS|WRONG) =", (it.folder / "exercise.py").read_text(), re.M), (
        "they belong in spoilers.py"
    )
    assert all(words and changes for words, changes in it.wrong.values())


@pytest.mark.parametrize("chapter", sorted({it.folder.parents[1] for it in EXERCISES}), ids=lambda path: path.name[:2])
def test_the_lesson_has_each_exercise_once(chapter):
    text = (chapter / "README.md").read_text().partition("## Exercises")[2].partition("\n## ")[0]
    numbers = [it.number for it in EXERCISES if it.folder.parents[1] == chapter]
    assert re.findall(r"`make exercise(\d\d\.\d+)`", text) == numbers


def test_a_trace_is_short(tmp_path):
    it = next(it for it in EXERCISES if it.number == "04.2")
    recursion = "def misfit(*args):\n    return again()\n\n\ndef again():\n    return again()\n"
    lines = [f"line {i}" for i in range(300)]
    for name, text in ("recursion", recursion), ("long", f"raise ValueError({chr(10).join(lines)!r})\n"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "fits.py").write_text(text)
        status, told = exercises.check(it, tmp_path / name)
        assert status == exercises.WRONG and told.count("\n") < 30, told
        assert "RecursionError" in told if name == "recursion" else "line 0\n" in told and "line 299" in told, told


def test_a_message_names_the_readers_file_and_line(tmp_path):
    """Also where the compiler has read a file that a build made of it, or setuptools has run the text of setup.py."""
    generated = ROOT / "build" / "tests" / "generated" / "main.cpp"
    write(generated, "#include <string>\nint twice;\nstd::strin a;\nint twice;\n")
    write(tmp_path / "shout.py", 'CPP = r"""\nint twice;\nint twice;\nstd::strin a;\n"""\n')
    write(tmp_path / "setup.py", "first()\nfoo(\n")
    for place in f"{generated}:3:6: error", f"{generated}(3): error":
        told = exercises.with_sources(f"{place}: no\n    3 | std::strin a;", tmp_path)
        assert told.startswith("shout.py:4") and str(generated) not in told
    assert f"{generated}:2" in exercises.with_sources(f"{generated}:2: which of both?", tmp_path)
    assert f"{generated}:9" in exercises.with_sources(f"{generated}:9: no such line", tmp_path)
    assert "setup.py:2      foo(" in exercises.with_sources('File "<string>", line 2', tmp_path)
    once = exercises.with_sources(f"{tmp_path}/setup.py:2:1: error\n    2 | foo(", tmp_path)
    assert once == "setup.py:2:1: error\n    2 | foo("
    assert "This does not build." in exercises.with_sources("exercise_0123abcd does not build.", tmp_path)


def test_a_syntax_error_is_the_readers(tmp_path):
    it = next(it for it in EXERCISES if it.number == "04.2")
    write(tmp_path / "fits.py", "\ndef misfit(\n")
    status, told = exercises.check(it, tmp_path)
    assert status == exercises.WRONG and "at fits.py:2" in told and "def misfit(" in told


@pytest.mark.thorough
@pytest.mark.parametrize("file, line, words", [
    ("saxpy.h", "#define more", "saxpy.h:1: this is given, and not as it was"),
    ("saxpy.cu", "#ifdef CUDA_ON_CPU\n#endif", "saxpy.cu:1: CUDA_ON_CPU: a GPU would run other code"),
])  # fmt: skip
def test_what_a_right_result_does_not_excuse(tmp_path, file, line, words):
    """4 s each."""
    it = next(it for it in EXERCISES if it.number == "03.1")
    for name, text in texts_of(it, "solution").items():
        write(tmp_path / name, f"{line}\n{text}" if name == file else text)
    status, told = exercises.check(it, tmp_path)
    assert status == exercises.WRONG and words in one_line(told), told


@pytest.mark.parametrize("end", ["raise SystemExit", "import os; os._exit(0)"])
def test_a_program_that_ends_early_is_not_done(tmp_path, end):
    it = next(it for it in EXERCISES if it.number == "04.2")
    (tmp_path / "fits.py").write_text(f"{end}\n")
    status, told = exercises.check(it, tmp_path)
    assert status == exercises.WRONG and "ended before its check was complete" in told, told


@pytest.mark.thorough
def test_what_ends_without_an_answer_is_told(tmp_path):
    """A reader's program may crash, loop for ever, fail in Python, or not compile."""
    it = next(it for it in EXERCISES if it.number == "03.1")
    body = {
        "seconds, 0 for no limit); it was at saxpy.cu:": "while (blockIdx.x == 0) out[0] = x[0];",
        "crashed (SIGSEGV)": "",
        "does not compile": "out[i] = 1;",
    }
    for words, code in body.items():
        files = tmp_path / words.split()[0]
        shutil.copytree(it.folder / "skeleton", files)
        text = (files / "saxpy.cu").read_text().replace("    // your code\n", f"    {code}\n")
        if "SIGSEGV" in words:
            text = text.replace("if (n == 0) return;", "*(volatile int*)nullptr = 1;")
        (files / "saxpy.cu").write_text(text)
        status, told = exercises.check(it, files)
        assert status == exercises.WRONG and words in one_line(told), told


PRESSED = """
import signal, sys
from grader import exercises
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever was started with "&" in a script would ignore it
print("begins", flush=True)
try:
    exercises.check(next(it for it in exercises.find() if it.number == "00.1"), __import__("pathlib").Path(sys.argv[1]))
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("seconds", [0.1, 0.6])
def test_ctrl_c_ends_a_check_without_a_traceback(seconds, tmp_path):
    """While the process of checks imports torch, and later. A terminal sends the signal to all processes. 3 s"""
    command = [sys.executable, "-c", PRESSED, tmp_path]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "cwd": ROOT}
    with subprocess.Popen(command, **streams, start_new_session=True) as process:
        assert process.stdout.readline() == "begins\n"
        time.sleep(seconds)
        os.killpg(process.pid, signal.SIGINT)
        assert process.communicate(timeout=60)[0] in ("interrupted\n", "")  # "": the check had ended
