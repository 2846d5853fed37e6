"""Puts what runs printed into the READMEs, so that no figure in them was typed by hand.

A README says which command it shows, and from which machine:

    <!-- run on nvidia-h200: make chapter03 ARGS='--timing' -->
    (generated)
    <!-- end of run -->

python tools/notes.py --record nvidia-h200    run each command shown from this machine; keep the output in results/
python tools/notes.py                         write the outputs in results/ into the READMEs
python tools/notes.py --check                 only say which READMEs differ from results/ (tests/test_notes.py)

A table of figures in results/nvidia-h200.json, which tools/bench.py has measured, is asked for by

    <!-- table from nvidia-h200: 06_vec4 sweep -->
    (generated)
    <!-- end of table -->

and a picture of them, which tools/pictures.py has drawn, by <!-- picture from ... --> and <!-- end of picture -->.
The machine called cpu has no GPU, or leaves it unused. Builds are recorded from clean: --record removes build/ first.
"""

import argparse
import datetime
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from common.timing import _seconds

COMMAND = r"make chapter\d\d(?: ARGS='[^']*')?|python3 tools/\w+\.py(?: [^\n]*)?"
BLOCK = re.compile(rf"<!-- run on ([\w-]+): ({COMMAND}) -->\n(.*?)<!-- end of run -->", re.S)

FIGURES = re.compile(r"<!-- (table|picture) from ([\w-]+): (\w+)(?: (\w+))? -->\n(.*?)<!-- end of \1 -->", re.S)


def readmes():
    return [ROOT / "README.md", *sorted(ROOT.glob("chapters/*/README.md")), ROOT / "common/cuda_on_cpu/README.md"]


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
        file = result_file(machine, command)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{datetime.date.today()}\n{output}")


def filled(text):
    """A README's text with every block filled from results/."""

    def fill(block):
        date, output = result_file(block[1], block[2]).read_text().split("\n", 1)
        head = block[0].split("\n", 1)[0]
        return f"{head}\n```text\n$ {block[2]}    # {date}\n{output}```\n<!-- end of run -->"

    return FIGURES.sub(filled_figures, BLOCK.sub(fill, text))


def filled_figures(block):
    kind, machine, chapter, table = block.groups()[:4]
    if kind == "picture":
        name = "-".join(filter(None, (machine, chapter, table)))
        up = "results/pictures" if chapter == "roofline" else "../../results/pictures"
        body = (
            f'<picture><source media="(prefers-color-scheme: dark)" srcset="{up}/{name}-dark.svg">'
            f'<img alt="{chapter} {table or ""}" src="{up}/{name}-light.svg"></picture>\n'
        )
    else:
        data = json.loads((ROOT / "results" / f"{machine}.json").read_text())[chapter]
        body = figures_as_table(data, table)
    return f"{block[0].partition(chr(10))[0]}\n{body}<!-- end of {kind} -->"


def figures_as_table(data, table):
    """Markdown: an operator a row, and where, with what and when it was measured."""
    lines = ["| n | | kernel | spread | GB/s | of copy | call |", "|--:|---|--:|--:|--:|--:|--:|"]
    for row in data["tables"][table]:
        lines.append(
            f"| {row['n']} | {row['op']} | {_seconds(row['kernel'])} | {row['spread']:.0%} "
            f"| {row['bytes'] / row['kernel'] / 1e9:.0f} | {row['of_copy']:.2f} | {_seconds(row['call'])} |"
        )
    made = f"{data['gpu']}, driver {data['driver']}, torch {data['torch']}, nvcc {data['nvcc']}"
    lines += ["", f"{made}; {data['date']}, commit {data['commit']}; copy {data['limits']['copy'] / 1e9:.0f} GB/s."]
    return "\n".join(lines) + "\n"


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
