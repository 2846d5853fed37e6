// hopper_backward.h: what the kernels of hopper_backward.cu and hopper_grad_q.cu share. The formulas are those of
// backward.cu:
//     grad_v = p^T @ grad     ds = p * (grad @ v^T - delta)     grad_q = scale * ds @ k     grad_k = scale * ds^T @ q
#pragma once
#include "attention.h"
#include "device/number.h"
#include "hopper.h"

// A block of both large kernels has a warpgroup that copies, and two that multiply, with 64 rows of its tile each.
constexpr int GROUPS = 2, BLOCK_THREADS = (GROUPS + 1) * 128, STAGES = 2;

// Tensor maps of what a kernel reads, and of what it writes.
struct BackwardMaps {
    CUtensorMap q, k, v, grad, results[2];
};

// hopper_grad_q.cu: the gradient of q, in a kernel of its own. of_query has what hopper_delta_kernel stores.
template <class T, int D>
void launch_grad_q(Heads<T> grad_q, const float2* of_query, Heads<const T> grad, Heads<const T> q, Heads<const T> k,
                   Heads<const T> v, Problem p, cudaStream_t stream);

#ifdef HAS_WGMMA
// sums = a @ b^T, for 64 rows of a and B_ROWS of b: a group of products.
template <class T, int D, int A_ROWS, int B_ROWS>
__device__ inline void rows_by_rows(float (&d)[B_ROWS / 2], uint32_t a, uint32_t b) {
    wgmma_fence();
    start_rows_by_rows<T, D, A_ROWS, B_ROWS>(d, a, b);
    wgmma_commit();
}

// sums += a @ b, with 64 x ROWS elements of a in registers, and all ROWS rows of tile b.
template <class T, int ROWS, int sums>
__device__ inline void registers_by_columns(float (&d)[sums], const uint32_t (&a)[ROWS / 4], uint32_t b) {
    wgmma_fence();
    start_registers_by_columns<T, ROWS>(d, a, b);
    wgmma_commit();
}

// Puts a group's 64 x D results, times factor, into a tile of 64 rows, and stores its rows.
template <class T, int D>
__device__ inline void store_results(const CUtensorMap* map, char* tile, float (&d)[D / 2], float factor, int group,
                                     int row, int head, int batch) {
    const int thread = int(threadIdx.x) % 128;
    for (float& x : d) x *= factor;
    write_tile<T, 64>(tile, thread / 32 * 16 + thread % 32 / 4, d);
    fence_async();
    named_barrier(2 + group, 128);
    if (thread == 0) tma_store(map, address_of(tile), 0, row, 0, head, batch), wait_for_stores_to_read();
}
#endif
