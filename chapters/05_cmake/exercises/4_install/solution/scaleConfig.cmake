# What find_package(scale) reads: first what the library itself needs, then its targets.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/scaleTargets.cmake)
