"""Puts what runs printed and measured into the READMEs, so that no figure in them was typed by hand.

A README says which command it shows, and from which machine:

    <!-- run on nvidia-h200: make chapter03 ARGS='--timing' -->
    (generated)
    <!-- end of run -->

and which figures in results/nvidia-h200.json, which tools/bench.py has measured, as a table or as a picture:

    <!-- table from nvidia-h200: 06_vec4 sizes -->      <!-- picture from nvidia-h200: 06_vec4 sweep -->
    (generated)                                         (generated)
    <!-- end of table -->                               <!-- end of picture -->

One table is made from the tests' own, tests/chapters/operator_table.py (accepts.py):

    <!-- what operators take -->
    (generated)
    <!-- end of what operators take -->

python tools/notes.py --record nvidia-h200    run each command shown from this machine; keep the output in results/
python tools/notes.py                         write all that results/ has into the READMEs; draw the pictures anew that
                                              were drawn from other figures (matplotlib)
python tools/notes.py --check                 only say what differs from results/ (tests/tools/test_notes.py)

The machine called cpu has no GPU, or leaves it unused. Builds are recorded from clean: --record removes build/ first.
What has not been recorded or measured yet stays as it is, and is named.
"""

import argparse
import datetime
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import accepts
import charts
import files
import tables

COMMAND = r"make chapter\d\d(?: ARGS='[^']*')?|python3 tools/\w+\.py(?: [^\n]*)?"
BLOCK = re.compile(rf"<!-- run on ([\w-]+): ({COMMAND}) -->\n(.*?)<!-- end of run -->", re.S)

FIGURES = re.compile(r"<!-- (table|picture) from ([\w-]+): (\w+)(?: (\w+))? -->\n(.*?)<!-- end of \1 -->", re.S)

TAKES = re.compile(r"(<!-- what operators take -->\n).*?(?=<!-- end of what operators take -->)", re.S)


def readmes():
    others = [ROOT / "common/cuda_on_cpu/README.md", ROOT / "results/README.md"]
    return [ROOT / "README.md", ROOT / "chapters/README.md", *sorted(ROOT.glob("chapters/*/README.md")), *others]


def words(command):
    """What to start for a README's command, without make and without a shell: [path of a .py, its arguments...]"""
    program, target, *arguments = shlex.split(command)
    if program == "make":
        (main,) = ROOT.glob(f"chapters/{target.removeprefix('chapter')}_*/main.py")
        return [str(main), *shlex.split("".join(arguments).removeprefix("ARGS="))]
    return [str(ROOT / target), *arguments]


def result_file(machine, command):
    """results/nvidia-h200/chapter03-timing.txt for: make chapter03 ARGS='--timing'"""
    program, *arguments = words(command)
    name = command.split()[1] if command.startswith("make") else Path(program).stem
    return ROOT / "results" / machine / f"{'-'.join([name, *(a.strip('-') for a in arguments)])}.txt"


def record(machine):
    """Runs every command that a README shows from this machine, each once."""
    commands = [b[2] for readme in readmes() for b in BLOCK.finditer(readme.read_text()) if b[1] == machine]
    shutil.rmtree(ROOT / "build", ignore_errors=True)
    env = os.environ | {"CHAPTERS_DEVICE": "cpu" if machine == "cpu" else "cuda"}
    for command in dict.fromkeys(commands):
        print(f"$ {command}", flush=True)
        line = [sys.executable, *words(command)]
        run = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env)
        output = run.stdout.replace(f"{ROOT}/", "")
        print(output, flush=True)
        if run.returncode != 0 and "does not build" not in output:  # an error that a README shows on purpose
            sys.exit(f"{command} failed")
        files.write(result_file(machine, command), f"{datetime.date.today()}\n{output}")


def body(block, folder):
    """What results/ has for a block of a README in that folder; None where it has nothing yet."""
    if block.re is BLOCK:
        file = result_file(block[1], block[2])
        if not file.exists():
            return None
        date, output = file.read_text().split("\n", 1)
        return f"```text\n$ {block[2]}    # {date}\n{output}```\n"
    kind, *which = block.groups()[:4]
    return (tables.table if kind == "table" else charts.markup)(*which, folder)


def filled(text, folder=ROOT):
    """The text of a README in that folder with every block filled, as far as results/ has something for it."""

    def fill(block):
        new = body(block, folder)
        return block[0] if new is None else f"{first_line(block)}\n{new}{block[0].rpartition(chr(10))[2]}"

    text = TAKES.sub(lambda block: block[1] + accepts.table(), text)
    return FIGURES.sub(fill, BLOCK.sub(fill, text))


def first_line(block):
    return block[0].partition("\n")[0]


def missing(text, folder=ROOT):
    """The first lines of the blocks that results/ has nothing for."""
    blocks = [*BLOCK.finditer(text), *FIGURES.finditer(text)]
    return [first_line(block) for block in blocks if body(block, folder) is None]


def stale_pictures():
    """(machine, chapter, table) of each picture that READMEs show and that is missing or was drawn from other figures."""
    blocks = [block for readme in readmes() for block in FIGURES.finditer(readme.read_text()) if block[1] == "picture"]
    wanted = dict.fromkeys(block.groups()[1:4] for block in blocks)
    return [which for which in wanted if tables.figures(*which) and charts.is_stale(*which)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", metavar="MACHINE")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.record:
        return record(options.record)
    texts = {readme: readme.read_text() for readme in readmes()}
    nothing = [(readme, head) for readme, text in texts.items() for head in missing(text, readme.parent)]
    stale = [readme for readme, text in texts.items() if filled(text, readme.parent) != text]
    pictures = stale_pictures()
    for readme, head in nothing:
        print(f"{readme.relative_to(ROOT)} {head}: results/ has nothing for it yet")
    if options.check:
        names = [f"the picture of {' '.join(filter(None, picture))}" for picture in pictures]
        for what in [*(readme.relative_to(ROOT) for readme in stale), *names]:
            print(f"{what} differs from results/: run `python tools/notes.py`")
        sys.exit(bool(nothing or stale or pictures))
    for readme in stale:
        files.rewrite(readme, lambda text, folder=readme.parent: filled(text, folder))
    for picture in pictures:
        charts.draw(*picture)


if __name__ == "__main__":
    main()
