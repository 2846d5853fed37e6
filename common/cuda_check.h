// cuda_check.h: an error of CUDA becomes an exception. Copy this file into a project of your own; it needs nothing
// else.
//
//   CHECK_CUDA(cudaMalloc(&p, bytes));     // a call that returns an error code
//   kernel<<<grid, block>>>(...);
//   CHECK_LAUNCH();                        // a launch returns nothing: CUDA has to be asked for its error
//
// A failure throws std::runtime_error, which pybind11 turns into Python's RuntimeError. With exit(), Python would end;
// with a message on stderr, the program would go on with a wrong result.
#pragma once
#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

inline void check_cuda(cudaError_t error, const char* what, const char* file, int line) {
    if (error == cudaSuccess) return;
    cudaGetLastError();  // CUDA also keeps the error: unless it is cleared, the next CHECK_LAUNCH() reports it again
    throw std::runtime_error(std::string(what) + " failed: " + cudaGetErrorString(error) + " (" +
                             cudaGetErrorName(error) + ") at " + file + ":" + std::to_string(line));
}

#define CHECK_CUDA(call) check_cuda((call), #call, __FILE__, __LINE__)

// Directly below a launch. It reports what is wrong with the launch itself (a grid of 0 blocks, too many threads, no
// code for this GPU) and names the launcher that it stands in. It does not wait: an error inside the running kernel,
// such as a write outside its memory, is reported by a later call, or here under CUDA_LAUNCH_BLOCKING=1.
#define CHECK_LAUNCH() check_cuda(cudaGetLastError(), __func__, __FILE__, __LINE__)
