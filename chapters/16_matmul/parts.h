// parts.h: a long k divided among blocks, for the kernels of chapters 16 and 17. No torch.
//
// A result with few tiles has work for few multiprocessors, however long k is. So several blocks share a tile: each
// adds up a part of k, and a second kernel adds up what they have found.
#pragma once
#include <algorithm>
#include <cstdint>

#include "common/cuda_check.h"
#include "common/device_attribute.h"
#include "common/grid.h"

// k consists of `count` parts of `size` elements. The last part may be shorter.
struct Parts {
    int size, count;
};

inline int multiprocessors() { return device_attribute(cudaDevAttrMultiProcessorCount); }

// For a result of so many tiles, on a GPU that runs so many `blocks` at a time: parts for all of them, but no part
// except the last has fewer than four steps of `step` elements, since a block also begins and ends. A second launch
// takes as long as a few steps, so fewer than 16 are not divided. A result is the sum of at most 64 parts, one after
// another.
inline Parts parts_of(int k, int step, int64_t tiles, int64_t blocks) {
    const int steps = k / step + (k % step != 0);
    const int64_t most = std::min({blocks / std::max<int64_t>(tiles, 1), int64_t(steps / 4), int64_t(64)});
    if (steps < 16 || most < 2) return {k, 1};
    const int each = int((steps + most - 1) / most);
    return {each * step, (steps + each - 1) / each};
}

// out[i] = the sum of parts[p][i] over all p, in their order: the same bits each time.
template <class T>
__global__ void __launch_bounds__(256) add_parts_kernel(T* out, const float* parts, int64_t size, int count) {
    const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (i >= size) return;
    float sum = 0;
#pragma unroll 8  // eight loads are under way at a time
    for (int p = 0; p < count; p++) sum += parts[p * size + i];
    out[i] = T(sum);
}

template <class T>
void add_parts(T* out, const float* parts, int64_t size, int count, cudaStream_t stream) {
    add_parts_kernel<<<blocks_for(size, 256), 256, 0, stream>>>(out, parts, size, count);
    CHECK_LAUNCH();
}
