"""library: build a shared library and a program that links it

Write the commands of CMake that make a shared library and a program that links it, without torch. Only the library compiles
scale.cu. The check looks at what the program loads, and runs it.
"""

import re
import subprocess
from pathlib import Path

from common.progress import BuildError
from grader.checks import Wrong, module
from grader.checks import run as start

projects = module(Path(__file__).parents[1] / "projects.py")

MINUTES = 20
MEMORY_CHECK = False
FAILS = "unknown target 'scale'"


def run(mine):
    folder = projects.build(mine, ["scale.cu", "app/main.cpp"], ["scale", "scale_main"])
    if not (folder / "libscale.so").exists():
        made = "  ".join(sorted(path.name for path in folder.glob("libscale*")))
        raise Wrong(f"the target scale has made {made}, and a shared library, libscale.so, is expected")
    loads = subprocess.run(["ldd", folder / "scale_main"], stdout=subprocess.PIPE, text=True, check=True).stdout
    defines = subprocess.run(["nm", "--defined-only", folder / "scale_main"], stdout=subprocess.PIPE, text=True).stdout
    if "libscale.so" not in loads or "launch_scale" in defines:  # some linkers leave out a library that nobody calls
        raise Wrong(
            "scale_main does not load libscale.so for launch_scale() (`ldd scale_main`): it has to link the target scale, "
            "and not to compile scale.cu itself"
        )
    links = re.findall(r"^ *LINK_LIBRARIES = (.*)", (folder.parent / "build.ninja").read_text(), re.M)
    if any(re.search("(lib|-l)(torch|c10)", line) for line in links):
        raise Wrong("scale or scale_main links torch, which neither of them needs")
    if (printed := start(mine, [folder / "scale_main"])) != "2 4 6\n":
        raise Wrong(f"scale_main prints {printed!r}, expected '2 4 6\\n'")
    try:
        projects.build(mine, ["app/main.cpp"], ["scale_alone"])
    except BuildError as error:
        found = str(error).partition("\n")[2]
        raise Wrong(
            "another program, which links scale and nothing else, does not build: scale has to pass on what its programs need"
            f"\n{found}"
        ) from None
    print("right   scale_main loads libscale.so and prints 2 4 6; another program builds that links scale alone")
