"""library: a shared library and a program that links it

The sources are there. The reader writes the commands of CMake.
"""

import subprocess
from pathlib import Path

from common.exercises import Wrong, module
from common.exercises import run as start
from common.progress import BuildError

projects = module(Path(__file__).parents[1] / "projects.py")

MINUTES = 20
MEMORY_CHECK = False
HINTS = [
    "Two targets: add_library and add_executable make them. The library has ${kernels} for its only source. What does "
    "each of the two link?",
    "target_link_libraries(scale PUBLIC cuda), because scale.h includes a header of CUDA, which app/main.cpp has to find.",
    "target_include_directories(scale PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}) passes on the folder of scale.h.",
]
FAILS = "unknown target 'scale'"
WRONG = {
    "static": ("has made libscale.a", {"CMakeLists.txt": [("scale SHARED", "scale")]}),
    # main.cpp finds no cuda_runtime.h, or one of a CUDA that is not linked.
    "private": ("cuda", {"CMakeLists.txt": [("scale PUBLIC cuda", "scale PRIVATE cuda")]}),
    "private_twice": (
        "another program, which links scale and nothing else, does not build",
        {
            "CMakeLists.txt": [
                ("scale PUBLIC cuda", "scale PRIVATE cuda"),
                ("scale_main PRIVATE scale", "scale_main PRIVATE scale cuda"),
            ]
        },
    ),
    "folder_twice": (
        "another program, which links scale and nothing else, does not build",
        {
            "CMakeLists.txt": [
                ("scale PUBLIC ${CMAKE", "scale PRIVATE ${CMAKE"),
                (
                    "add_executable(scale_main app/main.cpp)\n",
                    "add_executable(scale_main app/main.cpp)\n"
                    "target_include_directories(scale_main PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})\n",
                ),
            ]
        },
    ),
    "no_folder": (
        "scale.h: No such file",
        {"CMakeLists.txt": [("target_include_directories(scale PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})\n", "")]},
    ),
    "no_library": (
        "does not load libscale.so",
        {
            "CMakeLists.txt": [
                (
                    "add_executable(scale_main app/main.cpp)\ntarget_link_libraries(scale_main PRIVATE scale)",
                    "add_executable(scale_main app/main.cpp ${kernels})\n"
                    "target_include_directories(scale_main PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})\n"
                    "target_link_libraries(scale_main PRIVATE cuda)",
                )
            ]
        },
    ),
}


def run(mine):
    folder = projects.build(mine, ["scale.cu", "app/main.cpp"], ["scale", "scale_main"])
    if not (folder / "libscale.so").exists():
        made = "  ".join(sorted(path.name for path in folder.glob("libscale*")))
        raise Wrong(f"the target scale has made {made}, and a shared library, libscale.so, is expected")
    loads = subprocess.run(["ldd", folder / "scale_main"], stdout=subprocess.PIPE, text=True, check=True).stdout
    if "libscale.so" not in loads:
        raise Wrong(
            "scale_main does not load libscale.so (`ldd scale_main`): it has to link the target scale, and not to compile "
            "scale.cu itself"
        )
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
