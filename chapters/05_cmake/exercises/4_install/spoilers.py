"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "consumer needs four files: libscale.so, which is installed already, scale.h, scaleConfig.cmake and scaleTargets.cmake, "
    "which scaleConfig.cmake reads. CMake writes the last one, if install(EXPORT ...) says so.",
    "The chapter's CMakeLists.txt installs the same four of axpy. A DESTINATION is relative to the folder after --prefix.",
    "Headers go to include, both .cmake files to lib/cmake/scale. `NAMESPACE scale::` "
    "makes scale::scale of the target scale.",
]
WRONG = {
    "no_header": ("scale.h: No such file", {"CMakeLists.txt": [("install(FILES scale.h DESTINATION include)\n", "")]}),
    "no_config": ("find_package", {"CMakeLists.txt": [("lib/cmake/scale)", "lib)")]}),
    "other_namespace": (
        "scaleTargets.cmake describes scale, cuda",
        {"CMakeLists.txt": [("NAMESPACE scale:: DESTINATION", "DESTINATION")]},
    ),
    "export_of_the_build": (
        "scaleTargets.cmake has a path of your build",
        {
            "CMakeLists.txt": [
                (
                    ("install(EXPORT scale NAMESPACE scale:: DESTINATION lib/cmake/scale FILE scaleTargets.cmake)\n"),
                    (
                        "export(EXPORT scale NAMESPACE scale:: FILE "
                        "${CMAKE_CURRENT_BINARY_DIR}/scaleTargets.cmake)\n"
                        "install(FILES ${CMAKE_CURRENT_BINARY_DIR}/scaleTargets.cmake DESTINATION "
                        "lib/cmake/scale)\n"
                    ),
                )
            ]
        },
    ),
    "header_in_the_source": (
        "scaleTargets.cmake has a path of your build",
        {
            "CMakeLists.txt": [
                ("install(FILES scale.h DESTINATION include)\n", ""),
                ("$<INSTALL_INTERFACE:include>", "$<INSTALL_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}>"),
            ]
        },
    ),
    "never_freed": (
        "bytes of cudaMalloc() are never freed",
        {
            "scale.cu": [
                (
                    "    if (n == 0) return;\n",
                    "    if (n == 0) return;\n    float* scratch;\n    cudaMalloc(&scratch, 4 * n);\n",
                )
            ]
        },
    ),
    "absolute_destination": (
        "include/scale.h is outside of the prefix",
        {"CMakeLists.txt": [("scale.h DESTINATION include", "scale.h DESTINATION ${CMAKE_BINARY_DIR}/include")]},
    ),
}
