"""Does a library that is already compiled work with another torch? `make chapter10 ARGS=--other-torch`

Chapter 09's library and this chapter's have the same operators. Each is loaded by the torch that compiled it, by the torch of
each other Python that package.py finds, and by a torch in which one enum has another name. We do not have that torch. But a
loader compares names and nothing else, so a copy of the library in which that name is replaced meets the same fate.
"""

import re
import subprocess
import textwrap
from pathlib import Path

import package

from common.cpp_extension import extension_folder

ENUM = re.compile(rb"(_ZNR5torch7Library4_def\w*?3Ta)g")  # Tag, in the compiled name of torch::Library::_def
CONSTANT = re.compile(r"(aoti_)?torch_(dtype|device_type|layout)_(?!element_size)")  # each returns a number
LOAD = "import sys, torch; torch.ops.load_library(sys.argv[1])"


def loaded(python, library) -> str:
    """'ok', or the name that the loader did not find."""
    done = subprocess.run([python, "-c", LOAD, library], cwd="/", stdout=-3, stderr=-1, text=True)
    missing = re.search(r"undefined symbol: (\w+)|[Ss]ymbol not found\S* '?_?(\w+)", done.stderr)
    if done.returncode and not missing:
        raise RuntimeError(f"{python}\n{done.stderr}")
    return readable(missing[1] or missing[2]) if done.returncode else "ok"


def readable(name) -> str:
    """A compiled name as C++, without what does not fit into a line."""
    text = subprocess.run(["c++filt", name], stdout=-1, text=True, check=True).stdout.strip()
    return textwrap.shorten(re.sub(r", std::allocator<[\w:]+> ", "", text), 112, placeholder=" ...")


def renamed(library) -> Path:
    """A copy that asks for torch's enum Tag by the name Tab."""
    copy = library.with_suffix(".renamed.so")
    copy.write_bytes(ENUM.sub(rb"\1b", library.read_bytes()))
    return copy


def main() -> dict[str, list[str]]:
    """Prints a table; returns {which torch: what each library says}. Both libraries are built already."""
    libraries = {n: extension_folder(f) / f"{f}.so" for n, f in ((9, "bias_gelu"), (10, "bias_gelu_stable"))}
    print(f"{'asks':8}{'torch for':<20}C++ names   C names   of them constants")
    for n, library in libraries.items():
        names = package.foreign(library)
        constants = [name for name in names["torch, in C"] if CONSTANT.match(name)]
        numbers = f"{len(names['unknown']):>9}{len(names['torch, in C']):>10}{len(constants):>20}"
        print(f"{'':8}{f'chapter {n:02}':<20}{numbers}")
    mine, *others = package.pythons()
    found = {python: package.versions(python)[1] for python in (mine, *others)}
    rows = {f"torch {found[mine]}": [loaded(mine, library) for library in libraries.values()]}
    rows["Tag renamed to Tab"] = [loaded(mine, renamed(library)) for library in libraries.values()]
    for python, version in found.items():
        if version and f"torch {version}" not in rows:
            rows[f"torch {version}"] = [loaded(python, library) for library in libraries.values()]
    for k, (torchs, said) in enumerate(rows.items()):
        for n, name in zip(libraries, said, strict=True):
            first = k == 0 and n == 9
            print(
                f"{'loads' if first else '':8}{torchs:<20}chapter {n:02}   {'ok' if name == 'ok' else 'undefined symbol:'}"
            )
            if name != "ok":
                print(f"{'':8}{name}")
    return rows
