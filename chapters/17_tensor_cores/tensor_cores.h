// tensor_cores.h: what tensor_cores.cu offers, for T = __half and __nv_bfloat16. No torch.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

#include "../16_matmul/matrix.h"

// Whether x consists of packs of 16 bytes: its rows, or columns where it is transposed, begin at multiples of 16 bytes
// and have a multiple of 8 elements.
template <class T>
bool whole_packs(Matrix<T> x, int64_t rows, int64_t columns) {
    return reinterpret_cast<uintptr_t>(x.data) % 16 == 0 && x.stride % 8 == 0 && x.batch_stride % 8 == 0 &&
           (x.transposed ? rows : columns) % 8 == 0;
}

// The rungs of the ladder. The last four copy 16 bytes at a time: they need operands of whole packs. `automatic` takes
// one of them, and first copies operands that are not; or it takes `ldmatrix`, for small products and where it has no
// workspace.
enum class TensorCoreStep {
    automatic,
    fragments,  // 16 x 8 results a warp, operands straight from device memory
    ldmatrix,   // 64 x 64 a warp, 128 x 128 a block, from tiles in shared memory
    stages,     // the same, while the next tiles arrive
    large,      // the same, 128 x 256 a block
    small,      // the same, 32 x 32 a warp, 64 x 64 a block
    divided,    // the same; of a result with few tiles, several blocks share a tile, and each has a part of k
};

// How many bytes of device memory that step wants for copies and for the sums of blocks that share a tile; often 0.
template <class T>
int64_t workspace_bytes(Matrix<T> a, Matrix<T> b, int64_t batches, int64_t m, int64_t n, int64_t k,
                        TensorCoreStep step);

// out[z][i][j] = the sum of a[z][i][l] * b[z][l][j] over all l, in float, rounded once, for `batches` matrices a of m
// rows and k columns and b of k rows and n columns. m, n and k are at most 2^31 - 1, and may be 0. out is contiguous.
// workspace: as above. Without it, nothing is copied or divided. All memory is that of the current device. Work is done
// in the order of `stream`. Throws std::runtime_error when the launch fails, or where that step does not take such
// operands.
template <class T>
void launch_tensor_cores(T* out, Matrix<T> a, Matrix<T> b, int64_t batches, int64_t m, int64_t n, int64_t k,
                         TensorCoreStep step, cudaStream_t stream, void* workspace = nullptr);
