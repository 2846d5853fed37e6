"""The exercises: sets one and checks what the reader wrote, gives hints, shows how far the reader has come.

make exercises         your progress by chapter
make exercise03        the exercises of chapter 03
make exercise03.2      prints the task and checks your files, chapters/03_add2/exercises/2_*/mine
make watch03.2         ... again whenever you save one; h gives a hint, s shows the solution, n goes on to the next, q quits
make hint03.2          one hint more each time
make solution03.2      the difference between your files and a solution; asks first, unless the exercise is done
make reset03.2         starts anew; your files stay beside it, in mine-1

Without a number, `make exercise`, `make watch` and so on mean the exercise you worked on last; if that is done, the next
open one.
"""

import argparse
import contextlib
import difflib
import itertools
import os
import re
import shutil
import signal
import sys
import time

from . import progress
from .exercises import BROKEN, MARK, NO_GPU, RIGHT, ROOT, WRONG, check, devices, files_in, find, names, texts, told
from .terminal import BOLD, CYAN, GREEN, RED, YELLOW, keys, paint, say, yes


def make(action, exercise) -> str:
    return f"make {action}{exercise.number}"


def after(exercise):
    """The exercise that follows, or None."""
    found = find()
    return next(iter(found[[e.number for e in found].index(exercise.number) + 1 :]), None)


def start(exercise):
    """Copies the skeleton to the reader's folder, unless the reader has begun."""
    if not exercise.mine.exists():
        shutil.copytree(exercise.folder / "skeleton", exercise.mine)


def places(exercise) -> str:
    """Where the reader writes: FILE:LINE, the first place of each file."""
    lines = []
    for name in names(exercise):
        file = exercise.mine / name
        text = file.read_text(errors="replace").splitlines() if file.is_file() else []
        numbers = [i for i, line in enumerate(text, 1) if line.strip(" #/") == MARK]
        first = f":{numbers[0]}" if numbers else ""
        more = f" and {len(numbers) - 1} more" if len(numbers) > 1 else ""
        lines.append(f"{file.relative_to(ROOT)}{first}{more}")
    return "\n".join(lines)


def attempt(exercise) -> bool:
    """Sets the task, checks the reader's files, on the CPU and then on a GPU where there is one, and says what came."""
    start(exercise)
    print(paint(f"exercise {exercise.number} · {exercise.title} · {exercise.minutes} minutes", BOLD))
    say(told("task", exercise.task) + told("write", places(exercise)))
    missing = [str(f) for f in files_in(exercise.folder / "skeleton") if not (exercise.mine / f).is_file()]
    if missing:
        remember_open(exercise)
        say(
            f"{'wrong':8}{' '.join(missing)} is missing: `{make('reset', exercise)}` starts anew and keeps your other files\n"
        )
        return False
    start_time = time.monotonic()
    statuses = []
    for device in devices(exercise):
        statuses.append(check(exercise, exercise.mine, device, say)[0])
        if statuses[-1] in (WRONG, BROKEN):
            break
    right = RIGHT in statuses and statuses[-1] in (RIGHT, NO_GPU)
    seconds = f"{time.monotonic() - start_time:.1f} s"
    if right:
        following = after(exercise)
        next = make("exercise", following) if following else "make exercises"
        if statuses in ([RIGHT], [RIGHT, NO_GPU]) and any(exercise.mine.rglob("*.cu")) and not exercise.needs_gpu:
            print(f"{'':8}checked on the CPU only: neither nvcc nor a GPU has seen it")
        say(f"{'done':8}{seconds}   next: {next}   compare: {make('solution', exercise)}\n")
        progress.remember(exercise, done=True)
    else:
        left = len(exercise.hints) - progress.hints(exercise)
        help = f"help: {make('hint', exercise)} ({left} left)" if left else f"compare: {make('solution', exercise)}"
        say(f"{'open':8}{seconds}   {help}\n")
        if WRONG in statuses:
            remember_open(exercise)
    return right


def remember_open(exercise):
    """Also where it was done: what counts is the last check."""
    progress.remember(exercise, done=False)


def hint(exercise):
    given = min(progress.hints(exercise) + 1, len(exercise.hints))
    progress.remember(exercise, hints=given)
    for i, text in enumerate(exercise.hints[:given], 1):
        say(told("hint", f"{i} of {len(exercise.hints)}: {text}"))


def solution(exercise, sure=False):
    """The reader's files and a solution as a unified diff; a reader who has not done the exercise is asked first."""
    start(exercise)
    if not sure and not progress.done(exercise):
        left = len(exercise.hints) - progress.hints(exercise)
        if not sys.stdin.isatty():
            sys.exit(f"This shows all of the solution. If you want that: {make('solution', exercise)} ARGS=--yes")
        if not yes(f"Show all of the solution? {f'There are hints left: {left}.' if left else ''}".rstrip()):
            return
    for name, theirs in texts(exercise.folder / "skeleton", exercise.folder / "solution").items():
        mine = exercise.mine / name
        old = mine.read_text(errors="replace").splitlines(keepends=True) if mine.exists() else []
        new = theirs.splitlines(keepends=True)
        for line in difflib.unified_diff(old, new, f"mine/{name}", f"solution/{name}"):
            colour = {"+": GREEN, "-": RED, "@": CYAN}.get(line[0])
            print(paint(line.rstrip("\n"), colour) if colour else line.rstrip("\n"))


def reset(exercise):
    if exercise.mine.exists():
        kept = next(k for i in itertools.count(1) if not (k := exercise.folder / f"mine-{i}").exists())
        exercise.mine.rename(kept)
        print(f"{'kept':8}{kept.relative_to(ROOT)}")
    start(exercise)
    remember_open(exercise)
    print(f"{'new':8}{exercise.mine.relative_to(ROOT)}")


def saved(exercise) -> dict:
    """{file: when it was saved, and its size}. Leaves out what editors put there: pairs.cu~, .pairs.cu.swp, 4913."""
    kinds = {file.suffix for file in files_in(exercise.folder / "skeleton")}
    found = {}
    with contextlib.suppress(OSError):  # a folder or a file may be gone by now
        for file in files_in(exercise.mine):
            if file.suffix in kinds:
                status = (exercise.mine / file).stat()
                found[file] = status.st_mtime_ns, status.st_size
    return found


def watch(exercise):
    """Checks again whenever a file has been saved, and does what keys say, until q or Control-C."""
    menu = "save a file to check again"
    menu += "; h hint, s solution, n next, q quit" if sys.stdin.isatty() else "; Control-C ends"
    with keys() as key:
        while True:
            print("\033[2J\033[H" if sys.stdout.isatty() else "", end="")
            start(exercise)
            seen = saved(exercise)
            attempt(exercise)
            say(told("watch", menu))
            while saved(exercise) == seen:
                pressed = key(0.1)
                if pressed == "q":
                    return
                if pressed == "n" and not (following := after(exercise)):
                    print(f"{'':8}this is the last exercise")
                elif pressed == "n":
                    exercise = following
                    break
                elif pressed and pressed in "hs":
                    hint(exercise) if pressed == "h" else solution(exercise)
                    say(told("watch", menu))
            else:
                settle(exercise)


def settle(exercise):
    """Waits until nothing changes any more: an editor may save in several steps."""
    before = None
    while before != (before := saved(exercise)):
        time.sleep(0.1)


def bar(exercises, done) -> str:
    count = sum(exercise.number in done for exercise in exercises)
    return paint("■" * count, GREEN) + "□" * (len(exercises) - count) + f"  {count} of {len(exercises)}"


def show(exercises, chapter=None):
    """A line for each chapter, or each exercise of one chapter."""
    done = {number for number, entry in progress.load().items() if entry.get("done")}
    for folder, group in itertools.groupby(exercises, key=lambda exercise: exercise.folder.parents[1]):
        group = list(group)
        if chapter in (None, folder.name[:2]):
            print(f"make exercise{folder.name[:2]}   {folder.name[3:]:12} {bar(group, done)}")
        for exercise in group if chapter == folder.name[:2] else ():
            mark = "done" if exercise.number in done else "open" if exercise.mine.exists() else ""
            mark = paint(f"{mark:5}", GREEN if mark == "done" else YELLOW)
            gpu = "   needs a GPU" if exercise.needs_gpu else ""
            print(f"  make exercise{exercise.number}  {mark} {exercise.minutes:3} min   {exercise.title}{gpu}")
    if not chapter:
        following = progress.next_open(exercises)
        count = sum(exercise.number in done for exercise in exercises)
        print(
            f"{count} of {len(exercises)} done"
            + (f"   next: {make('exercise', following)}, {following.title}" if following else "")
        )


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("number", nargs="?", help="03.2, or 03 for its chapter, or next; without it: your progress")
    actions = options.add_mutually_exclusive_group()
    for action in "watch", "hint", "solution", "reset":
        actions.add_argument(f"--{action}", action="store_true")
    options.add_argument("--yes", action="store_true", help="--solution asks nothing")
    options = options.parse_args()
    found = find()
    number = re.sub(r"^\d(?=$|\.)", r"0\g<0>", options.number or "")  # 3.2 is 03.2
    by_number = {exercise.number: exercise for exercise in found}
    if not number or any(n.startswith(f"{number}.") for n in by_number):
        if hasattr(signal, "SIGPIPE"):
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # make exercises | head
        return show(found, number or None)
    exercise = progress.next_open(found) if number == "next" else by_number.get(number)
    if not exercise and number == "next":
        sys.exit("All exercises are done.")
    if not exercise:
        there = [n for n in by_number if n[:2] == number[:2]] or dict.fromkeys(n[:2] for n in by_number)
        sys.exit(f"There is no exercise {number}; there are: {' '.join(there)}")
    try:
        if options.watch:
            return watch(exercise)
        if options.hint:
            return hint(exercise)
        if options.solution:
            return solution(exercise, options.yes)
        if options.reset:
            return reset(exercise)
        sys.exit(0 if attempt(exercise) else 1)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:  # make exercise03.2 | head
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        what = str(error.filename or exercise.mine).replace(f"{ROOT}/", "")
        sys.exit(f"{what}: {error.strerror or error}. Once that is fixed, `{make('reset', exercise)}` starts anew.")


if __name__ == "__main__":
    main()
