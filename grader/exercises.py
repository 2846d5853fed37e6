"""What an exercise is, and how its check runs: in a process of its own, which the reader's code may end or crash.

An exercise is a folder chapters/NN_name/exercises/K_name with exercise.py (the check, and what there is to say about it),
spoilers.py (hints and wrong solutions, which give the solution away), skeleton/, and solution/ with the files that differ
from skeleton/. The first run copies skeleton/ to mine/, which git ignores. CONTRIBUTING.md says more.
"""

import ast
import contextlib
import dataclasses
import functools
import importlib.util
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from multiprocessing import forkserver, resource_tracker
from pathlib import Path

from cuda_on_cpu import report

ROOT = Path(__file__).resolve().parents[1]
CPU_SECONDS = 20  # for a check, of its own CPU time
SECONDS = 180  # for a check, of the clock: compilers and other programs included
RIGHT, WRONG, BROKEN, NO_GPU = 0, 1, 2, 3  # the verdicts of a check; BROKEN: exercise.py itself has failed


@dataclasses.dataclass(frozen=True)
class Exercise:
    """What exercise.py and spoilers.py say, read without running them: a docstring, and names that stand for literals."""

    folder: Path
    title: str  # the docstring's first line
    task: str  # what follows it: two or three sentences
    minutes: int
    hints: list
    fails: str  # words of the message that the skeleton gets
    wrong: dict  # {name of a wrong solution: (words of the message that it gets, {file: [(text, what it is instead)]})}
    needs_gpu: bool = False
    memory_check: bool = True
    capability: str = ""  # what a GPU needs to run it: "8.0" or higher; "9.0a" means 9.0 alone

    @property
    def number(self) -> str:
        """Of the chapter and in it: 03.2"""
        return f"{self.folder.parents[1].name[:2]}.{self.folder.name.partition('_')[0]}"

    @property
    def mine(self) -> Path:
        return self.folder / "mine"

    def runs_on(self, major: int, minor: int) -> bool:
        """On a GPU of that compute capability."""
        needs = tuple(map(int, self.capability.rstrip("a").split("."))) if self.capability else (0, 0)
        return (major, minor) == needs if self.capability.endswith("a") else (major, minor) >= needs


def read(folder: Path) -> Exercise:
    tree, spoilers = (ast.parse((folder / name).read_text()) for name in ("exercise.py", "spoilers.py"))
    known = {field.name.upper(): field.name for field in dataclasses.fields(Exercise)}
    said = {
        known[node.targets[0].id]: ast.literal_eval(node.value)
        for node in [*tree.body, *spoilers.body]
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) in known
    }
    title, _, task = ast.get_docstring(tree).partition("\n\n")
    return Exercise(folder=folder, title=title, task=task.replace("\n", " "), **said)


def find() -> list[Exercise]:
    """All of them, in order."""
    return [read(file.parent) for file in sorted(ROOT.glob("chapters/[0-9][0-9]_*/exercises/*/exercise.py"))]


def names(exercise) -> list[str]:
    """The files with a place for the reader's code."""
    return [
        str(f) for f in files_in(exercise.folder / "skeleton") if MARK in (exercise.folder / "skeleton" / f).read_text()
    ]


MARK = "your code"  # a line `// your code` begins what the reader writes, `// end of your code` ends it; # in Python
MARKS = re.compile(r"^ *(?://|#) your code$.*?^ *(?://|#) end of your code$", re.M | re.S)


def files_in(folder: Path) -> list[Path]:
    return sorted(f.relative_to(folder) for f in folder.rglob("*") if f.is_file() and "__pycache__" not in f.parts)


def texts(*folders: Path) -> dict[Path, str]:
    """{file: its text}, of the last folder that has the file: solution/ lies over skeleton/."""
    return {file: (folder / file).read_text() for folder in folders for file in files_in(folder)}


# ---- checking --------------------------------------------------------------------------------------------------------


def devices(exercise: Exercise) -> list[str]:
    """Where to check it: "cpu", and "cuda" if this machine may have a GPU."""
    gpu = any(Path("/dev").glob("nvidia[0-9]*")) or Path("/dev/dxg").exists()  # the latter: in Windows' Linux
    if exercise.needs_gpu:
        return ["cuda"]
    return ["cpu", "cuda"] if gpu and os.environ.get("CHAPTERS_DEVICE") != "cpu" else ["cpu"]


def check(exercise: Exercise, files: Path, device: str = "cpu", echo=None) -> tuple[int, str]:
    """Checks the files of that folder in a process of its own: (RIGHT, WRONG, BROKEN or NO_GPU, what to tell the reader).

    device: "cpu", or "cuda" for a GPU; where there is none, that says nothing and gives NO_GPU. echo(text) gets what is to
    be told as it comes. The process is forked from one that has imported torch, which the first check starts.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["torch", "torch.testing"])
    # Ctrl-C is for this process, not for the one that imports torch and those that it forks.
    resource_tracker.ensure_running()  # first, because it ends with SIGINT unblocked
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    forkserver.ensure_running()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    compilers = _compile_ahead(files) if device == "cpu" and exercise.memory_check else []
    temporary = functools.partial(tempfile.NamedTemporaryFile, "r", prefix="exercise-", errors="replace")
    with temporary() as log, temporary() as allocated:
        verdict, sender = context.Pipe(duplex=False)  # an exit status would not do: the reader's code may call exit(0)
        process = context.Process(target=_checked, args=(exercise, files, device, log.name, allocated.name, sender))
        process.start()
        sender.close()
        told, end = "", time.monotonic() + SECONDS
        try:
            while process.is_alive() and time.monotonic() < end:
                process.join(0.02)
                told += (new := log.read())
                if echo and new:
                    echo(new)
        finally:  # also after Ctrl-C
            late = process.is_alive()
            if late:
                with contextlib.suppress(ProcessLookupError):  # it has no group of its own yet
                    os.killpg(process.pid, signal.SIGKILL)
                process.kill()
                process.join()
        for compiler in compilers:
            compiler.wait()
        rest = log.read()
        status = None
        if process.exitcode == 0:
            with contextlib.suppress(EOFError):  # it has ended before its check did
                status = verdict.recv()
        if status is None:
            status = WRONG
            rest += _ended(process.exitcode, late)
        if status == RIGHT and (left := sum(map(int, allocated))):
            status = WRONG
            rest += report.told("wrong", f"{left} bytes {NEVER_FREED}")
        if status == RIGHT and (said := what_no_run_shows(exercise, files) or given_is_changed(exercise, files)):
            status = WRONG
            rest += report.told("wrong", with_sources(said.replace(f"{ROOT}/", ""), files))
    if echo and rest:
        echo(rest)
    return status, told + rest


def _compile_ahead(files):
    """In the first check: compilers of the .cu that need no binding, at work while torch is imported. The check waits for
    them. Later ones need none, as torch is there."""
    global _torch_is_there
    if _torch_is_there or sys.platform != "linux" or any(files.glob("*.cpp")):
        return []
    _torch_is_there = True
    program = [sys.executable, "-m", "grader.launchers"]
    cus = [cu for cu in files.glob("*.cu") if cu.with_suffix(".h").exists()]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return [subprocess.Popen([*program, cu], cwd=ROOT, **quiet) for cu in cus]


_torch_is_there = False
ENDED_EARLY = "the program ended before its check was complete: your code must return, and not call exit()"


def _ended(exit_status, late):
    number = -exit_status
    if late or number == signal.SIGPROF:
        return told(
            "wrong",
            f"no end after {SECONDS if late else CPU_SECONDS} s: an endless loop, or does each thread do all of the work?",
        )
    if number <= 0:
        return told("wrong", ENDED_EARLY)
    name = signal.Signals(number).name
    return told("wrong", f"the program crashed ({name}): perhaps host code used memory outside of its arrays")


NEVER_FREED = "of cudaMalloc() are never freed: each call takes more, until the GPU has no memory left"


def _checked(exercise, files, device, log, allocated, verdict):
    """In the process of a check: sends RIGHT, WRONG, BROKEN or NO_GPU as the last thing it does."""
    os.setsid()  # one group, which check() can end with all compilers in it
    sys.dont_write_bytecode = True  # a file that is saved twice in a second must be read twice
    if device == "cpu":
        memory_check = exercise.memory_check and sys.platform == "linux"
        os.environ.update(CHAPTERS_DEVICE="cpu", CHAPTERS_SANITIZE="memory" if memory_check else "")
        if not exercise.memory_check:  # it forgives a launcher that keeps memory because it fails
            os.environ["CUDA_ON_CPU_ALLOCATED"] = allocated
    os.environ.setdefault("CUDA_ON_CPU_TIMEOUT", "5")
    try:
        output = os.open(log, os.O_WRONLY | os.O_APPEND)
    except FileNotFoundError:  # Ctrl-C: check() is gone
        return
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.stdout.reconfigure(line_buffering=True, errors="replace")
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
    import torch

    from common import device as chosen
    from common.progress import BuildError
    from grader.checks import Wrong

    if device == "cuda" and chosen.type != "cuda":
        print(told("skipped", "this exercise needs a GPU") if exercise.needs_gpu else "", end="")
        return verdict.send(NO_GPU)
    if device == "cuda" and not exercise.runs_on(*torch.cuda.get_device_capability()):
        print(told("skipped", f"not checked on this GPU: it needs compute capability {exercise.capability}"), end="")
        return verdict.send(NO_GPU)
    try:
        spec = importlib.util.spec_from_file_location("exercise_under_check", exercise.folder / "exercise.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.run(files)
    except (Wrong, BuildError) as error:
        print(told("wrong", with_sources(str(error), files)), end="")
        return verdict.send(WRONG)
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        theirs = [f"{f.filename}:{f.lineno}" for f in frames if Path(f.filename).is_relative_to(files)]
        if isinstance(error, SyntaxError) and Path(error.filename or "").is_relative_to(files):
            theirs.append(f"{error.filename}:{error.lineno}")
        asked = [f for f in frames if f.filename == str(exercise.folder / "exercise.py")]
        first, *rest = str(error).splitlines() or [""]
        lines = [f"{type(error).__name__}: {first}", *rest]
        if len(lines) > 30:  # torch's traces: what is wrong is at the end
            lines[1:-15] = ["..."]
        lines += dict.fromkeys(f"at {place}" for place in theirs)  # once each: there may be a recursion
        lines += [f"(the check had called: {asked[-1].line})"] if asked else traceback.format_exc().splitlines()
        print(told("wrong", with_sources("\n".join(lines), files)), end="")
        return verdict.send(WRONG if theirs or isinstance(error, (RuntimeError, TypeError, ValueError)) else BROKEN)
    verdict.send(RIGHT)


# ---- what is looked at where the result is right ----------------------------------------------------------------------


def given_is_changed(exercise: Exercise, mine: Path) -> str:
    """Says where text of the skeleton outside of the marks has changed, or other text stands there.

    Comments, and lines that include or import, are not compared. The reader's file needs no marks.
    """
    for name in files_in(exercise.folder / "skeleton"):
        given, here = exercise.folder / "skeleton" / name, mine / name
        if not here.exists():
            return f"{name} is given, and not there"
        if line := _changed_line(MARKS.split(given.read_text()), here.read_text(), name.suffix in CPP):
            where = "outside of the place for your code" if str(name) in names(exercise) else "given"
            return f"{name}:{line}: this is {where}, and not as it was: git diff --no-index {given} {here}"
    return ""


def _changed_line(parts: list[str], text: str, is_cpp: bool) -> int:
    """The line of text where one of the parts stops being as given; 0 if text has them all in order, one at each end."""
    words, at = [*_words(text, is_cpp), ("", text.count("\n") + 1)], 0
    for number, part in enumerate(parts):
        wanted = [word for word, _ in _words(part, is_cpp)] + [""] * (number == len(parts) - 1)
        first, most = at, -1
        for begin in range(at, len(words)) if number else [0]:
            pairs = zip(wanted, words[begin:], strict=False)
            same = next((i for i, (word, (found, _)) in enumerate(pairs) if word != found), len(words) - begin)
            if same >= len(wanted):
                at = begin + len(wanted)
                break
            if same > most:
                first, most = begin + same, same
        else:
            return words[min(first, len(words) - 1)][1]
    return 0


def _words(text, is_cpp):
    """(word, its line) for each that is compared."""
    left_out = r"^ *#include.*" if is_cpp else r"#.*|^(import|from) .*"
    lines = re.sub(left_out, "", _without_comments(text) if is_cpp else text, flags=re.M).split("\n")
    return [(word, number) for number, line in enumerate(lines, 1) for word in re.findall(r"\w+|\S", line)]


CPP = ".cu", ".cpp", ".h"
NO_RUN_SHOWS = {  # on a CPU: words, and what is to be said of the one that is found
    r"atomic\w+_block|__threadfence_block|thread_scope_block|scope_cta": "{}: it is for the threads of one block. CUDA on CPU "
    "makes it as strong as for the whole GPU, so no run can tell whether that is enough; write the one without _block",
    "__cluster_barrier_arrive_relaxed": "{}: it orders no memory. CUDA on CPU makes it as strong as "
    "__cluster_barrier_arrive(), so no run can tell whether that is enough; write that one",
    "__activemask": "{}() gives the lanes that happen to be there together; on a GPU the others may come later, and their "
    "elements would be lost. Which lanes have to take part?",
    "CUDA_ON_CPU|__CUDACC__|__CUDA_ARCH__|redefine_extname": "{}: a GPU would run other code than the one that was checked",
}


def what_no_run_shows(exercise: Exercise, mine: Path) -> str:
    """Says where the reader's code has words of NO_RUN_SHOWS that neither skeleton nor solution has."""
    known = "\n".join(texts(exercise.folder / "skeleton", exercise.folder / "solution").values())
    for name in files_in(mine):
        for number, line in enumerate(without_comments(mine / name).splitlines() if name.suffix in CPP else (), 1):
            for words, said in NO_RUN_SHOWS.items():
                if (found := re.search(rf"\b({words})\b", line)) and found[0] not in known:
                    return f"{name}:{number}: {said.format(found[0])}"
    return ""


def without_comments(file) -> str:
    """The text of a C++ file with spaces for comments, on the same lines."""
    return _without_comments(file.read_text())


def _without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", lambda found: re.sub(r".", " ", found[0]), text, flags=re.S)


def told(word: str, text: str) -> str:
    return report.told(word, text.replace(f"{ROOT}/", ""))


def with_sources(text: str, folder: Path) -> str:
    """That text, and below it each line of the folder's files that it names as FILE:LINE. Files are named from there."""
    files = {str(file): folder / file for file in files_in(folder)}
    return report.with_sources(_in_these_files(text, files), files)


def _in_these_files(text, files):
    """That text, with FILE:LINE of the reader's in place of a place in a file that a build has made from it."""

    def written(found):
        generated, line = Path(found[1]), int(found[2] or found[3])
        code = generated.read_text(errors="replace").splitlines()[line - 1 : line] if generated.is_file() else []
        places = [
            f"{name}:{i}"
            for name, file in files.items()
            for i, here in enumerate(file.read_text(errors="replace").splitlines(), 1)
            if [here] == code
        ]
        return places[0] if len(places) == 1 else found[0]

    text = re.sub(rf"({re.escape(str(ROOT))}/build/[^\s:()]+)(?::(\d+)|\((\d+)\))", written, text)
    if "setup.py" in files:  # setuptools passes its text to exec()
        text = re.sub(r'File "<string>", line (\d+)', r"setup.py:\1", text)
    return re.sub(r"\bexercise_[0-9a-f]{8} does not build", "This does not build", text)
