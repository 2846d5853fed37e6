"""Runs CUDA programs without a GPU, and shows what is wrong or slow about their kernels.

run         compiles a program of one or several .cu for this CPU and runs it
check       the same with the memory check: data races, uninitialised reads, accesses out of bounds
microscope  the same, and shows line by line what the kernels ask of memory
translate   writes the C++ that a .cu becomes
flags       prints what g++ or clang++ needs to compile that C++

README.md beside this file explains all of them. CXX names the compiler, CXXFLAGS its flags.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from . import CFLAGS, INCLUDE, TranslationError, microscope, programs, translate


def main() -> None:
    parser = argparse.ArgumentParser("cuda-on-cpu", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in "run", "check", "microscope":
        command = commands.add_parser(name)
        command.add_argument("words", nargs=argparse.REMAINDER, metavar="FILE.cu [MORE.cu ...] [ARGUMENT ...]")
    command = commands.add_parser("translate")
    command.add_argument("cu", type=Path)
    command.add_argument("cpp", type=Path)
    command.add_argument("-I", dest="folders", action="append", default=[], type=Path, metavar="FOLDER")
    command.add_argument("--depfile", type=Path, help="where to write which files were read, as make wants it")
    commands.add_parser("flags")
    options = parser.parse_args()
    try:
        if options.command == "flags":
            print(shlex.join([*CFLAGS, f"-I{INCLUDE}", "-pthread"]))
        elif options.command == "translate":
            translate.translate_for_make(options.cu, options.cpp, options.folders, options.depfile)
        else:
            run(options.command, options.words)
    except (TranslationError, RuntimeError) as error:
        sys.exit(str(error))
    except subprocess.CalledProcessError as error:  # the compiler or the program has said what is wrong
        sys.exit(error.returncode)


def run(command: str, words: list[str]) -> None:
    count = next((i for i, word in enumerate(words) if not word.endswith(".cu")), len(words))
    cus, arguments = [Path(word).resolve() for word in words[:count]], words[count:]
    if not cus:
        sys.exit(f"usage: cuda-on-cpu {command} FILE.cu [MORE.cu ...] [ARGUMENT ...]")
    compiler = programs.compiler()
    if not shutil.which(compiler[0]):
        sys.exit(f"{compiler[0]} not found: apt-get install g++")
    if command == "microscope":
        rows = microscope.of_program(cus, arguments, programs.flags())
        print(microscope.table(rows, Path.cwd()), microscope.LEGEND, sep="\n\n")
    else:
        program = programs.place(cus[0])
        programs.build(cus, program, compiler, programs.flags(), checked=command == "check")
        os.execv(program, [program, *arguments])


if __name__ == "__main__":
    main()
