// over_row.h: what the threads of a row have found, put together. blockDim.x threads share a row: 1, 2, 4, ... 32 lanes
// of a warp, or the warps of a block. Copy this file into a project of your own.
//
//   const float sum = over_row(mine);       // each thread of the row gets the sum
//
// Part is float, double, or a struct with `+`, with from_lane(), and whose default value is neutral under `+`.
#pragma once

// The value of the lane whose number differs from this lane's in the bit `apart`.
template <class Number>
__device__ Number from_lane(Number value, int apart) {
    return __shfl_xor_sync(~0u, value, apart);
}

template <class Part>
__device__ Part over_lanes(Part part, int lanes) {
    for (int apart = lanes / 2; apart > 0; apart /= 2) part = part + from_lane(part, apart);
    return part;
}

// All threads of the block call it. If a row has several warps, a kernel calls it once for each type of Part: a second
// call could overwrite `parts` while a slow warp still reads them.
template <class Part>
__device__ Part over_row(Part part) {
    __shared__ Part parts[32];
    const int lane = int(threadIdx.x) % 32, warps = int(blockDim.x) / 32;
    part = over_lanes(part, min(int(blockDim.x), 32));
    if (warps <= 1) return part;
    if (lane == 0) parts[threadIdx.x / 32] = part;
    __syncthreads();
    return over_lanes(lane < warps ? parts[lane] : Part(), 32);
}
