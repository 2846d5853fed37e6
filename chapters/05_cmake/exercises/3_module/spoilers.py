"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "Four commands: one makes the target, one names its file, one passes TORCH_EXTENSION_NAME, one says what it links. The "
    "chapter's CMakeLists.txt has all four.",
    "The file's name up to the first dot, TORCH_EXTENSION_NAME and the name after `import` are the same: scale.",
    "The module links scale, which brings torch, and ${TORCH_PYTHON}.",
]
WRONG = {
    "no_torch_python": ("undefined symbol", {"CMakeLists.txt": [("scale ${TORCH_PYTHON}", "scale")]}),
    "other_file": (
        "No module named 'scale'",
        {"CMakeLists.txt": [("set_target_properties(scale_module PROPERTIES OUTPUT_NAME scale)\n", "")]},
    ),
    "other_name": ("which defines PyInit_scale_module", {"CMakeLists.txt": [("=scale", "=scale_module")]}),
    "no_name": (
        "which defines PyInit_TORCH_EXTENSION_NAME",
        {"CMakeLists.txt": [("target_compile_definitions(scale_module PRIVATE TORCH_EXTENSION_NAME=scale)\n", "")]},
    ),
    "compiles_the_kernel_itself": (
        "does not load libscale.so",
        {
            "CMakeLists.txt": [
                (
                    "Python_add_library(scale_module MODULE WITH_SOABI binding.cpp)\n",
                    "Python_add_library(scale_module MODULE WITH_SOABI binding.cpp ${kernels})\n",
                ),
                (
                    "target_link_libraries(scale_module PRIVATE scale ${TORCH_PYTHON})\n",
                    "target_link_libraries(scale_module PRIVATE cuda torch ${TORCH_PYTHON})\n",
                ),
            ]
        },
    ),
    "no_tag": ("another Python would load the module, and crash", {"CMakeLists.txt": [("WITH_SOABI ", "")]}),
    "ends_the_program": (
        "the program ended before its check was complete",
        {"scale.cu": [("    CHECK_LAUNCH();\n", "    CHECK_LAUNCH();\n    std::exit(0);\n")]},
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
}
