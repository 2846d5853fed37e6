// matmul.h: what matmul.cu offers. No torch.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

#include "matrix.h"

// The rungs of the ladder. `automatic` takes `stages` or `divided`, by the size of the result.
enum class MatmulStep {
    automatic,
    naive,      // one result a thread
    tile,       // the same, from tiles in shared memory
    registers,  // 8 x 8 results a thread, in registers
    stages,     // the same, and the next tiles arrive meanwhile
    large,      // as stages, with 16 x 8 results a thread, 128 x 256 a block
    small,      // as stages, with 64 x 64 results a block
    tall,       // as stages, with 128 x 64
    divided,    // small or tall; of a result with few tiles, several blocks share a tile, and each has a part of k
};

// How many floats of device memory that step wants for the sums of blocks that share a tile; often 0.
int64_t workspace_floats(int64_t batches, int64_t m, int64_t n, int64_t k, MatmulStep step);

// out[z][i][j] = the sum of a[z][i][l] * b[z][l][j] over all l, in float, for `batches` matrices a of m rows and k
// columns and b of k rows and n columns. m, n and k are at most 2^31 - 1, and may be 0. out is contiguous.
// workspace: as above. All memory is that of the current device. Work is done in the order of `stream`. Throws
// std::runtime_error when the launch fails.
void launch_matmul(float* out, Matrix<float> a, Matrix<float> b, int64_t batches, int64_t m, int64_t n, int64_t k,
                   MatmulStep step, float* workspace, cudaStream_t stream);
