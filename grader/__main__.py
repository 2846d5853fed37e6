"""The exercises: lists them, checks what the reader wrote, gives hints.

make exercises                          all of them: done and open, minutes
make exercise03                         ... those of chapter 03
make exercise03.2                       checks your files, chapters/03_add2/exercises/2_*/mine
make exercise03.2 ARGS=--watch          ... again whenever you save one
make exercise03.2 ARGS=--hint           one hint more each time
make exercise03.2 ARGS=--solution       the difference between your files and a solution
make exercise03.2 ARGS=--reset          starts anew; your files stay beside it, in mine-1
"""

import argparse
import difflib
import itertools
import json
import shutil
import sys
import time

from .exercises import BROKEN, NO_GPU, RIGHT, ROOT, WRONG, check, devices, files_in, find, names, texts, told

STATE = ROOT / "build" / "exercises.json"  # {number: {"done": bool, "hints": how many were given}}


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
            print(f"{'':8}checked on the CPU only: neither nvcc nor a GPU has seen it")
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
    for name, theirs in texts(exercise.folder / "skeleton", exercise.folder / "solution").items():
        mine = exercise.mine / name
        old = mine.read_text().splitlines(keepends=True) if mine.exists() else []
        new = theirs.splitlines(keepends=True)
        sys.stdout.writelines(difflib.unified_diff(old, new, f"mine/{name}", f"solution/{name}"))


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
    done = {number for number, entry in state().items() if entry.get("done")}
    chapter = None
    for exercise in found:
        if chapter != (chapter := exercise.folder.parents[1]):
            print(chapter.name.replace("_", " ", 1))
        mark = "done" if exercise.number in done else "open" if exercise.mine.exists() else ""
        gpu = "   needs a GPU" if exercise.needs_gpu else ""
        print(f"  make exercise{exercise.number}  {mark:5} {exercise.minutes:3} min   {exercise.title}{gpu}")
    print(f"{sum(exercise.number in done for exercise in found)} of {len(found)} done")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument(
        "number", nargs="?", help="03.2 checks that exercise, 03 lists its chapter, no number lists all"
    )
    actions = options.add_mutually_exclusive_group()
    for action in "watch", "hint", "solution", "reset":
        actions.add_argument(f"--{action}", action="store_true")
    options = options.parse_args()
    found = find()
    listed = [exercise for exercise in found if exercise.number.startswith(f"{options.number}.")]
    if listed or not options.number:
        return show(listed or found)
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
