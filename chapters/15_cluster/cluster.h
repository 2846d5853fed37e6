// cluster.h: what cluster.cu offers, for T = float, __half and __nv_bfloat16. No torch.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>
#include <string>

// The rungs of the ladder. `automatic` takes the last one if rows are long enough. Otherwise it launches nothing.
enum class ClusterStep {
    automatic,
    barrier,   // blocks read each other's shared memory, between two barriers of the cluster
    mbarrier,  // they write into each other's shared memory, and wait for these bytes alone
    pipeline,  // the same, while the next row arrives in shared memory; arrays begin at multiples of 16 bytes
};

// All arrays have `rows` rows of n elements, row after row, in memory of the current device; rows and n are at least 1.
// Arithmetic is in float. Work is done in the order of `stream`. Each returns "", or why it has launched nothing: a
// cluster cannot take such rows, or not on this GPU. They throw std::runtime_error when a launch fails.

// out[r][c] = exp(x[r][c]) / the sum of exp(x[r][i]) over all i
template <class T>
std::string launch_cluster_softmax(T* out, const T* x, int64_t rows, int64_t n, ClusterStep step, cudaStream_t stream);

// grad_x[r][c] = y[r][c] * (grad[r][c] - the sum of grad[r][i] * y[r][i] over all i), where y is what softmax returned
template <class T>
std::string launch_cluster_softmax_backward(T* grad_x, const T* grad, const T* y, int64_t rows, int64_t n,
                                            ClusterStep step, cudaStream_t stream);
