// Asynchronous copies and tensor cores: kernels that use shared memory too early, or too late, and right ones. Prints
// what the memory check says of each, or of the one that is named; the test knows the marked lines.
// tools/maintain/planted.py runs each kernel on a GPU, too.
#include <mma.h>

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdio>
#include <cstring>
#include <cuda/barrier>
#include <cuda_pipeline.h>
#include <stdexcept>

namespace cg = cooperative_groups;
namespace wmma = nvcuda::wmma;

// x and h have values; one block of 64 threads.
#define KERNEL(name) \
    __global__ void name([[maybe_unused]] float* y, [[maybe_unused]] const float* x, [[maybe_unused]] const __half* h)
#define I threadIdx.x

// ---- asynchronous copies ----

KERNEL(no_wait) {
    __shared__ alignas(16) float s[64];
    __pipeline_memcpy_async(&s[I], &x[I], 4);  // OTHER no_wait
    __pipeline_commit();
    y[I] = s[I];  // LINE no_wait
    __pipeline_wait_prior(0);
}
KERNEL(waits_for_one) {  // of two groups
    __shared__ alignas(16) float s[2][64];
    for (int k = 0; k < 2; k++) {
        __pipeline_memcpy_async(&s[k][I], &x[I], 4);  // OTHER waits_for_one
        __pipeline_commit();
    }
    __pipeline_wait_prior(1);
    y[I] = s[0][I] + s[1][I];  // LINE waits_for_one
}
KERNEL(no_barrier) {  // waits for its own copy, and reads another thread's
    __shared__ alignas(16) float s[64];
    __pipeline_memcpy_async(&s[I], &x[I], 4);  // OTHER no_barrier
    __pipeline_commit();
    __pipeline_wait_prior(0);
    y[I] = s[63 - I];  // LINE no_barrier
}
KERNEL(wait_behind_the_barrier) {
    __shared__ alignas(16) float s[64];
    __pipeline_memcpy_async(&s[I], &x[I], 4);  // OTHER wait_behind_the_barrier
    __pipeline_commit();
    __syncthreads();
    __pipeline_wait_prior(0);
    y[I] = s[63 - I];  // LINE wait_behind_the_barrier
}
KERNEL(into_what_others_read) {
    __shared__ alignas(16) float s[64];
    s[I] = x[I];
    __syncthreads();
    y[I] = s[63 - I];                          // OTHER into_what_others_read
    __pipeline_memcpy_async(&s[I], &x[I], 4);  // LINE into_what_others_read
    __pipeline_commit();
    __pipeline_wait_prior(0);
}
KERNEL(group_without_wait) {
    __shared__ alignas(16) float s[64];
    const auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, x, sizeof s);  // OTHER group_without_wait
    __syncthreads();
    y[I] = s[63 - I];  // LINE group_without_wait
}
KERNEL(barrier_not_waited_for) {
    __shared__ alignas(16) float s[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (I == 0) init(&barrier, 64);
    __syncthreads();
    cuda::memcpy_async(&s[I], &x[I], cuda::aligned_size_t<4>(4), barrier);  // OTHER barrier_not_waited_for
    (void)barrier.arrive();
    y[I] = s[I];  // LINE barrier_not_waited_for
}
// ---- tensor cores ----

KERNEL(wmma_too_early) {
    __shared__ alignas(16) __half s[256];
    for (int i = I; i < 256; i += 64) s[i] = h[i];  // OTHER wmma_too_early
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
    wmma::load_matrix_sync(a, s, 16);  // LINE wmma_too_early
    y[I] = float(a.x[0]);
}
KERNEL(wmma_stored_too_early) {
    __shared__ alignas(16) float s[256];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(c, 1.0f);
    if (I < 32) wmma::store_matrix_sync(s, c, 16, wmma::mem_row_major);  // OTHER wmma_stored_too_early
    y[I] = s[255 - I];                                                   // LINE wmma_stored_too_early
}
__device__ unsigned load_row(const __half* row) {
    unsigned a;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"  // LINE ldmatrix_too_early
                 : "=r"(a)
                 : "r"(unsigned(__cvta_generic_to_shared(row))));
    return a;
}
__device__ unsigned load_column(const __half* row) {
    unsigned a;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"  // LINE ldmatrix_of_nothing
                 : "=r"(a)
                 : "r"(unsigned(__cvta_generic_to_shared(row))));
    return a;
}
__device__ void store_row(__half* row, unsigned a) {
#if __CUDA_ARCH__ >= 900
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};"  // LINE stmatrix_too_early
                 ::"r"(unsigned(__cvta_generic_to_shared(row))),
                 "r"(a)
                 : "memory");
#endif
}
KERNEL(stmatrix_too_early) {
    __shared__ alignas(16) __half s[64];
    s[63 - I] = h[I];
    __syncthreads();
    y[I] = float(s[I]);  // OTHER stmatrix_too_early
    if (I < 32) store_row(&s[I % 8 * 8], 0);
}
KERNEL(ldmatrix_too_early) {
    __shared__ alignas(16) __half s[64];
    s[63 - I] = h[I];  // OTHER ldmatrix_too_early
    y[I] = float(load_row(&s[I % 8 * 8]));
}
KERNEL(ldmatrix_of_nothing) {
    __shared__ alignas(16) __half s[64];
    if (I < 56) s[I] = h[I];
    __syncthreads();
    y[I] = float(load_column(&s[I % 8 * 8]));
}

// ---- right kernels ----

KERNEL(right_pipeline) {
    __shared__ alignas(16) float s[2][64];
    float sum = 0;
    __pipeline_memcpy_async(&s[0][I], &x[I], 4);
    __pipeline_commit();
    for (int k = 0; k < 4; k++) {
        if (k < 3) __pipeline_memcpy_async(&s[(k + 1) % 2][I], &x[I], 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += s[k % 2][63 - I];
        __syncthreads();
    }
    y[I] = sum;
}
KERNEL(right_group) {
    __shared__ alignas(16) float s[64];
    const auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, x, sizeof s);
    cg::wait(block);
    y[I] = s[63 - I];
}
KERNEL(right_barrier) {
    __shared__ alignas(16) float s[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (I == 0) init(&barrier, 64);
    __syncthreads();
    cuda::memcpy_async(&s[I], &x[I], cuda::aligned_size_t<4>(4), barrier);
    barrier.arrive_and_wait();
    y[I] = s[63 - I];
}
KERNEL(right_tensor_cores) {
    __shared__ alignas(16) __half s[256];
    __shared__ alignas(16) float t[256];
    for (int i = I; i < 256; i += 64) s[i] = h[i];
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::load_matrix_sync(a, s, 16);
    wmma::fill_fragment(c, float(a.x[0]));
    if (I < 32) wmma::store_matrix_sync(t, c, 16, wmma::mem_row_major);
    __syncthreads();
    y[I] = t[I] + float(load_row(&s[I % 8 * 8]));
}

int main(int argc, char** argv) {
    float *y, *x;
    __half* h;
    cudaMalloc(&y, 64 * sizeof(float));
    cudaMalloc(&x, 64 * sizeof(float));
    cudaMalloc(&h, 256 * sizeof(__half));
    cudaMemset(x, 0, 64 * sizeof(float));
    cudaMemset(h, 0, 256 * sizeof(__half));
    const auto run = [&](const char* name, auto kernel) {
        if (argc > 1 && std::strcmp(argv[1], name) != 0) return;
        try {
            kernel<<<1, 64>>>(y, x, h);
            cudaDeviceSynchronize();
            std::printf("%s: nothing\n", name);
        } catch (const std::runtime_error& error) {
            std::printf("%s: %s\n", name, error.what());
        }
    };
#define RUN(name) run(#name, name)
    RUN(no_wait), RUN(waits_for_one), RUN(no_barrier), RUN(wait_behind_the_barrier), RUN(into_what_others_read);
    RUN(group_without_wait), RUN(barrier_not_waited_for);
    RUN(wmma_too_early), RUN(wmma_stored_too_early), RUN(stmatrix_too_early), RUN(ldmatrix_too_early),
        RUN(ldmatrix_of_nothing);
    RUN(right_pipeline), RUN(right_group), RUN(right_barrier), RUN(right_tensor_cores);
}
