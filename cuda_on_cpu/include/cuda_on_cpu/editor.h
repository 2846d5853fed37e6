// Included before everything else when clangd reads a .cu (tools/editor.py): clang knows CUDA's words as attributes,
// and CUDA on CPU has the rest.
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __constant__ __attribute__((constant))
#define __managed__ static
#define __shared__  // clang's attribute is an error in a function that the host may call, and here it may call them all
#define __cluster_dims__(...)

// From here to the end of the .cu, a kernel may call every function, and so may the host, as when the .cu is compiled
// for the CPU. operator new is the exception: clang itself has declared it. What <new> includes must come before it.
#pragma clang force_cuda_host_device begin
#include <stdlib.h>
#if __has_include(<bits/exception.h>)
#include <bits/exception.h>  // libstdc++
#else
#include <exception>  // libc++
#include <utility>
#endif
#pragma clang force_cuda_host_device end
#include <new>
#pragma clang force_cuda_host_device begin
#include <cuda_runtime.h>

unsigned cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, void* stream = nullptr);  // <<<>>>
