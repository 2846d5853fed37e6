"""Print the path of the Python that runs the lessons, after making sure that it has what they need.

A Python with a fitting torch is used as it is: nothing is installed, nothing is fetched. Any other makes .venv, a
virtual environment in the repository with all that pyproject.toml lists. The Makefile's targets start with this:

    python3 tools/environment.py --for lesson|test|lint [--versions oldest|newest]

With --versions it is a virtual environment of its own, .venv-oldest or .venv-newest, with the oldest or the newest of all
that pyproject.toml allows: `make test-versions`. Remove .venv-newest to get what has come out since.

stdout gets the path and nothing else; what there is to say goes to stderr.
"""

import sys

if sys.version_info < (3, 10):  # noqa: UP036
    sys.exit(f"{sys.executable} is Python {sys.version.split()[0]}, too old: make PYTHON=python3.10 ... (or newer)")

import argparse
import ast
import contextlib
import fcntl
import hashlib
import importlib.util
import os
import platform
import re
import shutil
import subprocess
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSIONS = next((word for word in ("oldest", "newest") if sys.argv[-2:] == ["--versions", word]), "")
VENV = ROOT / "-".join(filter(None, [".venv", VERSIONS]))
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "made-from"  # what a finished environment was made from; empty while it is being made
VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"
# This Python; in a virtual environment, the one that it was made from.
BASE = sys.executable if sys.prefix == sys.base_prefix else f"{sys.base_prefix}/bin/python{VERSION}"
EVERYTHING = ["dependencies", "cuda", "test", "pictures", "lint"]  # what .venv gets
NEEDED = {"lesson": ["dependencies"], "test": ["dependencies", "test"], "lint": ["lint"]}


def say(*lines):
    print(*lines, sep="\n", file=sys.stderr, flush=True)


def stop(*lines):
    say(*lines)
    sys.exit(1)


def requirements(*lists):
    """What these lists in pyproject.toml hold. Python 3.10 cannot read TOML, but a list of strings is Python, too."""
    text = (ROOT / "pyproject.toml").read_text()
    found = [r for name in lists for r in ast.literal_eval(re.search(rf"(?ms)^{name} = (\[.*?^\])", text)[1])]
    return [re.sub(r">=([\d.]+)(,<[\d.]+)?", r"==\1.*", r) for r in found] if VERSIONS == "oldest" else found


TORCH = next(r for r in requirements("dependencies") if r.startswith("torch"))


def ingredients():
    """What a .venv made now would be made from, in short."""
    return hashlib.sha256(Path(__file__).read_bytes() + str(requirements(*EVERYTHING)).encode()).hexdigest()


def numbers(version):
    """The numbers at the start of a version: (2, 11, 0) for 2.11.0+cu130."""
    return tuple(int(n) for n in re.match(r"[\d.]*\d", version)[0].split("."))


def package(requirement):
    """torch for torch>=2.11,<2.16"""
    return re.match(r"[\w-]+", requirement)[0]


def fits(requirement):
    """Whether this Python has it, by its metadata: `import torch` would take seconds."""
    try:
        have = numbers(metadata.version(package(requirement)))
    except metadata.PackageNotFoundError:
        # conda's and Debian's ninja is a program only
        return package(requirement) == "ninja" and shutil.which("ninja") is not None
    compare = {">=": have.__ge__, "<": have.__lt__, "==": have.__eq__}
    return all(compare[sign](numbers(version)) for sign, version in re.findall(r"(>=|<|==)([\d.]+)", requirement))


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


def runs():
    """Whether .venv has a Python that finds torch; one whose interpreter was upgraded or removed has not."""
    command = [PYTHON, "-I", "-c", "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"]
    return PYTHON.exists() and subprocess.run(command, stderr=subprocess.DEVNULL).returncode == 0


def state():
    """'ready', 'outdated' (pyproject.toml or this file changed: pip can mend that) or 'unusable'."""
    made_from, _, made_by = STAMP.read_text().partition(" ") if STAMP.exists() else ("", "", "")
    # A PYTHON=... given by hand reaches us through make, and must be the one. Else any that made a .venv will do.
    other = os.environ.get("PYTHON") and os.path.realpath(made_by) != os.path.realpath(BASE)
    if not made_from or other or not runs():
        return "unusable"
    return "ready" if made_from == ingredients() else "outdated"


def link_libraries(prefix):
    """Beside an nvcc from PyPI: linkers look for libcudart.so, and NVIDIA's packages have libcudart.so.13 only."""
    for nvcc in Path(prefix).glob("lib/python*/site-packages/nvidia/cu[0-9]*/bin/nvcc"):
        for library in nvcc.parent.parent.glob("lib/lib*.so.*"):
            link = library.with_name(library.name.partition(".so.")[0] + ".so")
            if not link.exists():
                link.unlink(missing_ok=True)  # a link to an older version that is gone
                link.symlink_to(library.name)


def check_venv_module():
    if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
        stop(
            f"{BASE} cannot make virtual environments: it has no venv or no ensurepip. On Debian and Ubuntu:",
            f"    sudo apt-get install python{VERSION}-venv",
        )


def start_afresh(run):
    for entry in VENV.iterdir():
        if entry != STAMP:
            shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
    cuda = sys.platform == "linux" and platform.machine() == "x86_64"
    need, stay = (9, 6) if cuda else (2, 1)
    free = shutil.disk_usage(ROOT).free / 1e9
    if free < need:
        stop(f"{ROOT} has {free:.1f} GB free; installing torch takes {need} GB. Make room, then run this again.")
    with contextlib.suppress(metadata.PackageNotFoundError):
        say(f"{sys.executable} has torch {metadata.version('torch')}, but the chapters are tested with {TORCH} only.")
    say(f"Making {VENV.name} with {BASE}: {stay} GB on disk, some minutes, once.")
    run(BASE, "-m", "venv", VENV)


def set_up():
    """Make .venv or mend it. It may be killed anywhere: the stamp is then empty, and the next run starts afresh."""
    if VENV.exists() and not STAMP.exists() and any(VENV.iterdir()):
        stop(f"{VENV} was not made by this repository. Activate it if it has torch, or remove it: rm -rf '{VENV}'")
    with (ROOT / "pyproject.toml").open("r+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Another make is setting up an environment; waiting for it.")
            fcntl.flock(lock, fcntl.LOCK_EX)

        def run(*command):
            # The child holds the lock, too: a pip that outlives a killed make has to end before the next one begins.
            subprocess.run(command, check=True, stdout=sys.stderr, pass_fds=[lock.fileno()])

        was = state()
        if was == "ready":
            return  # the other make did it
        if was == "unusable":
            check_venv_module()
        VENV.mkdir(exist_ok=True)
        STAMP.write_text("")
        if was == "unusable":
            start_afresh(run)
        newest = ["--upgrade"] if VERSIONS == "newest" else []
        run(PYTHON, "-I", "-m", "pip", "install", "--disable-pip-version-check", *newest, *requirements(*EVERYTHING))
        link_libraries(VENV)
        STAMP.write_text(f"{ingredients()} {BASE}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--for", dest="purpose", choices=NEEDED, default="lesson")
    parser.add_argument("--versions", choices=["oldest", "newest"], help="in an environment of its own; comes last")
    parser.add_argument("--check", action="store_true", help="install nothing: say what is missing (for cmake)")
    options = parser.parse_args()
    purpose = options.purpose
    if purpose != "lint":
        check_compiler()
    if not VERSIONS and Path(sys.prefix).resolve() != VENV.resolve() and fits(TORCH):
        check_packages(purpose)
        with contextlib.suppress(OSError):  # a Python that one may only read
            link_libraries(sys.prefix)
        print(sys.executable)
        return
    try:
        if state() != "ready":
            if options.check:
                stop(
                    f"{sys.executable} has no torch that fits, and there is no finished .venv. `make setup` makes one."
                )
            set_up()
    except KeyboardInterrupt:
        stop("", "Interrupted. Run the same command again: pip's cache keeps what was fetched.")
    except subprocess.CalledProcessError as error:
        stop(
            f"Failed: {' '.join(map(str, error.cmd[:5]))}. What it says above is why; no network is the usual reason.",
            f"{VENV} is unfinished. Run the same command again: pip's cache keeps what was fetched.",
            "If it ran out of space: PIP_NO_CACHE_DIR=1 keeps no copies, TMPDIR=/a/larger/folder unpacks elsewhere.",
        )
    except OSError as error:
        stop(
            f"{VENV} cannot be made: {error}",
            "Make room, or use a copy of the repository that you own, or a Python that has torch: make PYTHON=...",
        )
    print(PYTHON)


if __name__ == "__main__":
    main()
