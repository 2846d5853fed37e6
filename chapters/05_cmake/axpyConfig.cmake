# What find_package(axpy) reads: first what axpy itself needs, then its targets.
include(CMakeFindDependencyMacro)
list(PREPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR}) # built as CUDA on CPU, a FindTorch.cmake lies here
find_dependency(Torch) # with a GPU, it also finds CUDA::cudart
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/axpyTargets.cmake)
