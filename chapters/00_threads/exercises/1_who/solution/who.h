// who.h: what who.cu offers.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// Thread i of the grid writes its block's number to block[i], its warp's to warp[i] and its lane to lane[i]. The warp's
// number is that in its block. Each array has blocks * threads elements.
void launch_who(int* block, int* warp, int* lane, int blocks, int threads, cudaStream_t stream);
