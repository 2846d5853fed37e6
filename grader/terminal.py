"""Colours, questions and keys, where there is a terminal: nothing of this is in a pipe or a file."""

import contextlib
import os
import re
import select
import sys
import time

RED, GREEN, YELLOW, CYAN, BOLD = 31, 32, 33, 36, 1
WORDS = {
    "wrong": RED,
    "right": GREEN,
    "done": GREEN,
    "open": YELLOW,
    "hint": CYAN,
    "see": CYAN,
    "task": BOLD,
    "write": BOLD,
}


def paint(text: str, colour: int) -> str:
    """That text in colour, unless stdout is no terminal or NO_COLOR is set (https://no-color.org)."""
    coloured = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return f"\033[{colour}m{text}\033[m" if coloured else text


def say(text: str):
    """Prints lines; the word that a line begins with has its colour."""
    words = re.compile(rf"^({'|'.join(WORDS)})(?= )", re.M)
    print(words.sub(lambda found: paint(found[0], WORDS[found[0]]), text), end="", flush=True)


@contextlib.contextmanager
def keys():
    """Meanwhile the terminal passes on each key at once. Yields key(seconds): the key pressed within that time, or ""."""
    if not sys.stdin.isatty():

        def no_key(seconds):
            time.sleep(seconds)
            return ""

        yield no_key
        return
    import termios
    import tty

    def key(seconds):
        if not select.select([sys.stdin], [], [], seconds)[0]:
            return ""
        return os.read(sys.stdin.fileno(), 1).decode(errors="replace").lower() or "q"  # or: the terminal is gone

    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin, termios.TCSADRAIN)  # keeps what was typed; Control-C still ends the program
        yield key
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def yes(question: str) -> bool:
    """Whether the reader presses y."""
    with keys() as key:
        print(f"{question} y/n ", end="", flush=True)
        answer = ""
        while not answer:
            answer = key(60)
    print(answer)
    return answer == "y"
