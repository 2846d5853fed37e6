"""Fills in the parts of the READMEs that come from runs, from measurements and from the code; no figure is typed by hand.

A README marks such a part with a comment that says what to call, and cog (https://cog.readthedocs.io) replaces what follows:

    <!--= run("nvidia-h200", "make chapter03 ARGS='--timing'") =-->     what a command printed on that machine
    <!--= table("nvidia-h200", "06_vec4", "sizes") =-->                 figures of results/nvidia-h200.json (bench.py)
    <!--= table("nvidia-h200", "16_matmul", "steps", "4096 x 4096 x 4096") =-->  ... those of one shape
    <!--= beside_torch("nvidia-h200", ("12_reduce", "sum")) =-->        our operator in those tables, torch, and a copy
    <!--= picture("nvidia-h200", "06_vec4", "sweep") =-->               the same as a picture, drawn with matplotlib
    <!--= swept("13_softmax") =-->                                      what `make sweep` found, on each machine (swept.py)
    <!--= diagram("03_add2", "timeline") =-->                           what that function of its pictures/diagrams.py draws
    <!--= code("add2.cu", "__global__ void add2_kernel") =-->           a definition, from a file beside the README
    <!--= course_table() =-->                                           the chapters, their titles and tracks
    <!--= next() =-->                                                   where each track goes on from this chapter
    <!--= exercises() =-->                                              the chapter's exercises, by their exercise.py
    <!--= glossary() =-->                                               the tables "Terms" of the chapters' REFERENCE.md
    ... or what_operators_take(), what_check_rejects()                  from tests/chapters and tests/common
    ... or what_cuda_on_cpu_covers()             from tests/cuda_on_cpu/features.py
    ... or what_cuda_on_cpu_lacks()              from cuda_on_cpu/lacking.py
    ... or who_finds_what("nvidia-h200")                                from results/planted (tools/maintain/planted.py)
    ... or what_the_doctor_looks_at()                                   from `make doctor`
    <!--end-->

python -m tools.maintain.docs                         fill in all of them, and draw the pictures whose figures have changed
python -m tools.maintain.docs --check                 change nothing: say what differs (tests/tools/test_docs.py)
python -m tools.maintain.docs --record nvidia-h200    run the commands that READMEs show from this machine
python -m tools.maintain.docs --record cpu 03 12      ... those of these chapters

The machine called cpu has no GPU, or leaves it unused. Builds are recorded from clean, in a folder of their own.
A part that has not been recorded or measured yet says so in the README.
"""

import argparse
import datetime
import functools
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from cogapp.cogapp import Cog

from cuda_on_cpu import lacking

from .. import doctor
from ..chapters import ROOT, load
from . import charts, course, drawing, planted, swept, tables

CLEAN = "build/recorded"  # in the repository


def readmes():
    """Every Markdown file of the repository; none in build/ or in folders like .venv."""
    files = [*ROOT.glob("*.md"), *ROOT.glob("[!.]*/**/*.md")]
    return sorted(file for file in files if file.relative_to(ROOT).parts[0] != "build")


def recorded(machine, command):
    """Where its output is kept: results/nvidia-h200/chapter03-timing.txt for make chapter03 ARGS='--timing'."""
    name = re.sub(r"^make |^python -m (tools\.maintain\.)?|ARGS=|FILE=|'", "", command)
    return tables.RESULTS / machine / f"{re.sub(' -*|/', '-', name)}.txt"


def record(machine, command):
    """Runs a command, without the make in front of it, and keeps what it prints."""
    print(f"$ {command}", flush=True)
    line = re.sub("^make chapter(..)", r"python chapters/\1_*/main.py", re.sub("ARGS=|'", "", command))
    line = re.sub("^make microscope", "python -m tools.lesson microscope ", line)
    line = line.replace("make memcheck FILE=", "python -m cuda_on_cpu check ")
    line = line.replace("python", shlex.quote(sys.executable), 1)
    env = os.environ | {"CHAPTERS_DEVICE": "cpu" if machine == "cpu" else "cuda"}
    env |= {"CHAPTERS_BUILD": str(ROOT / CLEAN), "CUDA_ON_CPU_CACHE": str(ROOT / CLEAN / "cuda_on_cpu")}
    done = subprocess.run(f"{line} 2>&1", shell=True, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True)
    output = done.stdout.replace(f"{ROOT}/", "").replace(f"{CLEAN}/", "build/")
    print(output, flush=True)
    shown_on_purpose = re.search("does not build|^wrong ", output, re.MULTILINE)
    if done.returncode != 0 and not shown_on_purpose:
        sys.exit(f"{command} failed")
    file = recorded(machine, command)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{datetime.date.today()}\n{output}")


# What markers call. Each returns Markdown for a README in that folder.


def run(machine, command, folder):
    if not (file := recorded(machine, command)).exists():
        return tables.nothing(command)
    date, output = file.read_text().split("\n", 1)
    return f"```text\n$ {command}    # {date}\n{output}```\n"


def code(file, *definitions, folder):
    """These definitions of that file in the folder, each named by how its first line begins: that line, all below it that
    are indented further (#pragma never is), the closing bracket, and the template<> above it."""
    text = (folder / file).read_text().splitlines()
    language = {".py": "python", ".toml": "toml", ".txt": "cmake"}.get(Path(file).suffix, "cpp")
    parts = [_definition(text, start) for start in definitions]
    between = "\n\n" if any("\n" in part for part in parts) else "\n"
    return f"```{language}\n{between.join(parts)}\n```\n"


def _definition(text, start):
    places = [k for k, line in enumerate(text) if line.strip().startswith(start)]
    if len(places) != 1:
        raise ValueError(f"{len(places)} lines start with {start!r}")
    first = places[0]
    indent = len(text[first]) - len(text[first].lstrip())
    is_inside = [not line or line[: indent + 1].isspace() for line in text] + [False]
    end = first + 1
    while is_inside[end] or (is_inside[end + 1 : end + 2] == [True] and text[end].startswith("#pragma")):
        end += 1
    end += end < len(text) and text[end][indent : indent + 1] in ("}", ")", "]")
    if text[first - 1].lstrip().startswith("template"):
        first -= 1
    lines = (line if line.startswith("#pragma") else line[indent:] for line in text[first:end])
    return "\n".join(lines).rstrip()


def what_check_rejects(folder):
    """The tests' table of operators that are wrong on purpose, for readers."""
    return load(ROOT / "tests/common/wrong_operators.py").table()


def what_cuda_on_cpu_covers(folder):
    """The tests' table of features."""
    return load(ROOT / "tests/cuda_on_cpu/features.py").table()


def what_cuda_on_cpu_lacks(folder):
    return lacking.markdown()


PARTS = (run, tables.table, tables.beside_torch, charts.picture, drawing.diagram, code, tables.what_operators_take)
PARTS += (what_check_rejects, what_cuda_on_cpu_covers, what_cuda_on_cpu_lacks, planted.who_finds_what, swept.swept)
PARTS += (course.course_table, course.exercises, course.glossary)
PARTS = {function.__name__: function for function in PARTS}
PARTS |= {"next": course.next_chapters, "what_the_doctor_looks_at": lambda folder: doctor.table()}


def filled(readme, calls):
    """The README's text with each part as it should be now. Appends each call (function, its arguments) to calls."""

    def part(function, *arguments):
        calls.append((function, arguments))
        cog.cogmodule.out(function(*arguments, folder=readme.parent))

    cog, text = Cog(), io.StringIO()
    cog.options.parse_args(["--markers=<!--= =--> <!--end-->"])  # a bare --> also stands in Mermaid diagrams
    functions = {name: functools.partial(part, function) for name, function in PARTS.items()}
    cog.process_file(str(readme), text, globals=functions)
    return text.getvalue()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", nargs="+", metavar=("MACHINE", "CHAPTER"))
    parser.add_argument("--check", action="store_true")
    options, calls = parser.parse_args(), []
    stale = {file: text for file in readmes() if (text := filled(file, calls)) != file.read_text()}
    if options.record:
        here, *numbers = options.record
        commands = dict.fromkeys(arguments for function, arguments in calls if function is run and arguments[0] == here)
        if numbers:
            commands = [it for it in commands if re.match(rf"make \D+({'|'.join(numbers)})\b", it[1])]
        shutil.rmtree(ROOT / CLEAN, ignore_errors=True)
        for machine, command in commands:
            record(machine, command)
        sys.exit(None if commands else f"No README shows such a command from {here}")
    modules = {charts.picture: charts, drawing.diagram: drawing, swept.swept: swept}
    pictures = [(modules[f], which) for f, which in calls if f in modules and modules[f].is_stale(*which)]
    if options.check:
        names = (f"The picture {', '.join(which)}" for _, which in pictures)
        for what in [*(file.relative_to(ROOT) for file in stale), *names]:
            print(f"{what} is out of date: run `python -m tools.maintain.docs`")
        sys.exit(bool(stale or pictures))
    for file, text in stale.items():
        file.write_text(text)
    for module, which in pictures:
        module.draw(*which)


if __name__ == "__main__":
    main()
