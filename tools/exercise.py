"""The exercises: lists them, checks what the reader wrote, gives hints.

    make exercises                          all of them: done and open, minutes
    make exercise03.2                       checks your files, chapters/03_add2/exercises/2_*/mine
    make exercise03.2 ARGS=--watch          ... again whenever you save one
    make exercise03.2 ARGS=--hint           one hint more each time
    make exercise03.2 ARGS=--solution       the difference between your files and a solution
    make exercise03.2 ARGS=--reset          starts anew; your files stay beside it, in mine-1

An exercise is a folder chapters/NN_name/exercises/K_name with exercise.py (the check, and what there is to say about it),
spoilers.py (hints and wrong solutions, which give the solution away), skeleton/ and solution/. The first run copies skeleton/
to mine/, which git ignores. CONTRIBUTING.md says more.
"""

import argparse
import ast
import dataclasses
import difflib
import importlib.util
import itertools
import json
import multiprocessing
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STATE = ROOT / "build" / "exercises.json"  # {number: {"done": bool, "hints": how many were given}}
CPU_SECONDS = 20  # for a check, of its own CPU time
SECONDS = 180  # for a check, of the clock: compilers and other programs included
RIGHT, WRONG, BROKEN, NO_GPU = 0, 1, 2, 3  # the exit status of a check; BROKEN: exercise.py itself has failed


@dataclasses.dataclass(frozen=True)
class Exercise:
    """What exercise.py and spoilers.py say, read without running them: a docstring, and names that stand for literals."""

    folder: Path
    title: str
    minutes: int
    hints: list
    fails: str  # words of the message that the skeleton gets
    wrong: dict  # {name of a wrong solution: (words of the message that it gets, {file: [(text, what it is instead)]})}
    needs_gpu: bool = False
    memory_check: bool = True

    @property
    def number(self) -> str:
        """Of the chapter and in it: 03.2"""
        return f"{self.folder.parents[1].name[:2]}.{self.folder.name.partition('_')[0]}"

    @property
    def mine(self) -> Path:
        return self.folder / "mine"


def read(folder: Path) -> Exercise:
    tree, spoilers = (ast.parse((folder / name).read_text()) for name in ("exercise.py", "spoilers.py"))
    known = {field.name.upper(): field.name for field in dataclasses.fields(Exercise)}
    said = {
        known[node.targets[0].id]: ast.literal_eval(node.value)
        for node in [*tree.body, *spoilers.body]
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) in known
    }
    return Exercise(folder=folder, title=ast.get_docstring(tree).splitlines()[0], **said)


def find() -> list[Exercise]:
    """All of them, in order."""
    return [read(file.parent) for file in sorted(ROOT.glob("chapters/[0-9][0-9]_*/exercises/*/exercise.py"))]


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
    compilers = _compile_ahead(files) if device == "cpu" and exercise.memory_check else []
    with tempfile.NamedTemporaryFile("r", prefix="exercise-", errors="replace") as log:
        process = context.Process(target=_checked, args=(exercise, files, device, log.name))
        process.start()
        told, end = "", time.monotonic() + SECONDS
        while process.is_alive() and time.monotonic() < end:
            process.join(0.02)
            told += (new := log.read())
            if echo and new:
                echo(new)
        late = process.is_alive()
        if late:
            os.killpg(process.pid, signal.SIGKILL)
            process.join()
        for compiler in compilers:
            compiler.wait()
        rest = log.read()
        if process.exitcode not in (RIGHT, WRONG, BROKEN, NO_GPU):
            rest += _ended(-process.exitcode, late)
    if echo and rest:
        echo(rest)
    return (process.exitcode if process.exitcode in (RIGHT, BROKEN, NO_GPU) else WRONG), told + rest


def _compile_ahead(files):
    """In the first check: compilers of the .cu that need no binding, at work while torch is imported. The check waits for
    them. Later ones need none, as torch is there."""
    global _torch_is_there
    if _torch_is_there or sys.platform != "linux" or any(files.glob("*.cpp")):
        return []
    _torch_is_there = True
    program = [sys.executable, ROOT / "common" / "launchers.py"]
    cus = [cu for cu in files.glob("*.cu") if cu.with_suffix(".h").exists()]
    return [subprocess.Popen([*program, cu], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for cu in cus]


_torch_is_there = False


def _ended(number, late):
    if late or number == signal.SIGPROF:
        return told(
            "wrong",
            f"no end after {SECONDS if late else CPU_SECONDS} s: an endless loop, or does each thread do the work of all?",
        )
    name = signal.Signals(number).name if number > 0 else f"status {-number}"
    return told("wrong", f"the program crashed ({name}): host code has used memory that is not its own, for example")


def _checked(exercise, files, device, log):
    """In the process of a check."""
    os.setsid()  # one group, which check() can end with all compilers in it
    sys.dont_write_bytecode = True  # a file that is saved twice in a second must be read twice
    if device == "cpu":
        memory_check = exercise.memory_check and sys.platform == "linux"
        os.environ.update(CHAPTERS_DEVICE="cpu", CHAPTERS_SANITIZE="memory" if memory_check else "")
    os.environ.setdefault("CUDA_ON_CPU_TIMEOUT", "5")
    output = os.open(log, os.O_WRONLY | os.O_APPEND)
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.stdout.reconfigure(line_buffering=True, errors="replace")
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
    from common import device as chosen
    from common.exercises import Wrong
    from common.progress import BuildError

    if device == "cuda" and chosen.type != "cuda":
        print(told("skipped", "this exercise needs a GPU") if exercise.needs_gpu else "", end="")
        sys.exit(NO_GPU)
    try:
        spec = importlib.util.spec_from_file_location("exercise_under_check", exercise.folder / "exercise.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.run(files)
    except (Wrong, BuildError) as error:
        print(told("wrong", with_sources(str(error), files)), end="")
        sys.exit(WRONG)
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        theirs = [f for f in frames if Path(f.filename).is_relative_to(files)]
        asked = [f for f in frames if f.filename == str(exercise.folder / "exercise.py")]
        first, *rest = str(error).splitlines() or [""]
        lines = [f"{type(error).__name__}: {first}", *rest]
        if len(lines) > 30:  # torch's traces: what is wrong is at the end
            lines[1:-15] = ["..."]
        lines += dict.fromkeys(f"at {f.filename}:{f.lineno}" for f in theirs)  # once each: there may be a recursion
        lines += [f"(the check had called: {asked[-1].line})"] if asked else traceback.format_exc().splitlines()
        print(told("wrong", with_sources("\n".join(lines), files)), end="")
        sys.exit(WRONG if theirs or isinstance(error, (RuntimeError, TypeError, ValueError)) else BROKEN)
    sys.exit(RIGHT)


def told(word: str, text: str) -> str:
    """A line of what a run prints, and those that belong to it."""
    text = text.replace(f"{ROOT}/", "").rstrip()
    return f"{word:8}" + text.replace("\n", f"\n{'':8}") + "\n"


def with_sources(text: str, folder: Path) -> str:
    """That text, and below it each line of the folder's files that it names as FILE:LINE. Files are named from there."""
    text = text.replace(f"{folder}/", "").rstrip()
    for file, line in sorted(set(re.findall(r"(?<![\w./-])([\w-]+\.(?:cu|cuh|h|cpp|py|txt)):(\d+)", text))):
        if (folder / file).is_file():
            source = (folder / file).read_text(errors="replace").splitlines()[int(line) - 1]
            text += f"\n{f'{file}:{line}':15} {source}"
    return text


# ---- what the reader asks for ----------------------------------------------------------------------------------------


def state() -> dict:
    return json.loads(STATE.read_text()) if STATE.exists() else {}


def remember(exercise, **values):
    everything = state()
    everything.setdefault(exercise.number, {}).update(values)
    STATE.parent.mkdir(exist_ok=True)
    STATE.write_text(json.dumps(everything, indent=1))


def title(exercise) -> str:
    where = exercise.mine.relative_to(ROOT)
    return f"exercise {exercise.number} · {exercise.title}\nfiles   {' '.join(str(where / n) for n in names(exercise))}"


def names(exercise) -> list[str]:
    """The files with a place for the reader's code."""
    return [
        str(f) for f in files_in(exercise.folder / "skeleton") if MARK in (exercise.folder / "skeleton" / f).read_text()
    ]


MARK = "your code"  # a line `// your code` begins what the reader writes, `// end of your code` ends it; # in Python


def files_in(folder: Path) -> list[Path]:
    return sorted(f.relative_to(folder) for f in folder.rglob("*") if f.is_file() and "__pycache__" not in f.parts)


def attempt(exercise, following) -> bool:
    """Checks the reader's files, on the CPU and then on a GPU where there is one, and says so."""
    print(title(exercise))

    def echo(text):
        print(text, end="", flush=True)

    start = time.monotonic()
    statuses = []
    for device in devices(exercise):
        statuses.append(check(exercise, exercise.mine, device, echo)[0])
        if statuses[-1] in (WRONG, BROKEN):
            break
    right = RIGHT in statuses and statuses[-1] in (RIGHT, NO_GPU)
    number = f"make exercise{exercise.number}"
    if right:
        next = f"make exercise{following.number}" if following else "make exercises"
        if statuses in ([RIGHT], [RIGHT, NO_GPU]) and any(exercise.mine.rglob("*.cu")) and not exercise.needs_gpu:
            print(f"{'':8}checked on the CPU only, without nvcc and a GPU")
        print(f"{'done':8}{time.monotonic() - start:.1f} s   next: {next}   compare: {number} ARGS=--solution")
        remember(exercise, done=True)
    else:
        left = len(exercise.hints) - state().get(exercise.number, {}).get("hints", 0)
        help = f"   help: {number} ARGS=--hint ({left} left)" if left > 0 else f"   compare: {number} ARGS=--solution"
        print(f"{'open':8}{time.monotonic() - start:.1f} s{help}")
    return right


def hint(exercise):
    given = min(state().get(exercise.number, {}).get("hints", 0) + 1, len(exercise.hints))
    remember(exercise, hints=given)
    for i, text in enumerate(exercise.hints[:given], 1):
        print(told("hint", f"{i} of {len(exercise.hints)}: {text}"), end="")


def solution(exercise):
    """Your files and a solution as a unified diff."""
    for name in files_in(exercise.folder / "solution"):
        mine, theirs = exercise.mine / name, exercise.folder / "solution" / name
        old = mine.read_text().splitlines(keepends=True) if mine.exists() else []
        sys.stdout.writelines(
            difflib.unified_diff(old, theirs.read_text().splitlines(keepends=True), f"mine/{name}", f"solution/{name}")
        )


def reset(exercise):
    kept = next(k for i in itertools.count(1) if not (k := exercise.folder / f"mine-{i}").exists())
    exercise.mine.rename(kept)
    print(f"{'kept':8}{kept.relative_to(ROOT)}")
    shutil.copytree(exercise.folder / "skeleton", exercise.mine)
    remember(exercise, done=False)
    print(f"{'new':8}{exercise.mine.relative_to(ROOT)}")


def watch(exercise, following):
    """Checks again whenever a file has changed, until Control-C."""

    def times():
        return {f: (exercise.mine / f).stat().st_mtime_ns for f in files_in(exercise.mine)}

    while True:
        print("\033[2J\033[H" if sys.stdout.isatty() else "", end="")
        attempt(exercise, following)
        seen = times()
        print("watch   save a file to check again; Control-C ends", flush=True)
        while times() == seen:
            time.sleep(0.1)


def show(found):
    done = state()
    chapter = None
    for exercise in found:
        if chapter != (chapter := exercise.folder.parents[1]):
            print(chapter.name.replace("_", " ", 1))
        mark = "done" if done.get(exercise.number, {}).get("done") else "open" if exercise.mine.exists() else ""
        gpu = "   needs a GPU" if exercise.needs_gpu else ""
        print(f"  make exercise{exercise.number}  {mark:5} {exercise.minutes:3} min   {exercise.title}{gpu}")
    print(f"{sum(entry.get('done', False) for entry in done.values())} of {len(found)} done")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("number", nargs="?", help="of the exercise, as 03.2; without it, all are listed")
    actions = options.add_mutually_exclusive_group()
    for action in "watch", "hint", "solution", "reset":
        actions.add_argument(f"--{action}", action="store_true")
    options = options.parse_args()
    found = find()
    if not options.number:
        return show(found)
    by_number = {exercise.number: exercise for exercise in found}
    if options.number not in by_number:
        sys.exit(f"There is no exercise {options.number}; `make exercises` lists them.")
    exercise = by_number[options.number]
    if not exercise.mine.exists():
        shutil.copytree(exercise.folder / "skeleton", exercise.mine)
    following = next(iter(found[found.index(exercise) + 1 :]), None)
    if options.hint or options.solution or options.reset:
        return hint(exercise) if options.hint else solution(exercise) if options.solution else reset(exercise)
    try:
        if options.watch:
            return watch(exercise, following)
        sys.exit(0 if attempt(exercise, following) else 1)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
