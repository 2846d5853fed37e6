"""The command of the exercises, grader/__main__.py: tasks, hints, solutions, progress, keys. No check of an exercise runs."""

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from grader import __main__ as command
from grader import exercises, progress, terminal
from tests.support import ROOT, write

SOURCES = {it.number: it for it in exercises.find() if it.number in ("03.1", "03.5", "06.1")}


class Reader:
    """A repository with three exercises, and the command in it. What equals the solution is right."""

    def __init__(self, root, monkeypatch, capsys):
        self.root, self.monkeypatch, self.capsys = root, monkeypatch, capsys
        self.folders = {number: root / it.folder.relative_to(ROOT) for number, it in SOURCES.items()}
        for number, folder in self.folders.items():
            shutil.copytree(SOURCES[number].folder, folder, ignore=shutil.ignore_patterns("mine*"))
        self.folder = self.folders["03.5"]
        self.mine = self.folder / "mine" / "answers.py"
        monkeypatch.setattr(command, "ROOT", root)
        monkeypatch.setattr(exercises, "ROOT", root)
        monkeypatch.setattr(progress, "FILE", root / ".exercises.json")
        self.statuses("cpu")

    def statuses(self, *devices, **given):
        """What a check answers on each device."""

        def check(exercise, files, device, echo):
            echo(f"checked on {device}\n")
            solved = (exercise.folder / "solution").iterdir()
            wrong = any(file.read_text() != (files / file.name).read_text() for file in solved)
            return given.get(device, int(wrong)), ""

        self.monkeypatch.setattr(command, "devices", lambda exercise: list(devices))
        self.monkeypatch.setattr(command, "check", check)

    def solve(self, number="03.5"):
        shutil.copytree(self.folders[number] / "skeleton", self.folders[number] / "mine", dirs_exist_ok=True)
        shutil.copytree(self.folders[number] / "solution", self.folders[number] / "mine", dirs_exist_ok=True)

    def run(self, *words):
        """The exit status, or the line that the command ends with; and what it has printed."""
        self.monkeypatch.setattr("sys.argv", ["grader", *words])
        status = 0
        try:
            command.main()
        except SystemExit as end:
            status = end.code
        self.err = ""
        out, self.err = self.capsys.readouterr()
        return status, out

    def out(self, *words):
        return self.run(*words)[1]


@pytest.fixture
def reader(tmp_path, monkeypatch, capsys):
    return Reader(tmp_path, monkeypatch, capsys)


def test_the_task_comes_first_and_where_to_write(reader):
    status, out = reader.run("03.5")
    first, task, *lines = out.splitlines()
    assert status == 1 and first.startswith("exercise 03.5 · predict: ") and first.endswith("minutes")
    assert task.startswith("task    ")
    where = next(line for line in lines if line.startswith("write   "))
    file, line, more = re.fullmatch(r"write   (.*):(\d+) and (\d) more", where).groups()
    text = reader.mine.read_text().splitlines()
    assert reader.root / file == reader.mine and text[int(line) - 1] == "# your code"
    assert int(more) + 1 == text.count("# your code")
    assert lines.index(where) < lines.index("checked on cpu") < len(lines) - 1 and lines[-1].startswith("open    ")
    assert re.search(r"^write   \S+/mine/saxpy.cu:\d+$", reader.out("03.1"), re.M)


@pytest.mark.parametrize("it", exercises.find(), ids=lambda it: it.number)
def test_a_task_is_short(it):
    sentences = re.findall(r"[.?!](?:\s|$)", it.task)
    assert 1 <= len(sentences) <= 3 and 40 <= len(it.task) <= 520, (len(sentences), len(it.task))


def test_done_is_said_and_how(reader):
    reader.solve()
    assert reader.run("03.5")[0] == 0 and "on the CPU only" not in reader.out("03.5")
    assert "next: make exercise06.1   compare: make solution03.5" in reader.out("03.5")
    write(reader.folder / "mine" / "kernel.cu", "")
    assert "on the CPU only" in reader.out("03.5")
    reader.statuses("cpu", "cuda", cuda=exercises.NO_GPU)
    assert "on the CPU only" in reader.out("03.5")
    reader.statuses("cpu", "cuda")
    assert "on the CPU only" not in reader.out("03.5")
    reader.statuses("cpu", "cuda", cuda=exercises.WRONG)
    assert reader.run("03.5")[0] == 1


def test_the_last_check_counts(reader):
    reader.solve()
    reader.run("03.5")
    assert re.search(r"03\.5 +done", reader.out("03")) and "1 of 3 done" in reader.out()
    reader.statuses("cpu", cpu=exercises.BROKEN)  # that is not the reader's mistake
    reader.run("03.5")
    assert "1 of 3 done" in reader.out()
    reader.statuses("cpu", cpu=exercises.WRONG)
    reader.run("03.5")
    assert re.search(r"03\.5 +open", reader.out("03")) and "0 of 3 done" in reader.out()


def test_progress_is_shown_by_chapter(reader):
    reader.solve()
    reader.run("03.5")
    assert re.findall(r"^make exercise(\d\d) .* (\d of \d)$", reader.out(), re.M) == [
        ("03", "1 of 2"),
        ("06", "0 of 1"),
    ]
    assert "make exercise03.1 " in reader.out("03") and "06" not in reader.out("03")
    assert reader.run("0")[0] == "There is no exercise 00; there are: 03 06"
    assert reader.run("03.9")[0] == "There is no exercise 03.9; there are: 03.1 03.5"


def test_next_is_where_the_reader_was(reader):
    assert "exercise 03.1 " in reader.out("next")
    reader.solve()
    assert "exercise 03.5 " in reader.out("3.5")
    assert "exercise 06.1 " in reader.out("next") and "exercise 06.1 " in reader.out("next")
    reader.solve("06.1")
    reader.run("next")
    assert "exercise 03.1 " in reader.out("next")
    for number in SOURCES:
        reader.solve(number)
        reader.run(number)
    assert reader.run("next") == ("All exercises are done.", "")


def test_one_hint_more_each_time(reader):
    count = len(SOURCES["03.5"].hints)
    for number in range(1, count + 2):
        assert len(re.findall("^hint ", reader.out("03.5", "--hint"), re.M)) == min(number, count)
    assert "compare: make solution03.5" in reader.out("03.5")


def test_the_solution_is_a_difference(reader):
    write(reader.folder / "skeleton" / "given.h", "// given\n")
    reader.run("03.5")
    reader.mine.with_name("given.h").write_text("// changed\n")
    out = reader.out("03.5", "--solution", "--yes")
    assert "+BLOCKS = 4" in out and "-// changed\n+// given\n" in out
    reader.solve()
    assert reader.run("03.5")[0] == 0 and reader.out("03.5", "--solution") == ""


def test_the_solution_asks_first(reader):
    status, out = reader.run("03.5", "--solution")
    assert status.endswith("make solution03.5 ARGS=--yes") and not out
    answers = iter((False, True))
    reader.monkeypatch.setattr("sys.stdin", open_terminal())
    reader.monkeypatch.setattr(command, "yes", lambda question: next(answers))
    assert not reader.out("03.5", "--solution") and "+BLOCKS = 4" in reader.out("03.5", "--solution")


def open_terminal():
    return os.fdopen(pty.openpty()[1])


def test_reset_keeps_what_was_there(reader):
    reader.solve()
    reader.run("03.5")
    reader.run("03.5", "--reset")
    assert "= None" in reader.mine.read_text()
    assert "= None" not in (reader.folder / "mine-1" / "answers.py").read_text()
    assert "0 of 3 done" in reader.out()
    reader.run("03.5", "--reset")
    assert (reader.folder / "mine-2").is_dir()


def test_a_deleted_file_is_one_line(reader):
    reader.solve()
    reader.run("03.5")
    reader.mine.unlink()
    status, out = reader.run("03.5")
    last = out.splitlines()[-1]
    assert status == 1 and last.startswith("wrong   answers.py is missing: `make reset03.5` ")
    assert "checked" not in out and "0 of 3 done" in reader.out()


def test_what_cannot_be_written_is_one_line(reader):
    reader.monkeypatch.setattr(shutil, "copytree", refused)
    for words in ("03.5",), ("03.5", "--reset"), ("03.5", "--solution"):
        status, _ = reader.run(*words)
        assert status == "a/folder: Permission denied. Once that is fixed, `make reset03.5` starts anew."


def refused(*args):
    raise PermissionError(13, "Permission denied", "a/folder")


def test_damaged_progress_is_one_line(reader):
    reader.solve()
    for number, text in enumerate((b'{"03.5": {"do', b"[]", b'{"03.5": 1}', b"\xff")):
        progress.FILE.write_bytes(text)
        status, out = reader.run("03.5")
        assert status == 0 and reader.err.count("\n") == 1 and "is damaged" in reader.err, number
        assert "1 of 3 done" in reader.out() and not reader.err
        assert progress.FILE.with_suffix(".damaged.json").read_bytes() == text
    progress.FILE.unlink()
    progress.FILE.mkdir()  # neither to be read nor to be written
    assert reader.run("03.5")[0] == 0 and "Traceback" not in reader.err


def test_progress_outlives_make_clean():
    assert progress.FILE == ROOT / ".exercises.json"
    assert "/.exercises*.json" in (ROOT / ".gitignore").read_text().splitlines()


def test_two_words_are_one():
    def started(*goals):
        plan = subprocess.run(["make", "-n", *goals], cwd=ROOT, capture_output=True, text=True)
        assert plan.returncode == 0, plan.stderr
        return re.findall(r"-m grader +(.*)", plan.stdout)

    for action, option in ("exercise", ""), ("hint", "--hint "), ("watch", "--watch "), ("solution", "--solution "):
        assert started(f"{action}03.2") == started(action, "03.2") == [f"{option}'03.2'"]
        assert started(action) == [f"{option}'next'"]
    assert started("exercise", "03") == ["'03'"]
    assert started("exercises") == [""] or started("exercises") == []


def test_colour_is_for_terminals(monkeypatch, capsys):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")

    def said(text):
        terminal.say(text)
        return capsys.readouterr().out

    assert said("wrong   x\n") == "wrong   x\n"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert said("wrong   x\n        right\nopen    y\n") == (
        "\033[31mwrong\033[m   x\n        right\n\033[33mopen\033[m    y\n"
    )
    for name, value in ("NO_COLOR", "1"), ("TERM", "dumb"):
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            assert said("wrong   x\n") == "wrong   x\n"


# ---- watching --------------------------------------------------------------------------------------------------------


def test_watch_survives_files_that_vanish(reader):
    """Editors write files beside the reader's, and rename or delete them at any moment."""
    reader.run("03.5")
    exercise = next(it for it in exercises.find() if it.number == "03.5")
    before = command.saved(exercise)
    assert len(before) == 1
    for name in "answers.py~", ".answers.py.swp", "4913":
        write(reader.mine.with_name(name), "")
    assert command.saved(exercise) == before
    reader.monkeypatch.setattr(command, "files_in", lambda folder: [Path("answers.py"), Path("gone.py")])
    assert command.saved(exercise) == before


WATCH = """
import signal
import sys
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever was started with "&" in a script would ignore it
from grader import __main__ as command, exercises, progress
root = Path(sys.argv.pop(1))
command.ROOT = exercises.ROOT = root
progress.FILE = root / ".exercises.json"
command.devices = lambda exercise: ["cpu"]
def check(exercise, files, device, say):
    say("checked " + exercise.number + "\\n")
    return int("= None" in (files / "answers.py").read_text()), ""
command.check = check
command.main()
"""


class Watching:
    """`watch` in a terminal of its own."""

    def __init__(self, reader, *words):
        self.terminal, theirs = pty.openpty()
        self.theirs, self.before = theirs, termios.tcgetattr(theirs)
        program = [sys.executable, "-c", WATCH, reader.root, *words]
        streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs, "cwd": ROOT}
        self.process = subprocess.Popen(program, **streams, start_new_session=True)

    def read(self, until):
        """What is printed until that text comes."""
        told, end = "", time.monotonic() + 60
        while until not in told:
            assert time.monotonic() < end, told
            if select.select([self.terminal], [], [], 0.1)[0]:
                told += os.read(self.terminal, 65536).decode()
        return told

    def press(self, key):
        os.write(self.terminal, key.encode())


@pytest.fixture
def watching(reader):
    it = Watching(reader, "03.5", "--watch")
    yield it
    it.process.kill()
    it.process.wait()


MENU = "q quit"


def test_watch_checks_again_and_has_keys(reader, watching):
    assert "checked 03.5" in watching.read(MENU)
    watching.press("h")
    assert "1 of" in watching.read(MENU)
    watching.press("s")
    watching.read("y/n")
    watching.press("n")
    assert "BLOCKS" not in watching.read(MENU)
    watching.press("s")
    watching.read("y/n")
    watching.press("y")
    assert "+BLOCKS = 4" in watching.read(MENU)
    write(reader.mine.with_name(".answers.py.swp"), "")
    time.sleep(0.3)
    reader.solve()
    told = watching.read(MENU)
    assert told.count("checked 03.5") == 1 and "done" in told
    watching.press("n")
    assert "checked 06.1" in watching.read(MENU)
    watching.press("n")
    watching.read("this is the last exercise")
    watching.press("q")
    assert watching.process.wait(20) == 0
    assert termios.tcgetattr(watching.theirs) == watching.before


def test_watch_ends_by_control_c(reader, watching):
    watching.read(MENU)
    watching.process.send_signal(2)
    assert watching.process.wait(20) == 130 and termios.tcgetattr(watching.theirs) == watching.before
