"""Print the path of the Python that runs the lessons, after making sure that it has what they need.

A Python with a fitting torch is used as it is: nothing in it is changed. Any other makes .venv, a virtual environment in
the repository. It begins with what lessons need, and gets what tests and lint need when they are asked for. Any Python
from 3.10 on can start this, before anything is installed. The path goes to stdout, every message to stderr.
"""

import sys

if sys.version_info < (3, 10):  # noqa: UP036
    sys.exit(f"{sys.executable} is Python {sys.version.split()[0]}, too old: make PYTHON=python3.10 ... (or newer)")

import argparse
import contextlib
import fcntl
import importlib.util
import os
import re
import shlex
import shutil
import signal
import subprocess
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = "made-from"  # the Python that made the environment, and every requirement in it; empty while pip changes it
VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"
# This Python; in a virtual environment, the one that it was made from.
BASE = sys.executable if sys.prefix == sys.base_prefix else f"{sys.base_prefix}/bin/python{VERSION}"
NEEDED = {"lesson": ["dependencies"], "test": ["dependencies", "test", "cmake"], "lint": ["lint"]}
# .venv gets more: a reader who has torch may have a CUDA toolkit, and need no pictures.
LESSON = ["dependencies", "cuda", "cmake"]
INSTALLED = {"lesson": LESSON, "test": [*LESSON, "test", "pictures"], "lint": [*LESSON, "lint", "pictures"]}
# GB that lessons take, measured with torch 2.15: files that pip fetches, and .venv. Only on Linux does torch bring CUDA.
FETCHED, UNPACKED = (3.2, 6.1) if sys.platform == "linux" else (0.2, 1)


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


def compiler():
    """The words of CXX: "ccache g++" has two. An empty CXX counts as unset, and one with an open quote as one word."""
    try:
        return shlex.split(os.environ.get("CXX", "")) or ["c++"]
    except ValueError:
        return [os.environ["CXX"]]


def runs(python=PYTHON):
    """Whether that Python starts and finds torch. It does not if the interpreter that .venv uses was upgraded or removed."""
    command = [python, "-I", "-c", "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"]
    return python.exists() and subprocess.run(command, stderr=subprocess.DEVNULL).returncode == 0


def made_from(venv):
    """[the Python that made this environment, a requirement, another ...], or [""] where it is not finished."""
    stamp = venv / STAMP
    return stamp.read_text().splitlines() or [""] if stamp.exists() else [""]


def state(venv, wanted):
    """'ready', 'outdated' (it lacks some of what is wanted, which pip can install) or 'unusable' (has to be made anew)."""
    base, *installed = made_from(venv)
    # make PYTHON=... asks for an environment made by that Python. Without it, whichever Python made .venv will do.
    another = os.environ.get("PYTHON") and os.path.realpath(base) != os.path.realpath(BASE)
    if not base or another or not runs(venv / "bin" / "python"):
        return "unusable"
    return "ready" if set(wanted) <= set(installed) else "outdated"


def show(text, end="\n"):
    """Prints a line. One without an end is for terminals only, where the next line takes its place."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end=end, file=sys.stderr, flush=True)
    elif end:
        print(text, end=end, file=sys.stderr)


def follow(lines, log, stamp, total):
    """Writes to the log what pip says, and shows what it means. Empties the stamp when pip begins to change anything."""
    fetched = size = part = 0  # GB: of the files before, of this file, and of this file so far
    for line in lines:
        if progress := re.match(r"Progress (\d+) of ", line):
            part = int(progress[1]) / 1e9
        else:
            print(line, end="", file=log, flush=True)
        if file := re.match(r" *(?:Downloading|Using cached) (\S+) \(([\d.]+) ([kM])B\)", line):
            fetched, size, part = fetched + size, float(file[2]) / {"k": 1e6, "M": 1e3}[file[3]], 0
            name = "-".join(file[1].split("-")[:2])
        if line.startswith("Installing collected packages"):
            stamp.write_text("")
            show(f"{'setup':8}installing {line.count(',') + 1} packages ({fetched + size:.2f} GB fetched)")
        elif size and (file or progress):
            show(f"{'setup':8}{name:<33}{fetched + part:5.2f}{total} GB", end="")
    show("", end="")


def set_up(venv, wanted, known, *options):
    """Make that environment or repair it. A stamp that this leaves empty lets the next run start afresh.

    known: what pyproject.toml lists. Of that, what was installed for another purpose stays.
    """
    stamp, log, total = venv / STAMP, venv / "pip.log", ""
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
            output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "errors": "replace"}
            with subprocess.Popen(command, pass_fds=[lock.fileno()], **output) as child, log.open("a") as file:
                follow(child.stdout, file, stamp, total)
            if child.returncode:
                last = "\n".join(log.read_text().splitlines()[-10:])
                sys.exit(
                    f"{last}\n{venv} is not ready. {log} has the whole output; the usual reason is a missing network.\n"
                    "Run the same command again: pip's cache keeps what was fetched. If there was no room:\n"
                    "PIP_NO_CACHE_DIR=1 keeps no copies, TMPDIR=/a/larger/folder unpacks elsewhere."
                )

        if (was := state(venv, wanted)) == "ready":
            return  # the other make did it
        if was == "unusable":
            venv.mkdir(exist_ok=True)
            stamp.write_text("")
            for entry in set(venv.iterdir()) - {stamp}:
                shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
            need = FETCHED + UNPACKED
            if (free := shutil.disk_usage(ROOT).free / 1e9) < need:
                sys.exit(f"{ROOT} has {free:.1f} GB free; installing torch takes {need:.0f} GB. Make room.")
            total = f" of about {FETCHED}"
            show(f"No {TORCH} here. Making {venv.name} with {BASE}: {UNPACKED} GB and some minutes, once.")
            run(BASE, "-m", "venv", venv)
            base = BASE
        else:
            base, *installed = made_from(venv)
            lacking = ", ".join(Requirement(r).name for r in wanted if r not in installed)
            show(f"Adding to {venv.name}: {lacking}")
            wanted = [*wanted, *(r for r in installed if r in known and r not in wanted)]
        pip = venv / "bin" / "python", "-I", "-m", "pip", "--disable-pip-version-check", "install"
        run(*pip, "--quiet", "pip>=24.1")  # the first that knows --progress-bar raw
        run(*pip, "--progress-bar", "raw", *options, *wanted)
        stamp.write_text("\n".join([base, *wanted]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--for", dest="purpose", choices=NEEDED, default="lesson")
    parser.add_argument("--versions", choices=["oldest", "newest"], help="in .venv-oldest or .venv-newest")
    parser.add_argument("--check", action="store_true", help="install nothing: say what is missing (for cmake)")
    options = parser.parse_args()
    if options.purpose != "lint" and not shutil.which(compiler()[0]):
        sys.exit(
            f"No C++ compiler: {compiler()[0]} not found. To install one: sudo apt-get install g++\n"
            "A compiler in another place: make CXX=/path/to/clang++ ..."
        )
    is_ours = Path(sys.prefix).resolve() == VENV.resolve() and (VENV / STAMP).exists()
    if not options.versions and not is_ours and fits(TORCH):
        missing = " ".join(f"'{r}'" for r in requirements(*NEEDED[options.purpose]) if not fits(r))
        if not missing:
            return print(sys.executable)
        sys.exit(
            f"{sys.executable} has torch {metadata.version('torch')} and is used as it is, but it lacks {missing}.\n"
            f"    {sys.executable} -m pip install {missing}\n"
            "Another Python: make PYTHON=... (one without torch gets an environment of its own in .venv)"
        )
    venv = ROOT / f".venv-{options.versions}" if options.versions else VENV
    wanted, known = requirements(*INSTALLED[options.purpose]), requirements(*LISTS)
    if options.versions:
        wanted = known
    if options.versions == "oldest":  # torch==2.11.* for torch>=2.11,<2.16
        wanted = known = [re.sub(r">=([^,]+),.*", r"==\1.*", requirement) for requirement in known]
    ready = state(venv, wanted) == "ready"
    if options.check and not ready:
        sys.exit(f"{sys.executable} has no torch that fits, and there is no finished .venv. `make setup` makes one.")
    try:
        if not ready:
            set_up(venv, wanted, known, *(["--upgrade"] if options.versions == "newest" else []))
    except KeyboardInterrupt:
        show("Interrupted. Run the same command again.")
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.raise_signal(signal.SIGINT)  # so the shell and make also end, with status 130
    except OSError as error:
        sys.exit(f"{venv} cannot be made: {error}\nMake room, or use a copy of the repository that you own.")
    print(venv / "bin" / "python")


if __name__ == "__main__":
    main()
