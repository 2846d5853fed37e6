"""install: install a library so that another project finds it

Write what `cmake --install` copies, so that another project finds the target scale::scale. That project is in
exercises/4_install/consumer. The check installs, then configures, builds and runs it.
"""

import re
import shutil
import subprocess
from pathlib import Path

from common import cmake, device
from common.progress import first_error
from grader.checks import Wrong, module, place
from grader.checks import run as start

projects = module(Path(__file__).parents[1] / "projects.py")
ROOT = Path(__file__).resolve().parents[4]

MINUTES = 30
MEMORY_CHECK = False
FAILS = "find_package"


def run(mine):
    if device.type == "cuda":
        return  # what is copied where is the same, and the check without a GPU has seen it
    folder = projects.build(mine, ["scale.cu"], ["scale"])
    installed, build = place(mine) / "installed", place(mine) / "consumer"
    for old in installed, build:
        shutil.rmtree(old, ignore_errors=True)
    program = cmake.program("cmake", "cmake>=3.30")
    start(mine, [program, "--install", folder.parent, "--prefix", installed])
    files = sorted(file.relative_to(installed) for file in installed.rglob("*") if file.is_file())
    listed = "  ".join(str(file) for file in files if "cuda_on_cpu" not in file.parts)
    for line in (folder.parent / "install_manifest.txt").read_text().splitlines():
        if not Path(line).is_relative_to(installed):
            raise Wrong(f"{line} is outside of the prefix: DESTINATION has to be a path that is relative to it")
    foreign = "|".join(re.escape(str(path)) for path in (mine, folder.parent, ROOT))
    for file in installed.rglob("*.cmake"):
        if path := re.search(rf"[^\s;\"]*({foreign})[^\s;\"]*", file.read_text()):
            raise Wrong(
                f"{file.relative_to(installed)} has a path of your build, which no other machine has\n{path[0]}"
            )
    consumer = Path(__file__).parent / "consumer"
    ninja = ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={cmake.program('ninja', 'ninja')}"]
    for step, words in (
        ("configure", ["-S", consumer, "-B", build, *ninja, f"-DCMAKE_PREFIX_PATH={installed}"]),
        ("build", ["--build", build]),
    ):
        done = subprocess.run([program, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            said = re.search(r"CMake Error.*?(?=\n-- |\Z)", done.stdout, re.S)
            error = (
                said[0].replace("at CMakeLists.txt", "at consumer/CMakeLists.txt") if said else first_error(done.stdout)
            )
            error = error.rstrip().replace(f"{consumer}/", "consumer/").replace(f"{installed}/", "")
            for file in installed.rglob("*.cmake"):
                if targets := re.findall(r"^add_library\((\S+)", file.read_text(), re.M):
                    listed += f"\n{file.relative_to(installed)} describes {', '.join(targets)}"
            raise Wrong(f"the project consumer does not {step}\n{error}\ninstalled: {listed}")
    if (printed := start(mine, [build / "consumer"])) != "2 4 6\n":
        raise Wrong(f"consumer prints {printed!r}, expected '2 4 6\\n'")
    print(f"right   consumer finds scale::scale, and prints 2 4 6\n{'':8}installed: {listed}")
