// address.h: the 32-bit address of something in shared memory, as PTX instructions take it. Copy this file into a
// project of your own.
//
//   const uint32_t tile = address_of(memory);  // memory: an array in shared memory
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

__device__ inline uint32_t address_of(const void* shared) { return uint32_t(__cvta_generic_to_shared(shared)); }
