"""Writes compile_commands.json, which tells clangd (in VS Code, vim, ...) how to read each source: make editor

clangd reads a .cu and a header as CUDA. It finds CUDA's headers in CUDA on CPU, with and without a GPU: those suit every
version of clang, and need no toolkit.
"""

import json
import re
import sysconfig
from pathlib import Path

from common.cpp_extension import STABLE, torch_extension
from cuda_on_cpu import CFLAGS, INCLUDE

from .chapters import ROOT

FOLDERS = "chapters", "common", "cuda_on_cpu", "device", "tests", "tools"
TORCH = [*torch_extension.include_paths("cpu"), sysconfig.get_path("include")]
FLAGS = [*CFLAGS, "-DTORCH_EXTENSION_NAME=module", f"-I{INCLUDE}", *(f"-isystem{folder}" for folder in TORCH)]
CPP = ["-xc++", "-std=c++20"]
# The version of the machine's toolkit would decide which function clang calls for a launch: so clang gets to see no toolkit.
CUDA = ["-xcuda", "--cuda-host-only", "-nocudainc", f"--cuda-path={INCLUDE}"]
CUDA += ["-Xclang", "-fcuda-allow-variadic-functions"]
CUDA += ["-include", "cuda_on_cpu/editor.h", "-Wno-return-stack-address"]  # in there, shared memory is on the stack


def sources() -> list[Path]:
    """All but what readers and builds add: clangd reads a new file like the one whose name and folder are most alike."""
    files = [file.relative_to(ROOT) for folder in FOLDERS for file in sorted((ROOT / folder).rglob("*"))]
    found = [file for file in files if file.suffix in (".cpp", ".cu", ".cuh", ".h")]
    return [ROOT / file for file in found if not re.search(r"/(build|mine[^/]*)/", str(file))]


def entry(file: Path) -> dict:
    return {"directory": str(ROOT), "file": str(file), "arguments": ["clang++", *FLAGS, *flags(file), str(file)]}


def flags(file: Path) -> list[str]:
    if file.is_relative_to(INCLUDE):
        return CPP
    included = "\n".join(re.findall("^#include .*", file.read_text(), re.M))
    with_torch = re.search("<(ATen|c10|torch)/", included)
    # torch's headers need C++20, in which clang before 16 cannot read every .cu.
    language = CPP if file.suffix == ".cpp" else [*CUDA, "-std=c++20" if with_torch else "-std=c++17"]
    stable = STABLE if "stable" in included else []
    # What a solution leaves as it was is in the skeleton beside it. A chapter's tests include its files.
    above = [folder for folder in file.parents if folder.is_relative_to(ROOT)]
    near = [place for f in above for place in (f, f / "skeleton", ROOT / "chapters" / f.name) if place.is_dir()]
    return [*language, *stable, *(f"-I{folder}" for folder in dict.fromkeys(near))]


def main() -> None:
    entries = [entry(file) for file in sources()]
    (ROOT / "compile_commands.json").write_text(json.dumps(entries, indent=1))
    print(f"compile_commands.json tells clangd how to read {len(entries)} files")


if __name__ == "__main__":
    main()
