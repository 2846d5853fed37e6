"""What a chapter is: a folder chapters/NN_name with a main.py. There is no list of them.

Both tracks through the course go up by number. A chapter says which it is on below its lesson's title:
<!-- tracks: kernels, PyTorch -->
"""

import functools
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
TRACKS = "kernels", "PyTorch"


def folders(function: str = "", root: Path = ROOT) -> dict[str, Path]:
    """{number: folder} of the chapters, in order; only of those whose main.py defines that function, where it is named."""
    mains = sorted(root.glob("chapters/[0-9][0-9]_*/main.py"))
    return {main.parent.name[:2]: main.parent for main in mains if not function or defines(main, function)}


def title(folder: Path) -> str:
    """What the first line of its main.py says after "Chapter 03, add2: "."""
    return re.match(r'"""Chapter \d\d, \w+: (.+)', (folder / "main.py").read_text())[1]


def tracks_of(folder: Path) -> list[str]:
    line = re.search("^<!-- tracks: (.+) -->$", (folder / "README.md").read_text(), re.M)
    return line[1].split(", ") if line else []


def tracks() -> dict[str, list[Path]]:
    """{track: its chapters, in order}."""
    return {track: [folder for folder in folders().values() if track in tracks_of(folder)] for track in TRACKS}


def terms(folder: Path) -> dict[str, str]:
    """{term: what it is}: the table in REFERENCE.md below "Terms", if there is one."""
    file = folder / "REFERENCE.md"
    table = (file.read_text() if file.exists() else "").partition("\n## Terms\n")[2].partition("\n## ")[0]
    return dict(re.findall(r"^\| (.+?) \| (.+) \|$", table, re.M)[1:])


def defines(file: Path, function: str) -> bool:
    """Or imports it from another file, as chapter 15 does from chapter 13."""
    return bool(re.search(rf"^(def {function}\(|from \w+ import (.*|\([^)]*)\b{function}\b)", file.read_text(), re.M))


@functools.cache
def load(file: Path) -> ModuleType:
    """That Python file as a module, one for a process: a lesson's build() registers its operators, which torch takes once.

    Lessons use the same names, so each module has a name of its own.
    """
    name = f"{file.parent.name}_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def kernels(root: Path = ROOT) -> set[str]:
    """The names that follow each __global__ in the chapters, those in Python's strings included. Whatever stands before the
    next parenthesis counts as a name: one that is none is missed in what the tests launch, and so is noticed."""
    ends = "*.cu", "notes/*.cu", "*.py", "notes/*.py"
    files = [file for end in ends for file in root.glob(f"chapters/*/{end}")]
    bounds = r"(?:__launch_bounds__\(.*?\)\s*)?"
    return {name for file in files for name in re.findall(rf"__global__[^(]*?{bounds}(\w+)\s*\(", file.read_text())}
