#pragma once

// nvcc refuses `extern __shared__ T s[]` for two T, so samples help themselves with a name for each.
template <typename T>
struct SharedMemory;
template <>
struct SharedMemory<int> {
    __device__ operator int*() {
        extern __shared__ int shared_ints[];
        return shared_ints;
    }
};
template <>
struct SharedMemory<double> {
    __device__ operator double*() {
        extern __shared__ double shared_doubles[];
        return shared_doubles;
    }
};

__device__ inline unsigned lane_id() {
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
