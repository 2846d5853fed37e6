"""Makes an operator of your own: a chapter of this repository, or a package that needs nothing of it.

python -m tools.new rope            chapters/NN_rope and its tests, with the next free number
python -m tools.new rope ../rope    a package in that folder

It computes factor * x, and everything works at once: the build, the checks, the tests. Then you change it. templates/ has
the files; there the operator is called my_op, and the chapter is number 99.
"""

import argparse
import importlib.util
import keyword
import os
import re
import shlex
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from .chapters import ROOT, folders

TEMPLATES = Path(__file__).with_name("templates")
HEADERS = "cuda_check.h", "grid.h", "check_tensor_stable.h", "stable.h"  # of common/, that the template includes
LONGEST = 20  # letters of a name, so that no line of the templates gets too long


def fault(name: str, out: Path | None) -> str:
    """Why this cannot be made, or ""."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name) or len(name) > LONGEST:
        return f"a name has at most {LONGEST} lower-case letters, digits and single _, and begins with a letter"
    if keyword.iskeyword(name):
        return "the name is a Python keyword"
    if module := importlib.util.find_spec(name):
        there = module.origin or "a folder that Python searches"  # a folder without __init__.py has no origin
        return f"a module has that name ({there}), and Python would find only one of the two"
    for include in ROOT / "common", ROOT / "cuda_on_cpu" / "include", Path("/usr/include"):
        if (include / f"{name}.h").exists():
            return f"its {name}.h would hide the header of that name"
    if out and out.resolve().is_relative_to(ROOT):
        return f"{out} is in this repository: leave OUT out for a chapter of it, or say OUT=../{name}"
    if out and out.exists() and (out.is_file() or any(out.iterdir())):
        return f"{out} already exists, and is not an empty folder"
    if not out and (there := [folder.name for folder in folders().values() if folder.name[3:] == name]):
        return f"chapters/{there[0]} already exists"
    return ""


def template(name: str) -> dict[Path, str]:
    files = sorted(file for file in (TEMPLATES / name).rglob("*") if file.is_file() and file.suffix != ".pyc")
    return {file.relative_to(TEMPLATES / name): file.read_text() for file in files}


def package() -> dict[Path, str]:
    """The template; the chapter's C++, in torch.ops.my_op; and the headers, copied. All of it includes from one folder."""
    files = template("operator")
    chapter = TEMPLATES / "chapter" / "chapters" / "99_my_op"
    code = {name: chapter / name for name in ("my_op.h", "my_op.cpp")}
    code["my_op_kernel.cu"] = chapter / "my_op.cu"  # setuptools would make one my_op.o of my_op.cpp and my_op.cu
    for name, file in (code | {header: ROOT / "common" / header for header in HEADERS}).items():
        text = file.read_text().replace('"common/', '"').replace("chapter99", "my_op")
        files[Path("csrc", name)] = text.replace("my_op.cu", "my_op_kernel.cu")
    return files


def create(place: Path, files: dict[Path, str], words: dict[str, str]) -> None:
    """Writes these files, with each of these words replaced in their text and in their paths."""

    def replaced(text: str) -> str:
        return re.sub("|".join(words), lambda word: words[word[0]], text)

    created = {}
    for path, text in files.items():
        file = place / replaced(str(path))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(replaced(text))
        created.setdefault(file.parent, []).append(file.name)
    for folder, names in created.items():
        print(f"created {folder}: {' '.join(names)}")


def changes(name: str, folder: str) -> Iterator[tuple[str, str]]:
    """What makes the chapter compute something else, in the order that the tests ask for it."""
    yield f"chapters/{folder}/{name}.cu", f"the formula; {name}.h and {name}.cpp where its arguments change"
    yield f"chapters/{folder}/main.py", "the formula in torch (reference), TOLERANCE, gradient (save, backward), flops"
    yield f"tests/chapters/{folder}/operators.py", "a row for each operator, also a gradient's; values for each scalar"
    yield f"tests/chapters/{folder}/mutants.py", "mistakes that your formula invites"
    yield f"chapters/{folder}/README.md", "the lesson; `make test-all` fails until it is written"


def commands_of_chapter(number: str, folder: str) -> Iterator[tuple[str, str]]:
    yield f"make chapter{number}", "build, check, time"
    yield f"make test{number}", "edge-case sizes, wrong inputs, threads, torch.compile"
    yield f"make memcheck{number}", "races, uninitialised reads, accesses out of bounds"
    yield f"make microscope{number}", "what each line asks of memory"
    yield f"make mutants ARGS={folder}", "whether the tests notice small mistakes"
    yield "make lint", "the format; installs what the next command needs"
    python = Path(sys.executable)
    python = python.relative_to(ROOT) if python.is_relative_to(ROOT) else python
    yield f"{shlex.quote(str(python))} -m tools.maintain.docs", "puts it into the tables and the map of the course"


def commands_of_package(place: Path) -> Iterator[tuple[str, str]]:
    import torch

    from common import toolkit

    yield f"cd {shlex.quote(str(place))}", ""
    activate = Path(sys.prefix, "bin", "activate")
    if activate.exists() and os.environ.get("VIRTUAL_ENV") != sys.prefix:
        yield f". {shlex.quote(str(activate))}", "a Python that has torch"
    if not torch.cuda.is_available():
        yield f"pip install {shlex.quote(str(ROOT / 'cuda_on_cpu'))}", "there is no GPU: compiles the .cu for the CPU"
    elif (home := toolkit.cuda_home()) and str(home) != importlib.import_module("torch.utils.cpp_extension").CUDA_HOME:
        yield f"export CUDA_HOME={shlex.quote(str(home))}", "an nvcc of torch's version"
    yield "pip install --no-build-isolation -e .", "builds it; repeat this after a change of C++ or CUDA"
    yield "pytest", ""
    if not torch.cuda.is_available():
        yield "CUDA_ON_CPU=check pip install --no-build-isolation -e .", "the same for the memory check:"
        yield "cuda-on-cpu check -m pytest", "races, reads without a value, accesses beyond a tensor"
        yield "cuda-on-cpu microscope -m pytest -k right", "what each line asks of memory"
    yield "pip wheel --no-build-isolation --no-deps .", "a wheel to pass on"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name")
    parser.add_argument("out", nargs="?", type=Path, help="a folder for the package, new or empty")
    options = parser.parse_args()
    name, out = options.name, options.out
    if why := fault(name, out):
        sys.exit(f"No operator {name!r}: {why}.")
    if out:
        commands = list(commands_of_package(out))  # first: it ends the program where there is no torch
        create(out, package(), {"my_op": name})
        listed("next:", commands)
        print(
            f"to make it compute something else: {out / 'README.md'}, 'Your own operator'. Chapters 07, 09 and 10 explain it"
        )
    else:
        number = f"{int(max(folders())) + 1:02}"
        folder = f"{number}_{name}"
        create(Path(os.path.relpath(ROOT)), template("chapter"), {"my_op": name, "99": number})
        listed("next:", commands_of_chapter(number, folder))
        how = "CONTRIBUTING.md explains rows, and kernels of gradients"
        listed(f"to make it compute something else ({how}), change:", changes(name, folder))


def listed(title: str, lines: Iterable[tuple[str, str]]) -> None:
    print(title)
    for what, why in lines:
        print(f"    {what:<48}{why and f'  # {why}'}".rstrip())


if __name__ == "__main__":
    main()
