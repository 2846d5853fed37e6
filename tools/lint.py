"""Looks at the form of every file that git knows or would add: white space, ruff, clang-format. With --fix, mends it."""

import re
import subprocess
import sys
from pathlib import Path

from clang_format import get_executable

FIX = "--fix" in sys.argv
RUFF, CPP = [sys.executable, "-m", "ruff"], (".h", ".cuh", ".cu", ".cpp")
TOOLS = [  # which files, and what looks at them or mends them
    ((".py",), [*RUFF, "check", "--quiet", *["--fix"] * FIX]),
    ((".py",), [*RUFF, "format", "--quiet", *["--diff"] * (not FIX)]),
    (CPP, [get_executable("clang-format"), *(["-i"] if FIX else ["--dry-run", "-Werror"])]),
]

names = subprocess.check_output(["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"], text=True)
files = [path for path in map(Path, names.split("\0")) if path.is_file() and not path.is_symlink()]
failed = False
for path in files:
    text = path.read_bytes()
    tidy = re.sub(rb"[ \t\r]+$", b"", text, flags=re.M).rstrip(b"\n") + b"\n" * bool(text)
    if tidy != text and b"\0" not in text and path.suffix != ".svg":  # a PNG has zeros, and matplotlib writes the SVGs
        if FIX:
            path.write_bytes(tidy)
        else:
            failed = True
            print(f"{path}: blanks at the end of a line, or not one newline at the end of the file")
for suffixes, command in TOOLS:
    if chosen := [path for path in files if path.suffix in suffixes]:
        failed |= subprocess.run([*command, *chosen]).returncode != 0
sys.exit("`make format` mends most of this." if failed else 0)
