"""What every build needs: torch, ninja, a compiler, memory, disk, and nothing old or hidden in its way."""

import os
import re
import shutil
import sys
import sysconfig
from importlib import metadata
from pathlib import Path

import environment

from .machine import broken, first_error, ok, pip, quoted, run, warning

GB = 1e9
PACKAGES = {"torch", "numpy", "setuptools", "pip", "ninja", "pybind11", "build", "cv2"}


def torch(m):
    """Nothing runs without a torch of a fitting version that Python can import."""
    if m.torch is None:
        return broken(f"{sys.executable} has no torch, and there is no finished .venv", "make setup")
    if not environment.fits(environment.TORCH):
        return broken(f"{m.torch.version} in {m.torch.folder}; the chapters need {environment.TORCH}", "make setup")
    if m.asked["error"]:
        cure = hidden_modules(m).cure or f"{pip()} install --force-reinstall --no-deps torch=={m.torch.release}"
        return broken(f"{m.torch.version} cannot be imported: {m.asked['error'][:100]}", cure)
    return ok(f"{m.torch.version}, Python {sys.version.split()[0]}, {sys.executable}")


def build_isolation(m):
    """pip builds a package without your torch, unless you pass `--no-build-isolation`, which needs your setuptools."""
    if m.torch and not environment.fits("setuptools"):
        return broken("setuptools is missing", f"{pip()} install setuptools")
    return ok("pip install --no-build-isolation avoids \"No module named 'torch'\"" if m.torch else "torch comes first")


def ninja(m):
    """torch compiles extensions through ninja; without ninja load() fails at once."""
    beside = Path(sys.executable).with_name("ninja")  # common/toolkit.py puts this folder on the PATH
    program = shutil.which("ninja") or (beside if beside.exists() else None)
    if program is None and m.torch:
        return broken("not found", f"{pip()} install ninja")
    return ok(program or "torch comes first")


def compiler(m):
    """torch's headers need a C++ standard (20 from torch 2.15 on) that an older compiler does not know."""
    name = os.environ.get("CXX") or "c++"  # as torch chooses
    if not shutil.which(name):
        return broken(f"{name} not found", "unset CXX" if "CXX" in os.environ else "sudo apt-get install g++")
    standard = f"-std=c++{m.torch.standard if m.torch else 17}"
    status, _, err = run(name, standard, "-x", "c++", "-include", "vector", "-fsyntax-only", os.devnull)
    version = run(name, "-dumpfullversion", "-dumpversion")[1].strip()
    if status != 0:
        newer = "sudo apt-get install g++-10 && export CXX=g++-10"  # the oldest g++ that knows C++20
        return broken(f"{name} {version} does not know {standard}: {first_error(err)}", newer)
    return ok(f"{name} {version}, {standard}")


def python_headers(m):
    """Every binding includes Python.h, which many systems keep in a package of its own."""
    header = Path(sysconfig.get_path("include")) / "Python.h"
    cure = f"sudo apt-get install python{sys.version_info[0]}.{sys.version_info[1]}-dev"
    return ok(header) if header.exists() else broken(f"no {header}", cure)


def hidden_modules(m):
    """Python imports a file random.py or build.py in a lesson's folder, or on PYTHONPATH, in place of the real module."""
    ours = [m.repository, *sorted(m.repository.glob("chapters/*"))]
    path = [Path(entry).resolve() for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    for folder in [*ours, *path]:
        for entry in sorted(folder.glob("*")):
            name = entry.name.removesuffix(".py")
            is_module = entry.suffix == ".py" or (entry / "__init__.py").exists()
            installed = any(folder.glob(f"{name}-*info"))  # by pip: the real package
            if is_module and name in PACKAGES | sys.stdlib_module_names and not installed:
                away = f"mv {quoted(entry, entry.with_name('my_' + entry.name))}"
                return broken(f"{entry} hides the module {name}", away if folder in ours else "unset PYTHONPATH")
    return ok("no file hides a module")


def memory(m):
    """ninja starts more compilers than there are cores, and each may take 1 GB; the kernel kills what does not fit."""
    available = re.search(r"MemAvailable: +(\d+) kB", m.read("proc/meminfo"))
    if not available:
        return ok("unknown")
    free = int(available[1]) * 1024
    limit = m.read("sys/fs/cgroup/memory.max").strip()
    if limit.isdigit():  # a container's
        free = min(free, int(limit) - int(m.read("sys/fs/cgroup/memory.current")))
    jobs = os.environ.get("MAX_JOBS", "")
    lessons = m.repository.glob("chapters/*")
    most = max(sum(file.suffix in (".cu", ".cpp") for file in lesson.glob("*")) for lesson in lessons)
    at_once = min(int(jobs) if jobs.isdigit() else (os.cpu_count() or 1) + 2, most)
    found = f"{free / GB:.1f} GB free, {at_once} compilers at once" + (f" (MAX_JOBS={jobs})" if jobs else "")
    if free < 0.5 * GB:
        return broken(found, "export MAX_JOBS=1    # and end other programs")
    return ok(found) if free >= at_once * GB else warning(found, f"export MAX_JOBS={max(1, int(free / GB))}")


def disk(m):
    """Builds go to build/, the compilers' temporary files to $TMPDIR; a full or read-only disk ends both."""
    build = m.repository / "build"
    folder = build if build.exists() else m.repository
    temporary = Path(os.environ.get("TMPDIR") or "/tmp")  # as nvcc chooses
    elsewhere = f"export TMPDIR={quoted(folder)}"
    copy = f"cp -r {quoted(m.repository)} ~/chapters"
    for place, make_writable, make_room in (folder, copy, "make clean"), (temporary, elsewhere, elsewhere):
        if not os.access(place, os.W_OK):
            return broken(f"{place} is not writable", make_writable)
        free = shutil.disk_usage(place).free / GB
        if free < 2:
            return (broken if free < 0.2 else warning)(f"{free:.1f} GB free in {place}", make_room)
    return ok(f"2 GB and more free in {folder} and {temporary}")


def torch_extensions():
    """The folder in which torch's own load() builds."""
    return Path(os.environ.get("TORCH_EXTENSIONS_DIR") or Path.home() / ".cache/torch_extensions")


def locks(m):
    """A killed build leaves a lock in torch's cache, and an older torch waits for that lock for ever."""
    if not (m.torch and m.torch.find("utils/cpp_extension.py", "(FileBaton)")):
        return ok("the locks of this torch end with their process" if m.torch else "torch comes first")
    if found := sorted(torch_extensions().rglob("lock")):
        return warning(f"{len(found)}, such as {found[0]}", f"rm {quoted(*found)}    # unless a build is running")
    return ok("none")


def old_extensions(m):
    """An extension that was built with another torch fails with "undefined symbol", or crashes."""
    if m.torch is None:
        return ok("torch comes first")
    for package in metadata.distributions():
        for requirement in package.requires or []:
            exact = re.match(r"torch *\(?== *([\d.]+\d)", requirement)
            if exact and not f"{m.torch.release}.".startswith(f"{exact[1]}."):
                name = package.metadata["Name"]
                again = f"{pip()} uninstall {name}    # then build or install it again"
                return warning(f"{name} was built for torch {exact[1]}, here is {m.torch.version}", again)
    # pip and conda write this folder last, so its time is that of the installation. torch's own files may be older.
    infos = m.torch.folder.parent.glob(f"torch-{m.torch.release}*.dist-info")
    installed = max((info.stat().st_mtime for info in infos), default=0)
    built = [*m.repository.glob("chapters/**/*.so"), *torch_extensions().rglob("*.so")]
    old = [library for library in built if library.stat().st_mtime < installed]
    return warning(f"{old[0]} is older than this torch", f"rm {quoted(*old)}") if old else ok("none of another torch")
