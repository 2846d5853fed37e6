"""Memory, disk, and what earlier builds have left."""

import contextlib
import os
import re
import shutil
import time
from importlib import metadata
from pathlib import Path

import environment

from . import broken, check, ok, warning
from .machine import pip, quoted

GB = 1e9


def free_memory(m):
    """Bytes that a build may take: what the machine has left, or what the container may still use. None if unknown."""
    known = []
    if available := re.search(r"MemAvailable: +(\d+) kB", m.read("proc/meminfo")):
        known.append(int(available[1]) * 1024)
    for limit, used in (
        ("sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory.current"),
        ("sys/fs/cgroup/memory/memory.limit_in_bytes", "sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ):
        if m.read(limit).strip().isdigit() and m.read(used).strip().isdigit():
            known.append(int(m.read(limit)) - int(m.read(used)))
    return min(known, default=None)


@check
def memory(m):
    """ninja starts two more compilers than there are cores, each may take 1 GB; the kernel kills what does not fit."""
    jobs = os.environ.get("MAX_JOBS", "")
    if jobs and not (jobs.isdigit() and int(jobs)):
        return warning(f"MAX_JOBS={jobs} is no number: torch passes over it", "unset MAX_JOBS")
    free = free_memory(m)
    if free is None:
        return ok("unknown")
    chapters = m.repository.glob("chapters/*")
    files = max((sum(f.suffix in (".cu", ".cpp") for f in c.glob("*")) for c in chapters), default=1)
    once = min(int(jobs or (os.cpu_count() or 1) + 2), files)  # no lesson compiles more files than it has
    found = f"{free / GB:.1f} GB free, {once} compilers at once" + (f" (MAX_JOBS={jobs})" if jobs else "")
    fitting = max(1, int(free / GB))
    if free < 0.5 * GB:
        return broken(found, "export MAX_JOBS=1    # and end other programs")
    return warning(found, f"export MAX_JOBS={fitting}") if fitting < once else ok(found)


@check
def disk(m):
    """Builds go to build/, compilers' own files to $TMPDIR; a full or read-only disk ends both."""
    build = m.repository / "build"
    folder = build if build.exists() else m.repository
    if not os.access(folder, os.W_OK):
        return broken(f"{folder} cannot be written", f"cp -r {quoted(m.repository)} ~/chapters")
    temporary = os.environ.get("TMPDIR") or "/tmp"  # nvcc's rule; Python's would pass over one that is full
    if not os.access(temporary, os.W_OK):
        return broken(f"{temporary} cannot be written", f"export TMPDIR={quoted(folder)}")
    free = {place: shutil.disk_usage(place).free for place in (folder, temporary)}
    place = min(free, key=free.get)
    found = f"{free[place] / GB:.1f} GB free in {place}"
    if free[place] < 2 * GB:
        cure = "make clean" if place == folder else f"export TMPDIR={quoted(folder)}"
        return (broken if free[place] < 0.2 * GB else warning)(found, cure)
    return ok(found)


def torch_extensions():
    """Where torch's own load() builds."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get("TORCH_EXTENSIONS_DIR") or cache / "torch_extensions")


def is_open(file):
    """Whether a process has the file open, of those that we may look into. Without /proc: whether it is an hour old."""
    if not Path("/proc/self/fd").exists():
        return time.time() - file.stat().st_mtime < 3600
    for descriptor in Path("/proc").glob("[0-9]*/fd/*"):
        with contextlib.suppress(OSError):  # the process has ended, or is somebody else's
            if descriptor.samefile(file):
                return True
    return False


@check
def locks(m):
    """An older torch waits for ever at the lock that a killed build has left. (The lessons remove theirs.)"""
    if m.torch and "FileBaton" not in m.torch.text("utils/cpp_extension.py"):
        return ok("this torch's end with the process")
    left = [lock for lock in sorted(torch_extensions().rglob("lock")) if not is_open(lock)]
    if left:
        return warning(f"{len(left)} of builds that were killed: {left[0]}", f"rm {' '.join(map(quoted, left))}")
    return ok("none left")


@check
def old_extensions(m):
    """An extension that was built with another torch fails with "undefined symbol", or crashes."""
    if m.torch is None:
        return ok("no torch to compare with")
    have = environment.numbers(m.torch.version)
    for package in metadata.distributions():
        for requirement in package.requires or []:
            exact = re.match(r"torch *\(?== *([\d.]+\d)", requirement)
            if exact and have[: len(environment.numbers(exact[1]))] != environment.numbers(exact[1]):
                name = package.metadata["Name"]
                again = f"{pip()} uninstall {name}    # then build or install it anew"
                return warning(f"{name} was built for torch {exact[1]}, here is {m.torch.version}", again)
    # pip and conda write this folder last, so it is as old as the installation; torch's own files may be older.
    infos = m.torch.folder.parent.glob(f"torch-{m.torch.version.partition('+')[0]}*.dist-info")
    since = max((info.stat().st_mtime for info in infos), default=0)
    built = [*m.repository.glob("chapters/**/*.so"), *torch_extensions().rglob("*.so")]
    old = [library for library in built if library.stat().st_mtime < since]
    if old:
        return warning(f"{old[0]} is older than this torch", f"rm {' '.join(map(quoted, old))}")
    return ok("none of another torch")
