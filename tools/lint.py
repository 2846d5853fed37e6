"""Looks at the form of every file that git knows or would add: white space, ruff, clang-format. With --fix, mends it."""

import re
import subprocess
import sys
from pathlib import Path

from clang_format import get_executable

FIX = "--fix" in sys.argv
RUFF, CLANG_FORMAT = [sys.executable, "-m", "ruff"], get_executable("clang-format")
LIST = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
PYTHON, CPP = (".py",), (".h", ".cuh", ".cu", ".cpp")
TOOLS = [  # which files, the command that looks, the one that mends
    (PYTHON, [*RUFF, "check", "--quiet"], [*RUFF, "check", "--quiet", "--fix"]),
    (PYTHON, [*RUFF, "format", "--quiet", "--diff"], [*RUFF, "format", "--quiet"]),
    (CPP, [CLANG_FORMAT, "--dry-run", "-Werror"], [CLANG_FORMAT, "-i"]),
]

names = subprocess.run(LIST, check=True, capture_output=True, text=True).stdout.split("\0")
files = [path for path in map(Path, names) if path.is_file() and not path.is_symlink()]
failed = False
for path in files:
    text = path.read_bytes()
    tidy = re.sub(rb"[ \t\r]+$", b"", text, flags=re.M).rstrip(b"\n") + b"\n" * bool(text)
    if tidy == text or b"\0" in text or path.suffix == ".svg":  # a PNG has zeros, and matplotlib writes the SVGs
        continue
    if FIX:
        path.write_bytes(tidy)
    else:
        failed = True
        print(f"{path}: blanks at the end of a line, or not one newline at the end of the file")
for suffixes, look, mend in TOOLS:
    if chosen := [path for path in files if path.suffix in suffixes]:
        failed |= subprocess.run([*(mend if FIX else look), *chosen]).returncode != 0
sys.exit("`make format` mends most of this." if failed else 0)
