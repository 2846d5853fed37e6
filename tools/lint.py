"""Check the form of every file that git knows or would add: white space, ruff, clang-format. With --fix, mend it."""

import re
import subprocess
import sys
from pathlib import Path

from clang_format import get_executable


def tidy(data):
    """No blanks at the end of a line, and one newline at the end of a file."""
    return re.sub(rb"[ \t\r]+$", b"", data, flags=re.M).rstrip(b"\n") + b"\n" if data else data


def main():
    fix = "--fix" in sys.argv
    list_files = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(list_files, check=True, capture_output=True, text=True).stdout.split("\0")
    files = [path for path in map(Path, names) if path.is_file() and not path.is_symlink()]
    failed = False

    for path in files:
        data = path.read_bytes()
        if b"\0" in data or data == tidy(data):  # a picture has zeros
            continue
        if fix:
            path.write_bytes(tidy(data))
        else:
            print(f"{path}: blanks at the end of a line, or not one newline at the end of the file")
            failed = True

    python = [path for path in files if path.suffix == ".py"]
    cpp = [path for path in files if path.suffix in (".h", ".cuh", ".cu", ".cpp")]
    ruff = [sys.executable, "-m", "ruff"]
    for chosen, check, mend in (
        (python, [*ruff, "check", "--quiet"], [*ruff, "check", "--quiet", "--fix"]),
        (python, [*ruff, "format", "--diff", "--quiet"], [*ruff, "format", "--quiet"]),
        (cpp, [get_executable("clang-format"), "--dry-run", "-Werror"], [get_executable("clang-format"), "-i"]),
    ):
        if chosen:
            failed |= subprocess.run([*(mend if fix else check), *chosen]).returncode != 0
    sys.exit("`make format` mends most of this." if failed else 0)


if __name__ == "__main__":
    main()
