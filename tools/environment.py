"""Print the path of the Python that runs the lessons, after making sure that it has what they need.

A Python with a fitting torch is used as it is: nothing is installed or fetched, and nothing in it is changed. Any other
makes .venv, a virtual environment in the repository with all that pyproject.toml lists. Any Python from 3.10 on can start
this, before anything is installed. The path goes to stdout, every message to stderr.

--versions makes an environment of its own, .venv-oldest or .venv-newest, with the oldest or the newest of all that
pyproject.toml allows: `make test-versions`. Remove .venv-newest to get what has come out since.
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
import shutil
import subprocess
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "made-from"  # which Python and requirements made a finished environment; empty while it is being made
VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"
# This Python; in a virtual environment, the one that it was made from.
BASE = sys.executable if sys.prefix == sys.base_prefix else f"{sys.base_prefix}/bin/python{VERSION}"
NEEDED = {"lesson": ["dependencies"], "test": ["dependencies", "test"], "lint": ["lint"]}
DEBIANS_WHEELS = Path("/usr/share/python-wheels")
EVERYTHING = ["dependencies", "cuda", "test", "pictures", "lint"]  # what .venv gets


def say(*lines):
    print(*lines, sep="\n", file=sys.stderr, flush=True)


def stop(*lines):
    sys.exit("\n".join(lines))


def check_venv_module():
    if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
        stop(
            f"{BASE} cannot make virtual environments: it has no venv or no ensurepip. On Debian and Ubuntu:",
            f"    sudo apt-get install python{VERSION}-venv",
        )


def library(name):
    """A module that need not be installed: pip and setuptools have copies of it, and venv has a wheel of pip."""
    for prefix in "", "pip._vendor.", "setuptools._vendor.":
        with contextlib.suppress(ImportError):
            return importlib.import_module(prefix + name)
    check_venv_module()
    bundled = Path(importlib.util.find_spec("ensurepip").origin).with_name("_bundled")
    sys.path += [str(wheel) for folder in (bundled, DEBIANS_WHEELS) for wheel in folder.glob("pip-*.whl")]
    return importlib.import_module(f"pip._vendor.{name}")


Requirement = library("packaging.requirements").Requirement
PROJECT = library("tomllib" if sys.version_info >= (3, 11) else "tomli").loads((ROOT / "pyproject.toml").read_text())
LISTS = {"dependencies": PROJECT["project"]["dependencies"], **PROJECT["project"]["optional-dependencies"]}


def requirements(*lists):
    """What these lists in pyproject.toml hold."""
    return [requirement for name in lists for requirement in LISTS[name]]


TORCH = next(r for r in requirements("dependencies") if Requirement(r).name == "torch")


def package(requirement):
    """torch for torch>=2.11,<2.16"""
    return Requirement(requirement).name


def oldest(requirement):
    """torch==2.11.* for torch>=2.11,<2.16"""
    lower = next((s.version for s in Requirement(requirement).specifier if s.operator == ">="), None)
    return f"{package(requirement)}=={lower}.*" if lower else requirement


def fits(requirement):
    """Whether this Python has it, by its metadata: `import torch` would take seconds."""
    wanted = Requirement(requirement)
    try:
        return wanted.specifier.contains(metadata.version(wanted.name), prereleases=True)
    except metadata.PackageNotFoundError:
        # conda's and Debian's ninja is a program only
        return wanted.name == "ninja" and shutil.which("ninja") is not None


def check_compiler():
    names = [os.environ["CXX"]] if os.environ.get("CXX") else ["c++", "g++", "clang++"]
    if not any(shutil.which(name) for name in names):
        stop(
            f"No C++ compiler: {', '.join(names)} not found. One of these installs it:",
            "    sudo apt-get install g++    sudo dnf install gcc-c++    xcode-select --install",
            "A compiler in another place: make CXX=/path/to/clang++ ...",
        )


def check_packages(purpose):
    missing = " ".join(f"'{r}'" for r in requirements(*NEEDED[purpose]) if not fits(r))
    if missing:
        stop(
            f"{sys.executable} has torch {metadata.version('torch')} and is used as it is, but it lacks {missing}.",
            f"    {sys.executable} -m pip install {missing}",
            "Another Python: make PYTHON=... (one without torch gets an environment of its own in .venv)",
        )


def runs(python=PYTHON):
    """Whether that Python starts and finds torch. Not so when the interpreter behind .venv was upgraded or removed."""
    command = [python, "-I", "-c", "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"]
    return python.exists() and subprocess.run(command, stderr=subprocess.DEVNULL).returncode == 0


def state(venv, wanted):
    """'ready', 'outdated' (pyproject.toml has changed: pip can mend that) or 'unusable' (has to be made anew)."""
    stamp = venv / STAMP.name
    base, *made_from = stamp.read_text().splitlines() or [""] if stamp.exists() else [""]
    # make PYTHON=... asks for an environment made by that Python. Without it, whichever Python made .venv will do.
    another = os.environ.get("PYTHON") and os.path.realpath(base) != os.path.realpath(BASE)
    if not base or another or not runs(venv / "bin" / "python"):
        return "unusable"
    return "ready" if made_from == wanted else "outdated"


def start_afresh(venv, run):
    check_venv_module()
    for entry in venv.iterdir():
        if entry.name != STAMP.name:
            shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
    need, stay = (9, 6) if (sys.platform, platform.machine()) == ("linux", "x86_64") else (2, 1)  # with CUDA, without
    if (free := shutil.disk_usage(ROOT).free / 1e9) < need:
        stop(f"{ROOT} has {free:.1f} GB free; installing torch takes {need} GB. Make room, then run this again.")
    say(f"{sys.executable} has no torch that fits {TORCH}.")
    say(f"Making {venv.name} with {BASE}: {stay} GB on disk, some minutes, once.")
    run(BASE, "-m", "venv", venv)


def set_up(venv, wanted, upgrade):
    """Make that environment or mend it. Whenever this is killed, the stamp is empty and the next run starts afresh."""
    stamp = venv / STAMP.name
    if venv.exists() and not stamp.exists() and any(venv.iterdir()):
        stop(f"{venv} was not made by this repository. Activate it if it has torch, or remove it: rm -rf '{venv}'")
    with (ROOT / "pyproject.toml").open("r+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Another make is setting up an environment; waiting for it.")
            fcntl.flock(lock, fcntl.LOCK_EX)

        def run(*command):
            # The child inherits the lock: a pip that outlives a killed make has to end before the next one begins.
            if subprocess.run(command, stdout=sys.stderr, pass_fds=[lock.fileno()]).returncode:
                stop(
                    f"{venv} is unfinished. What is said above is why; no network is the usual reason.",
                    "Run the same command again: pip's cache keeps what was fetched. If there was no room:",
                    "PIP_NO_CACHE_DIR=1 keeps no copies, TMPDIR=/a/larger/folder unpacks elsewhere.",
                )

        if (was := state(venv, wanted)) == "ready":
            return  # the other make did it
        venv.mkdir(exist_ok=True)
        stamp.write_text("")
        if was == "unusable":
            start_afresh(venv, run)
        pip = [venv / "bin" / "python", "-I", "-m", "pip", "--disable-pip-version-check"]
        run(*pip, "install", *(["--upgrade"] if upgrade else []), *wanted)
        stamp.write_text("\n".join([BASE, *wanted]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--for", dest="purpose", choices=NEEDED, default="lesson")
    parser.add_argument("--versions", choices=["oldest", "newest"], help="in an environment of its own")
    parser.add_argument("--check", action="store_true", help="install nothing: say what is missing (for cmake)")
    options = parser.parse_args()
    if options.purpose != "lint":
        check_compiler()
    if not options.versions and Path(sys.prefix).resolve() != VENV.resolve() and fits(TORCH):
        check_packages(options.purpose)
        return print(sys.executable)
    venv = ROOT / f".venv-{options.versions}" if options.versions else VENV
    wanted = requirements(*EVERYTHING)
    if options.versions == "oldest":
        wanted = [oldest(requirement) for requirement in wanted]
    try:
        if state(venv, wanted) != "ready":
            if options.check:
                stop(
                    f"{sys.executable} has no torch that fits, and there is no finished .venv. `make setup` makes one."
                )
            set_up(venv, wanted, upgrade=options.versions == "newest")
    except KeyboardInterrupt:
        stop("", "Interrupted. Run the same command again: pip's cache keeps what was fetched.")
    except OSError as error:
        stop(
            f"{venv} cannot be made: {error}",
            "Make room, or use a copy of the repository that you own, or a Python that has torch: make PYTHON=...",
        )
    print(venv / "bin" / "python")


if __name__ == "__main__":
    main()
