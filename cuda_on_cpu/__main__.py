"""Runs CUDA programs without a GPU, and shows what is wrong or slow about their kernels.

run FILE.cu [MORE.cu ...] [ARGUMENT ...]
    compiles a program of one or several .cu for this CPU and runs it with these arguments
check FILE.cu [MORE.cu ...] [ARGUMENT ...]
    the same with the memory check: data races, uninitialised reads, accesses out of bounds
check -m MODULE [ARGUMENT ...]
    runs that Python module, such as pytest, with extensions that were built with CUDA_ON_CPU=check in the environment
microscope [--kernel NAME] [--picture LINE] FILE.cu [MORE.cu ...] [ARGUMENT ...]
microscope [--kernel NAME] [--picture LINE] -m MODULE [ARGUMENT ...]
    the same, and shows line by line what the kernels ask of memory; of the kernels with NAME in their names; or the
    addresses of one warp in that line. What follows -- is the program's
translate [-I FOLDER] [--depfile FILE] FILE.cu [OUT.cpp]
    writes the C++ that a .cu becomes to that file, or prints it
flags
    prints what g++ or clang++ needs to compile that C++

README.md beside this file explains all of them. CXX names the compiler, CXXFLAGS its flags.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import tempfile
from pathlib import Path

from . import CFLAGS, INCLUDE, TranslationError, __version__, memory_check, microscope, programs, translate
from .report import NO_KERNEL_BUILT, found_by_cuda, named, once, right, sources, stale, told, with_sources


def main() -> None:
    parser = argparse.ArgumentParser(
        "cuda-on-cpu", "cuda-on-cpu COMMAND ...", __doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--version", action="version", version=f"cuda-on-cpu {__version__}", help=argparse.SUPPRESS)
    commands = parser.add_subparsers(
        dest="command", required=True, metavar="COMMAND", prog="cuda-on-cpu", help=argparse.SUPPRESS
    )
    usage = {"run": "", "check": "", "microscope": "[--kernel NAME] [--picture LINE] "}
    for name, its_options in usage.items():
        or_module = "" if name == "run" else f"\n       cuda-on-cpu {name} {its_options}-m MODULE [ARGUMENT ...]"
        of_files = f"cuda-on-cpu {name} {its_options}FILE.cu [MORE.cu ...] [ARGUMENT ...]"
        command = commands.add_parser(name, usage=of_files + or_module)
        command.add_argument("words", nargs=argparse.REMAINDER, metavar="FILE.cu [MORE.cu ...] [ARGUMENT ...]")
    command = commands.add_parser("translate")
    command.add_argument("cu", type=Path)
    command.add_argument("cpp", type=Path, nargs="?", help="else it is printed, and headers stay as they are")
    command.add_argument("-I", dest="folders", action="append", default=[], type=Path, metavar="FOLDER")
    command.add_argument("--depfile", type=Path, help="write a dependency file for make there")
    commands.add_parser("flags")
    try:
        name, words, chosen = "".join(sys.argv[1:2]), sys.argv[2:], {}
        if name == "microscope":
            chosen, words = of_microscope(words)
        if name in ("check", "microscope") and words[:1] == ["-m"]:  # which argparse takes for an option
            sys.exit(microscope_python(words, **chosen) if chosen else check_python(words))
        options = parser.parse_args([*sys.argv[1:2], *words])
        if options.command == "flags":
            print(shlex.join([*CFLAGS, f"-I{INCLUDE}", "-pthread"]))
        elif options.command == "translate" and not options.cpp:
            print(translate.translated(options.cu, options.folders), end="")
        elif options.command == "translate":
            translate.translate_for_make(options.cu, options.cpp, options.folders, options.depfile)
        else:
            sys.exit(run(options.command, options.words, **chosen))
    except (TranslationError, OSError, RuntimeError) as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit("interrupted")


def of_microscope(words: list[str]) -> tuple[dict, list[str]]:
    """The microscope's options, from anywhere before a --, and the other words. --kernel as the last word is the program's."""
    end = words.index("--") if "--" in words else len(words)
    last = end - (words[end - 1 : end] in (["--kernel"], ["--picture"]))
    parser = argparse.ArgumentParser("cuda-on-cpu microscope", add_help=False, allow_abbrev=False)
    parser.add_argument("--kernel", default="", metavar="NAME")
    parser.add_argument("--picture", type=int, metavar="LINE")
    options, others = parser.parse_known_args(words[:last])
    return vars(options), [*others, *words[last:end], *words[end + 1 :]]


def run(command: str, words: list[str], kernel: str = "", picture: int | None = None) -> int:
    """The exit status: the program's own, or 1 where something is wrong, which is said. kernel, picture: what the microscope
    shows."""
    count = next((i for i, word in enumerate(words) if not word.endswith(".cu")), len(words))
    cus, arguments = [Path(word) for word in words[:count]], words[count:]
    if not cus:
        print(f"usage: cuda-on-cpu {command} FILE.cu [MORE.cu ...] [ARGUMENT ...]", file=sys.stderr)
        if words:
            module = words[0].removesuffix(".py").replace("/", ".")
            python = f"; for Python: cuda-on-cpu {command} -m {module}" if words[0].endswith(".py") else ""
            print(f"{words[0]} does not end in .cu{python}", file=sys.stderr)
        return 2
    if missing := [cu for cu in cus if not cu.is_file()]:
        where = "" if missing[0].is_absolute() else f" in {Path.cwd()}"
        raise FileNotFoundError(f"{missing[0]}: no such file{where}")
    program = programs.place(cus, checked=command != "run")
    try:
        if command == "microscope":
            rows = microscope.of_program(cus, arguments, programs.flags())
            print(microscope.shown(rows, Path.cwd(), kernel, picture))
            return 0
        programs.build(cus, program, programs.compiler(), programs.flags(), checked=command == "check")
        with tempfile.NamedTemporaryFile("r", prefix="launches-") as launches:
            status = programs.run(program, arguments, CUDA_ON_CPU_LAUNCHES=launches.name)
            if command == "check":
                said, status = right(launches.read(), status)
                print(said, end="", file=sys.stderr)
            else:  # at each run: a wrong program can look right
                file = shlex.quote(" ".join(map(str, cus)))
                text = f"nothing was checked: cuda-on-cpu check, or make memcheck FILE={file}, looks at each access"
                print(told("memory", text), end="", file=sys.stderr)
        return status
    except (TranslationError, programs.BuildError) as error:
        text = named(str(error), programs.files(cus)).replace(f"{Path.cwd()}/", "")  # of headers
        raise RuntimeError(text) from None
    except programs.Failed as error:
        files = programs.files(cus, program)
        for text in error.wrong or [str(error)]:
            print(told("wrong", with_sources(text, files)), end="", file=sys.stderr)
        if command == "microscope":
            print(told("table", "none, as long as something is wrong"), end="", file=sys.stderr)
        return 1


def check_python(words: list[str]) -> int:
    """python -m ..., in which the ends of torch's tensors are known. What is found is said again at the end. The exit status
    is Python's, or 1 where something is found or no kernel ran."""
    with (
        tempfile.NamedTemporaryFile("r", prefix="launches-") as launches,
        tempfile.NamedTemporaryFile(prefix="cuda-on-cpu-") as report,
    ):
        more = {"CUDA_ON_CPU_LAUNCHES": launches.name, "CUDA_ON_CPU_REPORT": report.name}
        # Of pytest's tracebacks a line each: the message stands below, once for all tests.
        more["PYTEST_ADDOPTS"] = f"--tb=line {os.environ.get('PYTEST_ADDOPTS', '')}"
        status = programs.started([sys.executable, *words], **memory_check.knowing_tensors(), **more)
        said, entries = launches.read(), os.fsdecode(report.read()).split("\0")
    found = [found_by_cuda(text) for kind, _, text in (entry.partition("\n") for entry in entries) if kind == "found"]
    for text in once(found):
        print(told("wrong", with_sources(text, sources(text))), end="", file=sys.stderr)
    print(changed := stale(said), end="", file=sys.stderr)
    if not said or not found and not changed:
        print(right(said, status, NO_KERNEL_BUILT)[0], end="", file=sys.stderr)
        if said and status:
            other = "what failed has another cause, such as a formula, or an element that no thread writes"
            print(told("", other), end="", file=sys.stderr)
    return status if status or said and not found and not changed else 1


def microscope_python(words: list[str], kernel: str, picture: int | None) -> int:
    """python -m ..., and then what the kernels of extensions asked of memory that were built with CUDA_ON_CPU=check. The exit
    status is Python's."""
    with (
        tempfile.NamedTemporaryFile(prefix="microscope-") as out,
        tempfile.NamedTemporaryFile("r", prefix="launches-") as launches,
    ):
        more = {"CUDA_ON_CPU_MICROSCOPE": out.name, "CUDA_ON_CPU_LAUNCHES": launches.name}
        status = programs.started([sys.executable, *words], **memory_check.knowing_tensors(), **more)
        print(stale(said := launches.read()), end="", file=sys.stderr)
        if status == 0:
            print(microscope.shown(microscope.of_report(os.fsdecode(out.read())), Path.cwd(), kernel, picture))
        else:
            why = "none, as long as something is wrong" if said else f"none: {NO_KERNEL_BUILT}"
            print(told("table", why), end="", file=sys.stderr)
    return status


if __name__ == "__main__":
    main()
