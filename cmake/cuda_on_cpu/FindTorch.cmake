# find_package(Torch) for CUDA on CPU. torch's own TorchConfig.cmake insists on nvcc and the CUDA libraries as soon as torch
# was built for CUDA, also where only its CPU half is used. The same target `torch`, by hand: headers, and the three
# libraries that hold the CPU's operators. CMAKE_PREFIX_PATH must have torch.utils.cmake_prefix_path.
find_path(TORCH_CMAKE_DIR Torch/TorchConfig.cmake PATHS ${CMAKE_PREFIX_PATH} NO_DEFAULT_PATH)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Torch REQUIRED_VARS TORCH_CMAKE_DIR)
if(Torch_FOUND AND NOT TARGET torch)
    cmake_path(SET TORCH_INSTALL_PREFIX NORMALIZE ${TORCH_CMAKE_DIR}/../..)
    file(READ ${TORCH_CMAKE_DIR}/Torch/TorchConfig.cmake config)
    string(REGEX MATCH "(cxx_std_|CXX_STANDARD )([0-9]+)" standard "${config}")
    add_library(torch INTERFACE IMPORTED)
    target_compile_features(torch INTERFACE cxx_std_${CMAKE_MATCH_2})
    target_include_directories(
        torch INTERFACE ${TORCH_INSTALL_PREFIX}/include ${TORCH_INSTALL_PREFIX}/include/torch/csrc/api/include
    )
    foreach(name torch torch_cpu c10)
        find_library(TORCH_${name} ${name} HINTS ${TORCH_INSTALL_PREFIX}/lib REQUIRED)
        target_link_libraries(torch INTERFACE ${TORCH_${name}})
    endforeach()
endif()
