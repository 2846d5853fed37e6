// product.cu: a product of 64 x k by k x 64. A warp copies, and a warpgroup keeps one group of products under way.
#include "product.h"

#include "chapters/18_wgmma/operand.h"

using bf16 = __nv_bfloat16;

constexpr int STAGES = 3;

__global__ void __launch_bounds__(160)
    product_kernel(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map, float* out,
                   int steps) {
#ifdef HAS_WGMMA
    __shared__ __align__(1024) char a[STAGES][BOX_BYTES];
    __shared__ __align__(1024) char b[STAGES][BOX_BYTES];
    __shared__ uint64_t barriers[2 * STAGES];
    const auto full = [&](int step) { return address_of(&barriers[step % STAGES]); };
    const auto empty = [&](int step) { return address_of(&barriers[STAGES + step % STAGES]); };
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) mbarrier_init(full(i), 1), mbarrier_init(empty(i), 1);
        fence_mbarrier_init();
    }
    __syncthreads();
    if (threadIdx.x >= 128) {  // the copying warp
        for (int step = 0; step < steps && threadIdx.x == 128; step++) {
            wait_for_phase(empty(step), (step / STAGES + 1) % 2);
            mbarrier_arrive_expect(full(step), 2 * BOX_BYTES);
            load_box<true>(address_of(a[step % STAGES]), &a_map, 0, step * BOX, 0, full(step));
            load_box<true>(address_of(b[step % STAGES]), &b_map, 0, step * BOX, 0, full(step));
        }
        return;
    }
    float sums[32] = {};
    for (int step = 0; step < steps; step++) {
        wait_for_phase(full(step), step / STAGES % 2);
        wgmma_fence();
        multiply_64<bf16, true, true>(sums, address_of(a[step % STAGES]), address_of(b[step % STAGES]));
        wgmma_commit();
        wgmma_wait<1>();
        // your code
        if (threadIdx.x == 0 && step > 0) mbarrier_arrive(empty(step - 1));
        // end of your code
    }
    wgmma_wait<0>();
    const int row = int(threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4), column = int(threadIdx.x % 4 * 2);
    for (int i = 0; i < 32; i++) out[(row + i / 2 % 2 * 8) * 64 + column + i / 4 * 8 + i % 2] = sums[i];
#endif
}

void launch_product(float* out, const bf16* a, const bf16* b, int k, cudaStream_t stream) {
    const Stored<bf16> of_a = {a, 64, k, k, 1, 0, true}, of_b = {b, 64, k, k, 1, 0, true};
    product_kernel<<<1, 160, 0, stream>>>(tensor_map(of_a), tensor_map(of_b), out, k / BOX);
    CHECK_LAUNCH();
}
