# Finds what `make` finds: the Python that has torch, that torch, and the CUDA toolkit; or CUDA on CPU without a GPU.
# Sets CHAPTERS_DEVICE (cuda or cpu), and offers:
#
#   cuda_sources(kernels axpy.cu)    kernels: the .cu for nvcc; without a GPU the C++ that it is translated to
#   torch, cuda                      targets to link: torch's headers and libraries, and the CUDA runtime's

# Ask tools/environment.py, as the Makefile does. -DPython_EXECUTABLE=... chooses another Python to start from.
find_program(PYTHON3 NAMES $ENV{PYTHON} python3 python)
if(NOT PYTHON3 AND NOT Python_EXECUTABLE)
    message(FATAL_ERROR "No python3 on the PATH. Pass -DPython_EXECUTABLE=/path/to/python3")
endif()
function(ask_python result python)
    execute_process(
        COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${PROJECT_SOURCE_DIR} ${python} ${ARGN}
        WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
        OUTPUT_VARIABLE output
        ERROR_VARIABLE said
        RESULT_VARIABLE failed
        OUTPUT_STRIP_TRAILING_WHITESPACE
    )
    if(failed)
        message(FATAL_ERROR "${said}")
    endif()
    set(${result} ${output} PARENT_SCOPE)
endfunction()
if(NOT Python_EXECUTABLE)
    set(Python_EXECUTABLE ${PYTHON3})
endif()
ask_python(Python_EXECUTABLE ${Python_EXECUTABLE} tools/environment.py --for lesson --check)
set(Python_EXECUTABLE ${Python_EXECUTABLE} CACHE FILEPATH "The Python that has torch" FORCE)
ask_python(facts ${Python_EXECUTABLE} cmake/facts.py)
list(GET facts 0 CHAPTERS_DEVICE)
list(GET facts 1 torch_cmake)
list(PREPEND CMAKE_PREFIX_PATH ${torch_cmake})
message(STATUS "Building for ${CHAPTERS_DEVICE} with the torch of ${Python_EXECUTABLE}")

enable_language(CXX)
set(CMAKE_CXX_STANDARD_REQUIRED ON)

if(CHAPTERS_DEVICE STREQUAL "cuda")
    if(CMAKE_VERSION VERSION_LESS 3.30)
        message(FATAL_ERROR "cmake ${CMAKE_VERSION} is too old for today's nvcc. A newer one:\n"
                            "    ${Python_EXECUTABLE} -m pip install 'cmake>=3.30'")
    endif()
    # torch's own configuration looks for CUDA in two ways, each with a variable of its own, and wants nvcc to be told
    # the architectures by a third; its default asks for some that nvcc no longer knows.
    list(GET facts 2 cuda_home)
    list(GET facts 3 TORCH_CUDA_ARCH_LIST)
    set(CUDA_TOOLKIT_ROOT_DIR ${cuda_home} CACHE PATH "for FindCUDA" FORCE)
    set(CUDAToolkit_ROOT ${cuda_home})
    set(CMAKE_CUDA_COMPILER ${cuda_home}/bin/nvcc)
    set(CMAKE_CUDA_HOST_COMPILER ${CMAKE_CXX_COMPILER}) # nvcc by itself would take g++
    set(CMAKE_CUDA_RUNTIME_LIBRARY Shared) # the one that torch has loaded: two would not know of each other's errors
else()
    list(PREPEND CMAKE_MODULE_PATH ${PROJECT_SOURCE_DIR}/cmake/cuda_on_cpu) # a FindTorch.cmake that needs no CUDA
endif()
find_package(Torch REQUIRED)
find_package(Threads REQUIRED)
# CMAKE_INSTALL_RPATH_USE_LINK_PATH leaves out folders inside of this repository, and so the torch of its .venv.
cmake_path(APPEND TORCH_INSTALL_PREFIX lib OUTPUT_VARIABLE torch_lib)
list(APPEND CMAKE_INSTALL_RPATH ${torch_lib})
if(CHAPTERS_DEVICE STREQUAL "cuda")
    # cuda_home may be links in build/ (common/toolkit.py). What is installed must do without build/, and so finds the CUDA
    # runtime where the toolkit itself has it.
    file(REAL_PATH ${CUDA_cudart_LIBRARY} cudart)
    cmake_path(GET cudart PARENT_PATH cudart)
    list(APPEND CMAKE_INSTALL_RPATH ${cudart})
endif()

# The C++ standard that torch's headers need. torch 2.15 says it by its target, 2.11 only in the file that we read here.
file(READ ${torch_cmake}/Torch/TorchConfig.cmake config)
string(REGEX MATCH "(cxx_std_|CXX_STANDARD )([0-9]+)" standard "${config}")
set(CMAKE_CXX_STANDARD ${CMAKE_MATCH_2})
set(CMAKE_CUDA_STANDARD ${CMAKE_MATCH_2})

# Some compilers are set up to link libstdc++ into every library. There must be one in a process, torch's: see
# common/cpp_extension.py.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    link_libraries($<BUILD_INTERFACE:-l:libstdc++.so.6>) # not in what is installed: other projects choose for themselves
endif()
include_directories(${PROJECT_SOURCE_DIR}) # for common/cuda_check.h

add_library(cuda INTERFACE)
target_link_libraries(cuda INTERFACE Threads::Threads)
if(CHAPTERS_DEVICE STREQUAL "cuda")
    target_link_libraries(cuda INTERFACE CUDA::cudart)
else()
    target_compile_definitions(cuda INTERFACE CUDA_ON_CPU)
    target_include_directories(cuda INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/cuda_on_cpu/include>
                                              $<INSTALL_INTERFACE:include/cuda_on_cpu>)
endif()

function(cuda_sources result)
    set(sources "")
    foreach(source ${ARGN})
        cmake_path(ABSOLUTE_PATH source)
        if(CHAPTERS_DEVICE STREQUAL "cpu")
            file(GLOB parts ${PROJECT_SOURCE_DIR}/cuda_on_cpu/*.py)
            cmake_path(GET source FILENAME name)
            set(translated ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
            add_custom_command(
                OUTPUT ${translated}
                COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${PROJECT_SOURCE_DIR} ${Python_EXECUTABLE} -m cuda_on_cpu
                        translate ${source} ${translated} -I ${PROJECT_SOURCE_DIR} --depfile ${translated}.d
                COMMAND ${CMAKE_COMMAND} -E touch ${translated}
                DEPENDS ${source} ${parts}
                DEPFILE ${translated}.d # headers that the .cu includes
                COMMENT "Translating ${name}"
                VERBATIM
            )
            cmake_path(GET source PARENT_PATH folder)
            set_source_files_properties(${translated} PROPERTIES INCLUDE_DIRECTORIES ${folder}) # for its own header
            set(source ${translated})
        endif()
        list(APPEND sources ${source})
    endforeach()
    set(${result} ${sources} PARENT_SCOPE)
endfunction()
