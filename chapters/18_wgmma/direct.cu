// direct.cu: small products whose rows TMA cannot read. Copying these rows first would take longer than multiplying
// them. No torch header in here.
#include "direct.h"

#include "common/cuda_check.h"
#include "common/shared_memory.h"

constexpr int STEPS = 2, THREADS = 512, BYTES = STEPS * 2 * BOX_BYTES;

#ifdef HAS_WGMMA
// Of the box at that row and column, thread t of 512 loads pack t % 8 of row t / 8. What lies outside of x is 0.
template <class T>
__device__ uint4 load_pack(const Stored<T>& x, int batch, int row, int column) {
    row += int(threadIdx.x) / 8, column += int(threadIdx.x) % 8 * 8;
    const T* from = x.data + (x.batches > 1 ? batch : 0) * x.batch_stride + row * x.stride + column;
    return load_8(from, row < x.rows ? int(min(x.columns - column, int64_t(8))) : 0);
}

// Puts a pack where TMA would put it: swizzled.
__device__ inline void store_pack(char* box, uint4 pack) {
    const int y = int(threadIdx.x) / 8, x = int(threadIdx.x) % 8;
    *reinterpret_cast<uint4*>(box + 2 * place_in_box(y, 8 * x)) = pack;
}
#endif

// A block of 512 threads makes a tile of 64 x 64. All of them load the boxes of STEPS steps; the first 128 multiply.
template <class T, bool a_along_k, bool b_along_k>
__global__ void __launch_bounds__(THREADS) direct_kernel(Stored<T> a, Stored<T> b, Task<T> task) {
#ifdef HAS_WGMMA
    extern __shared__ __align__(1024) char memory[];
    const int group = __shfl_sync(~0u, int(threadIdx.x) / 128, 0);  // so nvcc knows that a warp has one group
    const Place at = place_of<64, 64, 16>(int(blockIdx.x), task.down, task.across);
    float sums[32] = {};
    for (int step = 0; step < task.steps; step += STEPS) {
        uint4 packs[STEPS][2];
#pragma unroll
        for (int i = 0; i < STEPS; i++) {  // past the last step there is nothing: zeros
            const int k = (step + i) * BOX;
            packs[i][0] = load_pack(a, at.batch, a_along_k ? at.row : k, a_along_k ? k : at.row);
            packs[i][1] = load_pack(b, at.batch, b_along_k ? at.column : k, b_along_k ? k : at.column);
        }
        if (step > 0) __syncthreads();  // the boxes of the steps before were read
#pragma unroll
        for (int i = 0; i < 2 * STEPS; i++) store_pack(memory + i * BOX_BYTES, packs[i / 2][i % 2]);
        fence_async();
        __syncthreads();
        if (group > 0) continue;
        wgmma_fence();
        for (int i = 0; i < STEPS; i++) {
            const uint32_t from = address_of(memory) + i * 2 * BOX_BYTES;
            multiply_64<T, a_along_k, b_along_k>(sums, from, from + BOX_BYTES);
        }
        wgmma_commit();
        wgmma_wait<0>(sums);
    }
    if (group > 0) return;
    const int warp = int(threadIdx.x / 32), lane = int(threadIdx.x % 32);
#pragma unroll
    for (int i = 0; i < 8; i++) store_four(task, at, warp * 16 + lane / 4, 8 * i + lane % 4 * 2, sums + 4 * i);
#endif
}

template <class T>
void launch_direct(const Stored<T>& a, const Stored<T>& b, const Task<T>& task, cudaStream_t stream) {
    with_layout(a.along_k, b.along_k, [&](auto a_is, auto b_is) {
        const auto kernel = direct_kernel<T, decltype(a_is)::value, decltype(b_is)::value>;
        allow_shared_memory(kernel);
        kernel<<<unsigned(task.tiles), THREADS, BYTES, stream>>>(a, b, task);
        CHECK_LAUNCH();
    });
}

#define FOR_TYPE(T) template void launch_direct(const Stored<T>&, const Stored<T>&, const Task<T>&, cudaStream_t);
FOR_TYPE(__half)
FOR_TYPE(__nv_bfloat16)
