"""What the checks of these exercises share: they build in a copy of the reader's folder, which stays as it is."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from common.progress import first_error
from grader.checks import SOONER, Wrong, place, run_python


def copy(mine: Path) -> Path:
    """A folder in build/ with the files of `mine` and with what an earlier build has left there, which saves compiling."""
    source = place(mine) / "source"
    source.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(source / "src", ignore_errors=True)
    for file in source.iterdir():
        if file.is_file() and not (mine / file.name).exists():
            file.unlink()
    for file in mine.rglob("*"):
        made = any(
            part in ("build", "__pycache__") or part.endswith(".egg-info") for part in file.relative_to(mine).parts
        )
        if not made and file.is_file() and file.suffix != ".so":
            to = source / file.relative_to(mine)
            to.parent.mkdir(parents=True, exist_ok=True)
            if (
                not to.exists() or to.read_bytes() != file.read_bytes()
            ):  # ninja compiles what is newer than its object file
                shutil.copyfile(file, to)
    return source


def run(mine: Path, shown: str, *words) -> str:
    """The output of Python with these words in the copy; Wrong with the first error. shown: how a reader types the command."""
    source = place(mine) / "source"
    log = source.parent / "output.log"
    command = [sys.executable, *map(str, words)]
    env = os.environ | {"CFLAGS": " ".join([os.environ.get("CFLAGS", ""), *SOONER])}
    done = subprocess.run(
        command, cwd=source, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )
    log.write_text(done.stdout.replace(f"{source}/", f"{mine}/"))
    if done.returncode:
        said = log.read_text().partition("error: subprocess-exited-with-error")[0]  # what follows is of pip itself
        error = first_error(said)
        if error == said:  # no compiler's: Python's, at the end
            error = "\n".join(said.rstrip().splitlines()[-5:])
        if "-fPIC" in said and "-DTORCH_EXTENSION_NAME" not in said:
            error = f"a compiler ran without the options that torch wants: did setuptools compile by itself?\n{error}"
        raise Wrong(f"{shown} failed\n{error}\n(all of it: {log})")
    return done.stdout


def imported(folder: Path, code: str) -> None:
    """Runs that program, which starts elsewhere and finds packages in `folder`. Wrong where it fails or prints anything."""
    status, said = run_python(code, folder)
    if status:
        said = subprocess.run(["c++filt"], input=said, capture_output=True, text=True).stdout  # symbols as C++
        lines = said.replace(f"{folder}/", "").strip().splitlines()
        if "module export function" in lines[-1]:  # a torch that wants no C++20 lets any compiler through
            lines[-1] += "\nBuildExtension gives TORCH_EXTENSION_NAME its value: did setuptools compile by itself?"
        where = [line.strip() for line in lines if line.startswith("  File ") and "<stdin>" not in line][-1:]
        raise Wrong(
            "\n".join([f"python -c '{code.splitlines()[0]}', started in another folder, fails", *lines[-1:], *where])
        )
    if said:
        raise Wrong(said)
