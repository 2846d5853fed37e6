"""Print the path of the Python that runs the lessons, after making sure that it has what they need.

A Python with a fitting torch is used as it is: nothing in it is changed. Any other makes .venv, a virtual environment in
the repository with all that pyproject.toml lists. Any Python from 3.10 on can start this, before anything is installed.
The path goes to stdout, every message to stderr.
"""

import sys

if sys.version_info < (3, 10):  # noqa: UP036
    sys.exit(f"{sys.executable} is Python {sys.version.split()[0]}, too old: make PYTHON=python3.10 ... (or newer)")

import argparse
import contextlib
import fcntl
import importlib.util
import os
import platform
import re
import shutil
import subprocess
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = "made-from"  # which Python and requirements made a finished environment; empty while it is being made
VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"
# This Python; in a virtual environment, the one that it was made from.
BASE = sys.executable if sys.prefix == sys.base_prefix else f"{sys.base_prefix}/bin/python{VERSION}"
NEEDED = {"lesson": ["dependencies"], "test": ["dependencies", "test"], "lint": ["lint"]}


def library(name):
    """A module that need not be installed: pip and setuptools have copies of it, and venv has a wheel of pip."""
    for prefix in "", "pip._vendor.", "setuptools._vendor.":
        with contextlib.suppress(ImportError):
            return importlib.import_module(prefix + name)
    ensurepip = importlib.util.find_spec("ensurepip")
    if ensurepip is None:
        sys.exit(f"{BASE} cannot make virtual environments. This helps: sudo apt-get install python{VERSION}-venv")
    for folder in Path(ensurepip.origin).with_name("_bundled"), Path("/usr/share/python-wheels"):  # Debian's place
        sys.path += map(str, folder.glob("pip-*.whl"))
    return importlib.import_module(f"pip._vendor.{name}")


Requirement = library("packaging.requirements").Requirement
PROJECT = library("tomllib" if sys.version_info >= (3, 11) else "tomli").loads((ROOT / "pyproject.toml").read_text())
LISTS = {"dependencies": PROJECT["project"]["dependencies"], **PROJECT["project"]["optional-dependencies"]}
TORCH = next(requirement for requirement in LISTS["dependencies"] if requirement.startswith("torch>"))


def requirements(*lists):
    return [requirement for name in lists for requirement in LISTS[name]]


def fits(requirement):
    """Whether this Python has it, by its metadata: `import torch` would take seconds."""
    wanted = Requirement(requirement)
    try:
        return wanted.specifier.contains(metadata.version(wanted.name), prereleases=True)
    except metadata.PackageNotFoundError:
        return wanted.name == "ninja" and shutil.which("ninja") is not None  # conda's and Debian's is a program only


def runs(python=PYTHON):
    """Whether that Python starts and finds torch. Not so when the interpreter behind .venv was upgraded or removed."""
    command = [python, "-I", "-c", "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"]
    return python.exists() and subprocess.run(command, stderr=subprocess.DEVNULL).returncode == 0


def state(venv, wanted):
    """'ready', 'outdated' (pyproject.toml has changed: pip can mend that) or 'unusable' (has to be made anew)."""
    stamp = venv / STAMP
    base, *made_from = stamp.read_text().splitlines() or [""] if stamp.exists() else [""]
    # make PYTHON=... asks for an environment made by that Python. Without it, whichever Python made .venv will do.
    another = os.environ.get("PYTHON") and os.path.realpath(base) != os.path.realpath(BASE)
    if not base or another or not runs(venv / "bin" / "python"):
        return "unusable"
    return "ready" if made_from == wanted else "outdated"


def set_up(venv, wanted):
    """Make that environment or mend it. Whenever this is killed, the stamp is empty and the next run starts afresh."""
    stamp = venv / STAMP
    if venv.exists() and not stamp.exists() and any(venv.iterdir()):
        sys.exit(f"{venv} was not made by this repository. Activate it if it has torch, or remove it: rm -rf '{venv}'")
    with (ROOT / "pyproject.toml").open("r+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Another make is setting up an environment; waiting for it.", file=sys.stderr)
            fcntl.flock(lock, fcntl.LOCK_EX)

        def run(*command):
            # The child inherits the lock: a pip that outlives a killed make has to end before the next one begins.
            if subprocess.run(command, stdout=sys.stderr, pass_fds=[lock.fileno()]).returncode:
                sys.exit(
                    f"{venv} is unfinished. What is said above is why; no network is the usual reason.\n"
                    "Run the same command again: pip's cache keeps what was fetched. If there was no room:\n"
                    "PIP_NO_CACHE_DIR=1 keeps no copies, TMPDIR=/a/larger/folder unpacks elsewhere."
                )

        if (was := state(venv, wanted)) == "ready":
            return  # the other make did it
        venv.mkdir(exist_ok=True)
        stamp.write_text("")
        if was == "unusable":
            for entry in set(venv.iterdir()) - {stamp}:
                shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
            need = 9 if platform.machine() == "x86_64" else 2  # GB, with CUDA and without
            if (free := shutil.disk_usage(ROOT).free / 1e9) < need:
                sys.exit(f"{ROOT} has {free:.1f} GB free; installing torch takes {need} GB. Make room.")
            print(f"No {TORCH} here. Making {venv.name} with {BASE}: some minutes, once.", file=sys.stderr)
            run(BASE, "-m", "venv", venv)
        run(venv / "bin" / "python", "-I", "-m", "pip", "--disable-pip-version-check", "install", *wanted)
        stamp.write_text("\n".join([BASE, *wanted]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--for", dest="purpose", choices=NEEDED, default="lesson")
    parser.add_argument("--versions", choices=["oldest", "newest"], help="in .venv-oldest or .venv-newest")
    parser.add_argument("--check", action="store_true", help="install nothing: say what is missing (for cmake)")
    options = parser.parse_args()
    if options.purpose != "lint" and not shutil.which(compiler := os.environ.get("CXX") or "c++"):
        sys.exit(
            f"No C++ compiler: {compiler} not found. To install one: sudo apt-get install g++\n"
            "A compiler in another place: make CXX=/path/to/clang++ ..."
        )
    if not options.versions and Path(sys.prefix).resolve() != VENV.resolve() and fits(TORCH):
        missing = " ".join(f"'{r}'" for r in requirements(*NEEDED[options.purpose]) if not fits(r))
        if not missing:
            return print(sys.executable)
        sys.exit(
            f"{sys.executable} has torch {metadata.version('torch')} and is used as it is, but it lacks {missing}.\n"
            f"    {sys.executable} -m pip install {missing}\n"
            "Another Python: make PYTHON=... (one without torch gets an environment of its own in .venv)"
        )
    venv = ROOT / f".venv-{options.versions}" if options.versions else VENV
    wanted = requirements(*LISTS)
    if options.versions == "oldest":  # torch==2.11.* for torch>=2.11,<2.16
        wanted = [re.sub(r">=([^,]+),.*", r"==\1.*", requirement) for requirement in wanted]
    elif options.versions == "newest":
        wanted = ["--upgrade", *wanted]
    ready = state(venv, wanted) == "ready"
    if options.check and not ready:
        sys.exit(f"{sys.executable} has no torch that fits, and there is no finished .venv. `make setup` makes one.")
    try:
        if not ready:
            set_up(venv, wanted)
    except KeyboardInterrupt:
        sys.exit("\nInterrupted. Run the same command again.")
    except OSError as error:
        sys.exit(f"{venv} cannot be made: {error}\nMake room, or use a copy of the repository that you own.")
    print(venv / "bin" / "python")


if __name__ == "__main__":
    main()
