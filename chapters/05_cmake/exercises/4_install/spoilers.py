"""Hints, which `ARGS=--hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "consumer needs four files: libscale.so, which is installed already, scale.h, scaleConfig.cmake and scaleTargets.cmake, "
    "which scaleConfig.cmake reads. CMake writes the last one, if install(EXPORT ...) says so.",
    "The chapter's CMakeLists.txt installs the same four of axpy. A DESTINATION is relative to the folder after --prefix.",
    "Headers go to include, both .cmake files to lib/cmake/scale. `NAMESPACE scale::` makes scale::scale of the target scale.",
]
WRONG = {
    "no_header": ("scale.h: No such file", {"CMakeLists.txt": [("install(FILES scale.h DESTINATION include)\n", "")]}),
    "no_config": ("find_package", {"CMakeLists.txt": [("lib/cmake/scale)", "lib)")]}),
    "other_namespace": (
        "scaleTargets.cmake describes scale, cuda",
        {"CMakeLists.txt": [("NAMESPACE scale:: DESTINATION", "DESTINATION")]},
    ),
}
