"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "Two targets: add_library and add_executable make them. The library has ${kernels} for its only source. What does "
    "each of the two link?",
    "target_link_libraries(scale PUBLIC cuda), because scale.h includes a header of CUDA, which app/main.cpp has to find.",
    "target_include_directories(scale PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}) passes on the folder of scale.h.",
]
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
    "links_torch": (
        "links torch, which neither of them needs",
        {
            "CMakeLists.txt": [
                ("target_link_libraries(scale PUBLIC cuda)\n", "target_link_libraries(scale PUBLIC cuda torch)\n")
            ]
        },
    ),
    "compiled_twice": (
        "does not load libscale.so for launch_scale()",
        {
            "CMakeLists.txt": [
                ("add_executable(scale_main app/main.cpp)", "add_executable(scale_main app/main.cpp ${kernels})"),
                ("scale_main PRIVATE scale", "scale_main PRIVATE -Wl,--no-as-needed scale"),
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
    "links_torch_by_name": (
        "links torch, which neither of them needs",
        {
            "CMakeLists.txt": [
                (
                    "target_link_libraries(scale PUBLIC cuda)\n",
                    "target_link_directories(scale PUBLIC ${TORCH_INSTALL_PREFIX}/lib)\n"
                    "target_link_libraries(scale PUBLIC cuda -ltorch -lc10)\n",
                )
            ]
        },
    ),
}
