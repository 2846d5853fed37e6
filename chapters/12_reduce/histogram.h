// histogram.h: the launchers of histogram.cu, for T = uint8_t and int32_t. Without torch.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// Each sets counts[v] to how often v occurs among the n elements of x, for each v from 0 to bins - 1, in the order of
// `stream`. Other values are not counted. Each throws std::runtime_error if a launch fails.

// For any number of bins. It has a thread for each element, and throws std::invalid_argument if a grid cannot have so
// many.
template <class T>
void launch_histogram_global(int64_t* counts, const T* x, int64_t n, int64_t bins, cudaStream_t stream);

// copies: how many histograms a block keeps in shared memory, 1 to 32. 0 stands for as many as suit the number of bins.
// Throws std::runtime_error if not even one fits: bins > shared_bins().
template <class T>
void launch_histogram_shared(int64_t* counts, const T* x, int64_t n, int64_t bins, int copies, cudaStream_t stream);

// How many bins a block of the current device can keep in shared memory.
int64_t shared_bins();
