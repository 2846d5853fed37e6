// histogram.h: what histogram.cu offers, for T = uint8_t and int32_t. No torch.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// All of them: counts[v] = how often the value v occurs among the n elements of x, for each v from 0 to bins - 1. Other
// values are not counted. Work is done in the order of `stream`. They throw std::runtime_error when a launch fails.

// Any number of bins. A thread for each element: throws std::invalid_argument where these are more than a grid can
// have.
template <class T>
void launch_histogram_global(int64_t* counts, const T* x, int64_t n, int64_t bins, cudaStream_t stream);

// copies: how many histograms a block keeps in shared memory, 1 to 32; 0 stands for as many as suit so many bins.
// Throws std::runtime_error where one does not fit: bins > shared_bins().
template <class T>
void launch_histogram_shared(int64_t* counts, const T* x, int64_t n, int64_t bins, int copies, cudaStream_t stream);

// How many bins a block of the current device can keep in shared memory.
int64_t shared_bins();
