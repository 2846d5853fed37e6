"""Python, torch and the packages beside it."""

import os
import shutil
import sys
import sysconfig
from importlib import metadata
from pathlib import Path

import environment

from . import broken, check, ok, warning
from .machine import pip, quoted, run


def pythonpath():
    return [Path(entry).resolve() for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]


@check
def torch(m):
    """Without a torch that fits and can be imported, nothing runs."""
    if m.torch is None:
        half = environment.STAMP.exists() and not environment.STAMP.read_text()
        where = ".venv is unfinished" if half else f"{sys.executable} has none, and there is no finished .venv"
        return broken(f"no torch: {where}", "make setup")
    if not environment.fits(environment.TORCH):
        return broken(f"{m.torch.version} in {m.torch.folder}; the chapters need {environment.TORCH}", "make setup")
    if m.asked["error"]:
        version = metadata.version("torch").partition("+")[0]
        again = f"{pip()} install --force-reinstall --no-deps torch=={version}"
        cure = hidden_modules(m).cure or one_torch(m).cure or again
        return broken(f"{m.torch.version} cannot be imported: {m.asked['error'][:100]}", cure)
    return ok(f"{m.torch.version}, Python {sys.version.split()[0]}, {sys.executable}")


@check
def one_torch(m):
    """With two on the path, pip sees one, Python imports the other, and an extension is built for either."""
    folders = [torch.folder for torch in m.torches]
    if len(folders) < 2:
        return ok("one on the path" if folders else "none")
    first = folders[0].parent
    cure = f"{pip()} uninstall torch    # the first of the two"
    if first.resolve() in pythonpath():
        cure = "unset PYTHONPATH"
    elif ".local" in first.parts:
        cure = "export PYTHONNOUSERSITE=1"
    return warning(f"{folders[0]} is imported, {folders[1]} is there, too", cure)


@check
def packages(m):
    """torch.utils.cpp_extension needs setuptools, and the lessons numpy."""
    if not environment.fits(environment.TORCH):
        return ok("they come with torch")
    wanted = [r for r in environment.requirements("dependencies") if environment.package(r) not in ("torch", "ninja")]
    missing = [r for r in wanted if not environment.fits(r)]
    if missing:
        return broken(f"missing: {', '.join(missing)}", f"{pip()} install {' '.join(map(quoted, missing))}")
    return ok(", ".join(f"{name} {metadata.version(name)}" for name in map(environment.package, wanted)))


@check
def ninja(m):
    """torch compiles through it; where it is missing, load() ends before it has begun."""
    beside = Path(sys.executable).with_name("ninja")  # common/toolkit.py puts this folder on the PATH
    program = shutil.which("ninja") or (str(beside) if beside.exists() else None)
    if program is None:
        return broken("not found", f"{pip()} install ninja") if m.torch else ok("comes with torch")
    status, out, err = run(program, "--version")
    if status != 0:
        return broken(f"{program} does not run: {err.strip()[:80]}", f"{pip()} install --force-reinstall ninja")
    return ok(f"{out.strip()}, {program}")


@check
def python_headers(m):
    """Every binding includes Python.h, which most systems keep in a package of its own."""
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if header.exists():
        return ok(header)
    return broken(f"no {header}", f"sudo apt-get install python{environment.VERSION}-dev")


@check
def hidden_modules(m):
    """A file random.py or build.py in a lesson's folder, or on PYTHONPATH, is imported in place of the real one."""
    wanted = [environment.package(r).replace("-", "_") for r in environment.requirements(*environment.EVERYTHING)]
    known = {"common", *wanted, *sys.stdlib_module_names}
    own = [m.repository, *sorted(m.repository.glob("chapters/*"))]
    found = {}
    for folder in dict.fromkeys([*own, *pythonpath()]):
        for entry in sorted(folder.iterdir()) if folder.is_dir() else []:
            name = entry.name.removesuffix(".py")
            module = entry.suffix == ".py" or (entry / "__init__.py").exists()
            installed = any(folder.glob(f"{name}-*info"))  # not in the way: this is the package
            if module and name in known and not installed and entry != m.repository / "common":
                away = f"mv {quoted(entry)} {quoted(entry.with_name('my_' + entry.name))}"
                found[entry] = name, away if folder in own else "unset PYTHONPATH"
    for entry, (name, cure) in found.items():
        if name != "common":
            return broken(f"{entry} hides the module {name}", cure)
    for entry, (_, cure) in found.items():  # the lessons look into the repository first, your own scripts may not
        return warning(f"{entry} hides the lessons' common/ from your own scripts", cure)
    return ok("no file hides a module")
