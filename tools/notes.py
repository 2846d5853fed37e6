"""Puts what runs printed into the READMEs, so that no figure in them was typed by hand.

A README says which command it shows, and from which machine:

    <!-- run on nvidia-h200: make chapter03 ARGS='--timing' -->
    (generated)
    <!-- end of run -->

python tools/notes.py --record nvidia-h200    run each command shown from this machine; keep the output in results/
python tools/notes.py                         write the outputs in results/ into the READMEs
python tools/notes.py --check                 only say which READMEs differ from results/ (tests/test_notes.py)
"""

import argparse
import datetime
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"<!-- run on ([\w-]+): make chapter(\d\d)( ARGS='([^']*)')? -->\n(.*?)<!-- end of run -->", re.S)


def readmes():
    return [ROOT / "README.md", *sorted(ROOT.glob("chapters/*/README.md"))]


def result_file(block):
    """results/nvidia-h200/chapter03-timing.txt for: make chapter03 ARGS='--timing'"""
    machine, chapter, arguments = block[1], block[2], block[4] or ""
    name = "-".join([f"chapter{chapter}", *(word.strip("-") for word in shlex.split(arguments))])
    return ROOT / "results" / machine / f"{name}.txt"


def command(block):
    return f"make chapter{block[2]}{block[3] or ''}"


def record(machine):
    """Runs every command that a README shows from this machine, each once."""
    blocks = [block for readme in readmes() for block in BLOCK.finditer(readme.read_text()) if block[1] == machine]
    for block in {command(b): b for b in blocks}.values():
        (main,) = ROOT.glob(f"chapters/{block[2]}_*/main.py")
        print(f"$ {command(block)}", flush=True)
        words = [sys.executable, str(main), *shlex.split(block[4] or "")]
        run = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        output = run.stdout.replace(f"{ROOT}/", "")
        print(output, flush=True)
        if run.returncode != 0 and "does not build" not in output:  # an error that a README shows on purpose
            sys.exit(f"{command(block)} failed")
        file = result_file(block)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{datetime.date.today()}\n{output}")


def filled(text):
    """A README's text with every block filled from results/."""

    def fill(block):
        date, output = result_file(block).read_text().split("\n", 1)
        head = block[0].split("\n", 1)[0]
        return f"{head}\n```text\n$ {command(block)}    # {date}\n{output}```\n<!-- end of run -->"

    return BLOCK.sub(fill, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", metavar="MACHINE")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.record:
        return record(options.record)
    stale = [readme for readme in readmes() if filled(readme.read_text()) != readme.read_text()]
    for readme in stale:
        if options.check:
            print(f"{readme.relative_to(ROOT)} differs from results/: run `python tools/notes.py`")
        else:
            readme.write_text(filled(readme.read_text()))
    sys.exit(bool(stale) and options.check)


if __name__ == "__main__":
    main()
