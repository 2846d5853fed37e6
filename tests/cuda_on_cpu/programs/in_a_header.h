// For ptx.cu: what only CUDA's compilers understand, in a header.
#pragma once
#include "in_a_header_too.h"
#include "expect.h"

template <typename T>
__global__ void reverse(T* a) {
    T* s = SharedMemory<T>();
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[blockDim.x - 1 - lane_id()];
}

template <typename T>
void test_reverse() {
    T* a = device_array<T>(32);
    for (int i = 0; i < 32; i++) a[i] = T(i);
    reverse<T><<<1, 32, 32 * sizeof(T)>>>(a);
    EXPECT_DONE();
    for (int i = 0; i < 32; i++) EXPECT(a[i] == T(31 - i));
}
