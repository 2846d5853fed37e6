"""The package: builds it once, looks into it, and imports it in other Pythons with other versions of torch.

Started by `python chapters/10_stable/main.py --wheel [PYTHON ...]`.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import torch

from common import BUILD, device, progress
from common.cpp_extension import writable

here = Path(__file__).resolve().parent
root = here.parents[1]
CHAPTER_09 = root / "chapters" / "09_library"
# One folder for all versions of torch and Python: one of them builds the wheel, and all use it.
place = BUILD / f"bias_gelu-wheel-{device.type}"
OWN = ["bias_gelu.cpp", "setup.py", "pyproject.toml", "src/bias_gelu/*.py"]
USED = ["common/*.h", "device/*.h", "common/cpp_extension.py", "cuda_on_cpu/*.py", "cuda_on_cpu/include/**/*.h"]

# The names that a stable library may ask for: {whose: names as nm prints them}. Names of std:: begin with _ZNSt or _ZSt.
ALLOWED = {
    "torch, in C": r"(aoti_)?torch_\w+$",
    "Python, limited API": r"_?Py\w+$",
    "CUDA runtime": r"_*cuda\w+(@libcudart\S+)?$",
    "C and C++": r".*@(GLIBC|GLIBCXX|CXXABI|GCC)_|__(cxa_finalize|gmon_start__)$|_ITM_\w+$|_Z(N[KOR]*)?St\w+$",
}


def digest(files) -> str:
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def files() -> dict[str, Path]:
    """{place in the package: the file}. The kernels and library.py are chapter 09's."""
    own = {str(file.relative_to(here)): file for pattern in OWN for file in here.glob(pattern)}
    kernels = {str(file.relative_to(root)): file for file in (CHAPTER_09 / "bias_gelu.h", CHAPTER_09 / "bias_gelu.cu")}
    return own | kernels | {"src/bias_gelu/library.py": CHAPTER_09 / "library.py"}


def sources() -> list[Path]:
    """All that the wheel is made from."""
    return sorted([*files().values(), *(file for pattern in USED for file in root.glob(pattern))])


def built_with() -> str:
    return f"torch {torch.__version__}, Python {sys.version.split()[0]}"


def wheel() -> Path:
    """The wheel. Builds it, unless there is one and no source has changed, whichever torch and Python built it."""
    with progress.lock(writable(place), "bias_gelu"):
        start, made_from, stamp = time.monotonic(), digest(sources()), place / "made-from.json"
        if stamp.exists() and (kept := json.loads(stamp.read_text()))["sources"] == made_from:
            (file,) = place.glob("*.whl")
            assert digest([file]) == kept["sha256"], f"{file} is not what {kept['by']} has built: remove {place}"
            said = f"nothing changed; built with {kept['by']}"
        else:
            stamp.unlink(missing_ok=True)
            shutil.rmtree(place / "source", ignore_errors=True)
            for file in place.glob("*.whl"):
                file.unlink()
            for name, file in files().items():
                copy = place / "source" / name
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, copy)
            words = ["wheel", "--no-build-isolation", "--no-deps", "--no-index", "--wheel-dir", str(place), "."]
            command = [sys.executable, "-m", "pip", "--isolated", "--disable-pip-version-check", "-v", *words]
            env = os.environ | {"CHAPTERS_DEVICE": device.type}
            done = subprocess.run(command, cwd=place / "source", env=env, stdout=-1, stderr=-2, text=True)
            log, output = place / "pip.log", done.stdout
            for name, file in files().items():  # errors then name the file that you edit
                output = output.replace(str(place / "source" / name), str(file))
            log.write_text(output)
            if done.returncode:
                raise progress.BuildError(f"pip wheel failed.\n{progress.first_error(output)}\n({log})", log)
            (file,) = place.glob("*.whl")
            stamp.write_text(json.dumps({"sources": made_from, "sha256": digest([file]), "by": built_with()}))
            said = f"wheel of {file.stat().st_size / 1000:.0f} kB"
        progress.line("bias_gelu", time.monotonic() - start, said)
        return file


def installed(file: Path) -> Path:
    """A folder for PYTHONPATH with what pip would put into site-packages: the wheel, unpacked."""
    folder = place / "installed" / digest([file])[:16]
    if not folder.exists():
        with zipfile.ZipFile(file) as archive:
            archive.extractall(folder.with_suffix(f".{os.getpid()}"))
        folder.with_suffix(f".{os.getpid()}").rename(folder)
    return folder


def foreign(library: Path) -> dict[str, list[str]]:
    """{whose: names} of the functions and variables that a library takes from others. "unknown" should be empty."""
    done = subprocess.run(["nm", "-D", "--undefined-only", library], stdout=-1, text=True, check=True)
    found = {whose: [] for whose in [*ALLOWED, "unknown"]}
    for name in re.findall(r"^ +[Uwv] (\S+)", done.stdout, re.M):
        whose = next((whose for whose, pattern in ALLOWED.items() if re.match(pattern, name)), "unknown")
        found[whose].append(name)
    return found


def pythons() -> list[str]:
    """Every Python from 3.10 on: those on the PATH, and those that CHAPTERS_PYTHONS names, separated by colons."""
    named = [f"python3.{minor}" for minor in range(10, 20)]
    candidates = [sys.executable, *os.environ.get("CHAPTERS_PYTHONS", "").split(os.pathsep), *map(shutil.which, named)]
    return list(dict.fromkeys(filter(None, candidates)))


def versions(python) -> tuple[str, str | None]:
    """(version, version of its torch or None) of a Python. ("", None) if it does not start or is too old."""
    code = (
        "import sys; from importlib import metadata as m; print(sys.version.split()[0], "
        "next((d.version for d in m.distributions(name='torch')), '')) if sys.version_info >= (3, 10) else sys.exit(1)"
    )
    done = subprocess.run([python, "-c", code], cwd="/", stdout=-1, stderr=-3, text=True)
    version, _, torchs = done.stdout.strip().partition(" ")
    return (version, torchs or None) if done.returncode == 0 else ("", None)


def try_with(python, file: Path) -> str:
    """Imports the wheel in that Python, in another folder, and tries the operators. Returns what it printed last."""
    env = {k: v for k, v in os.environ.items() if k != "PYTHONHOME"} | {"PYTHONPATH": str(installed(file))}
    command = [python, str(here / "try_package.py")]
    done = subprocess.run(command, cwd="/", env=env, stdout=-1, stderr=-2, text=True)
    if done.returncode:
        raise RuntimeError(f"{python}\n{done.stdout}")
    return done.stdout.splitlines()[-1]


def needed(library: Path) -> list[str]:
    """The libraries that the loader needs as well."""
    done = subprocess.run(["readelf", "-d", library], stdout=-1, text=True, check=True)
    return re.findall(r"\(NEEDED\).*\[(.+)\]", done.stdout)


def main(others=()):
    file = wheel()
    print(f"{'wheel':8}{file.name}\n{'':8}sha256 {digest([file])}")
    (library,) = installed(file).glob("bias_gelu/*.so")
    for k, (whose, names) in enumerate(foreign(library).items()):
        print(f"{'' if k else 'uses':8}{whose:24}{len(names):4} names")
    print(f"{'needs':8}{' '.join(needed(library))}")
    found = {python: versions(python) for python in [*pythons(), *others]}
    for python, (version, torchs) in sorted(found.items(), key=lambda item: (item[1][1] or "", item[1][0])):
        if version:
            said = try_with(python, file) if torchs else "has no torch: not tried"
            print(f"{'import':8}Python {version:10}{torchs and f'torch {torchs}' or '':16}{said}")
