"""Chapter 04, package: from source to wheel to import

python chapters/04_package/main.py                build the wheel, install it, check, time
python chapters/04_package/main.py --import       ... and import the same file in three ways
python chapters/04_package/main.py --load         the same sources by load(), without a package
python chapters/04_package/main.py --fast-math    ... and what --use_fast_math makes of them; needs a GPU
"""

import argparse
import hashlib
import importlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

here = Path(__file__).resolve().parent
root = here.parents[1]
sys.path.insert(0, str(root))  # so that `common` is found, wherever you start this file from

from common import bench, check, device, progress, title
from common.cpp_extension import extension_folder, load, writable

import torch  # after `common`, which says what to do where torch is missing

place = extension_folder("my_cuda_extension")
source, wheels, installed, log = (place / name for name in ("source", "wheels", "installed", "pip.log"))
LEFT_OUT = shutil.ignore_patterns("build", "__pycache__", "*.egg-info", "*.so", "exercises")  # of the copy
# What changes a build, besides its files.
SETTINGS = [
    "CC", "CXX", "CFLAGS", "CPPFLAGS", "CXXFLAGS", "LDFLAGS", "DEBUG", "FAST_MATH", "TORCH_CUDA_ARCH_LIST"
]  # fmt: skip


def build():
    """The package, as `pip install .` would install it, but in build/: your Python stays as it is."""
    with progress.lock(writable(place), "my_cuda_extension"):
        start = time.monotonic()
        made_from, stamp = ingredients(), place / "made-from"
        if changed := not stamp.exists() or stamp.read_text() != made_from:
            stamp.unlink(missing_ok=True)
            # Otherwise pip would pack what is left of sources that have been deleted. The objects in build/temp* stay.
            for folder in wheels, installed, source / "src", *source.glob("build/lib*"):
                shutil.rmtree(folder, ignore_errors=True)
            # pip writes into the folder of the sources, so it gets a copy.
            shutil.copytree(here, source, ignore=LEFT_OUT, dirs_exist_ok=True, copy_function=copy_if_changed)
            # --no-build-isolation: build with the torch that is installed here. --no-index: download nothing.
            pip("wheel", "--no-build-isolation", "--no-deps", "--no-index", "--wheel-dir", wheels, ".")
            pip("install", "--no-deps", "--no-index", "--target", installed, *wheels.glob("*.whl"))
            stamp.write_text(made_from)
    (wheel,) = wheels.glob("*.whl")
    size = f"wheel of {wheel.stat().st_size / 1000:.0f} kB"
    progress.line("my_cuda_extension", time.monotonic() - start, size if changed else "nothing changed")
    if str(installed) not in sys.path:
        sys.path.insert(0, str(installed))
    return importlib.import_module("my_cuda_extension")


def build_with_load(name="my_kernel", nvcc_flags=()):
    """The same sources without a package: no wheel and no version, but each change is compiled at the next call."""
    return load(
        name=name,
        sources=[str(here / "package.cpp"), str(here / "package_kernel.cu")],
        extra_include_paths=[str(root)],
        extra_cflags=["-O2"],
        extra_cuda_cflags=list(nvcc_flags),
    )


def copy_if_changed(file, copy):
    """Copies a file only if its bytes differ: ninja compiles every file whose date is new."""
    if not os.path.exists(copy) or Path(file).read_bytes() != Path(copy).read_bytes():
        shutil.copyfile(file, copy)


def ingredients():
    """A digest of everything that the installed package is made from."""
    files = [(folder, p) for folder in (here, root / "common") for p in folder.rglob("*") if p.is_file()]
    files = sorted(p for folder, p in files if not LEFT_OUT(folder, p.relative_to(folder).parts))
    files = [p for p in files if p.name != "main.py" and p.suffix != ".md"]
    digest = hashlib.sha256(repr([os.environ.get(name) for name in SETTINGS]).encode())
    for file in files:
        digest.update(repr((str(file), file.read_bytes())).encode())  # with the name, because a file may be renamed
    return digest.hexdigest()


def pip(*words):
    """Runs pip in the copy. Its output goes to pip.log. If pip fails, BuildError shows the first error."""
    # --isolated: ignore the reader's own settings of pip. -v: print what the compiler says.
    command = [sys.executable, "-m", "pip", "--isolated", "--disable-pip-version-check", "-v", *map(str, words)]
    done = subprocess.run(command, cwd=source, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    log.write_text(done.stdout.replace(f"{source}/", f"{here}/"))  # errors then name the file that you edit
    if "No module named pip" in done.stdout:  # as in environments made by uv
        raise progress.BuildError(f"{sys.executable} has no pip. This installs it:\n    {sys.executable} -m ensurepip")
    if done.returncode != 0:
        error = progress.first_error(log.read_text())
        raise progress.BuildError(f"pip {words[0]} failed.\n{error}\n(all of it: {log})", log)


def python(code, path):
    """Runs that code as a program of yours would run: in a process of its own, which starts in another folder. The folder
    `path` stands in for site-packages."""
    env = os.environ | {"PYTHONPATH": str(path)}
    return subprocess.run([sys.executable, "-c", code], cwd="/", env=env, capture_output=True, text=True)


def import_elsewhere():
    done = python("import my_cuda_extension as m; print(m.__version__, 'from', m.__path__[0])", installed)
    if done.returncode != 0:
        sys.exit(done.stderr)
    print(f"{'import':8}my_cuda_extension {done.stdout.strip().replace(f'{root}/', '')}")


def import_in_three_ways():
    """Of one compiled file, my_kernel.*.so."""
    inside = installed / "my_cuda_extension"
    ways = [("import my_kernel", inside), ("import torch, my_kernel", inside), ("import my_cuda_extension", installed)]
    for k, (code, path) in enumerate(ways):
        done = python(code, path)
        said = "works" if done.returncode == 0 else done.stderr.strip().splitlines()[-1]
        print(f"{'' if k else 'import':8}{code:<27}{said}")


def fast_math():
    """float32 has numbers below 1.2e-38, with fewer digits. --use_fast_math replaces each of them by 0."""
    if device.type == "cpu":
        print(f"{'fast':8}--use_fast_math is an option of nvcc; it changes only what a GPU computes")
        return
    exact = build_with_load().my_cuda_function
    fast = build_with_load("my_kernel_fast_math", ["--use_fast_math"]).my_cuda_function
    print(f"{'fast':8}{'x':>12}{'2 x':>12}{'with --use_fast_math':>24}")
    for x in 1.0, 1e-37, 1e-38, 1e-40:
        y, z = (f(torch.tensor([x], device=device)).item() for f in (exact, fast))
        print(f"{'':8}{x:12.4g}{y:12.4g}{z:24.4g}")


def inputs(n):
    return (torch.rand(n, device=device),)


def double(input):
    return 2 * input


def operators(module):
    return {"my_cuda_function": module.my_cuda_function, "torch": double}


def benchmark(module):
    """For `make bench04`: {table: rows}."""
    return {"sizes": bench(operators(module), inputs, flops=1)}


def launch_each_kernel(module):
    """For `make microscope04`: the kernel, once."""
    module.my_cuda_function(*inputs(2**16))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--import", action="store_true", dest="imports", help="one file, imported in three ways")
    options.add_argument("--load", action="store_true", help="without a package")
    options.add_argument("--fast-math", action="store_true", help="what --use_fast_math changes")
    options = options.parse_args()

    title(4, "package", "load()" if options.load or options.fast_math else "pip")
    if options.fast_math:
        return fast_math()
    module = build_with_load() if options.load else build()
    if options.imports:
        return import_in_three_ways()
    if not options.load and "CHAPTERS_SANITIZE" not in os.environ:  # AddressSanitizer is in this process only
        import_elsewhere()
    check(module.my_cuda_function, double, inputs, rtol=0, atol=0)
    bench(operators(module), inputs)


if __name__ == "__main__":
    main()
