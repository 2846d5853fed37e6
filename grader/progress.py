"""What the reader has done so far: in .exercises.json, which git ignores and `make clean` leaves alone."""

import contextlib
import json
import os
import sys
from pathlib import Path

FILE = Path(__file__).resolve().parents[1] / ".exercises.json"
# {number: {"done": bool, "hints": how many were given}}; the exercise that the reader worked on last comes last.


def load() -> dict:
    """A file that cannot be read counts as empty. A damaged one is moved aside first, and one line says so."""
    try:
        found = json.loads(FILE.read_bytes())
        if not isinstance(found, dict) or not all(isinstance(entry, dict) for entry in found.values()):
            raise ValueError
        return found
    except FileNotFoundError:
        return {}
    except OSError as error:
        print(f"{FILE.name}, your progress, cannot be read: {error.strerror}", file=sys.stderr)
        return {}
    except ValueError:
        aside = FILE.with_suffix(".damaged.json")
        with contextlib.suppress(OSError):
            FILE.replace(aside)
        print(f"{FILE.name} is damaged: your progress starts anew ({aside.name} keeps the old file)", file=sys.stderr)
        return {}


def done(exercise) -> bool:
    return bool(load().get(exercise.number, {}).get("done"))


def hints(exercise) -> int:
    """How many the reader has seen."""
    given = load().get(exercise.number, {}).get("hints")
    return min(given, len(exercise.hints)) if isinstance(given, int) else 0


def remember(exercise, **values):
    everything = load()
    everything[exercise.number] = everything.pop(exercise.number, {}) | values
    new = FILE.with_suffix(f".{os.getpid()}.json")
    try:
        new.write_text(json.dumps(everything, indent=1) + "\n")
        new.replace(FILE)  # whole or not at all, whenever this program ends
    except OSError as error:
        print(f"{FILE.name}, your progress, cannot be written: {error.strerror}", file=sys.stderr)


def next_open(exercises):
    """The exercise worked on last, or else the first open one after it; None where all are done."""
    everything = load()
    numbers = [exercise.number for exercise in exercises]
    last = next((numbers.index(number) for number in reversed(everything) if number in numbers), 0)
    open_ones = (e for e in exercises[last:] + exercises[:last] if not everything.get(e.number, {}).get("done"))
    return next(open_ones, None)
