# find_package(axpy) reads this file. It finds what axpy itself needs, then reads axpy's targets.
include(CMakeFindDependencyMacro)
list(PREPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR}) # without a GPU, a FindTorch.cmake lies here
find_dependency(Torch) # with a GPU, this also finds CUDA::cudart
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/axpyTargets.cmake)
