// CUDA C++ on a machine without a GPU: what nvcc knows by itself and what its <cuda_runtime.h> declares, for g++ and
// clang++.
//
// A kernel is an ordinary function here, and `threadIdx` an ordinary variable. A launch is a loop that sets the
// variable and calls the function, once a thread. Only where threads wait for one another does it take more than a
// loop: then each thread gets a stack of its own. Read the parts in this order.
#pragma once

// What programs ask for to see which of CUDA's headers they have.
#define CUDART_VERSION 13000
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__
#define __VECTOR_TYPES_H__
#define __VECTOR_FUNCTIONS_H__

#include "cuda_on_cpu/keywords.h"        // __global__, __shared__, ...: words that C++ does not know
#include "cuda_on_cpu/vector_types.h"    // float4, make_float4(), dim3, ...
#include "cuda_on_cpu/error.h"           // cudaError_t and the last error
#include "cuda_on_cpu/runtime_api.h"     // what the host calls: cudaMalloc(), streams, events, ...
#include "cuda_on_cpu/fiber.h"           // a stack of its own for a thread that waits
#include "cuda_on_cpu/block.h"           // the threads of a block: which runs, which wait, and for what
#include "cuda_on_cpu/resident.h"        // the blocks that are alive, and their shared memory
#include "cuda_on_cpu/watchdog.h"        // what ends an endless loop
#include "cuda_on_cpu/messages.h"        // which threads wait, where, and for what
#include "cuda_on_cpu/run_block.h"       // blocks from start to end; deadlocks
#include "cuda_on_cpu/grid.h"            // barriers between blocks; clusters
#include "cuda_on_cpu/trap.h"            // __trap() and assert()
#include "cuda_on_cpu/launch.h"          // kernel<<<grid, block, shared, stream>>>(arguments)
#include "cuda_on_cpu/launch_api.h"      // cudaLaunchCooperativeKernel(), cudaLaunchKernelEx()
#include "cuda_on_cpu/barrier.h"         // __syncthreads() and its relatives
#include "cuda_on_cpu/warp.h"            // __shfl_sync(), __ballot_sync(), ...
#include "cuda_on_cpu/atomics.h"         // atomicAdd(), ...
#include "cuda_on_cpu/shared_address.h"  // __cvta_generic_to_shared()
#include "cuda_on_cpu/device_math.h"     // rsqrtf(), min() of mixed types, conversions, ...
#include "cuda_on_cpu/rounding.h"        // __fadd_rz(), ...: arithmetic with a rounding
#include "cuda_on_cpu/integers.h"        // __popc(), __dp4a(), __vadd4(), ...
#include "cuda_on_cpu/device_memory.h"   // __ldg(), clock64(), ...
