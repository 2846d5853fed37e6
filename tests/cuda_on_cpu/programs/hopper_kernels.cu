// Two kernels as they are written for Hopper: a product of matrices and attention. One thread loads tiles by TMA,
// stages ahead of the warpgroups that multiply them by wgmma.
#include "hopper_wgmma.h"
#include <cmath>
#include <vector>

using bf16 = __nv_bfloat16;

constexpr auto type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;

bf16* random_numbers(size_t n, unsigned seed) {  // from -1 to 1
    bf16* p = device_array<bf16>(n);
    Random random = {seed};
    for (size_t i = 0; i < n; i++) p[i] = __float2bfloat16(float(random.below(2001)) / 1000 - 1);
    return p;
}

// C = A B in tiles of 128 x 64 x 64 by two warpgroups. B is stored by columns (N x K), or by rows (K x N). C goes back
// through shared memory and TMA, so that nothing is written outside of it.
namespace product {

constexpr int BM = 128, BN = 64, BK = 64, STAGES = 3;

struct alignas(1024) Stage {
    bf16 a[BM * BK], b[BN * BK];
};
struct Shared {
    Stage stages[STAGES];
    alignas(1024) bf16 c[BM * BN];
    uint64_t full[STAGES], empty[STAGES];
};

__device__ void load_tiles(Shared& s, const CUtensorMap& a, const CUtensorMap& b, int row, int column, int tiles,
                           bool by_rows) {
    for (int t = 0; t < tiles; t++) {
        const int i = t % STAGES;
        barrier_wait(&s.empty[i], (t / STAGES + 1) % 2);
        barrier_expect(&s.full[i], sizeof(Stage));
        tma_load(s.stages[i].a, &a, &s.full[i], t * BK, row);
        if (by_rows)
            tma_load(s.stages[i].b, &b, &s.full[i], column, t * BK);
        else
            tma_load(s.stages[i].b, &b, &s.full[i], t * BK, column);
    }
}

template <bool BY_ROWS>
__global__ __launch_bounds__(384) void kernel(const __grid_constant__ CUtensorMap map_a,
                                              const __grid_constant__ CUtensorMap map_b,
                                              const __grid_constant__ CUtensorMap map_c, int tiles) {
    extern __shared__ __align__(1024) unsigned char memory[];
    Shared& s = *reinterpret_cast<Shared*>(memory);
    const int group = threadIdx.x / 128, row = blockIdx.y * BM, column = blockIdx.x * BN;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) barrier_init(&s.full[i], 1), barrier_init(&s.empty[i], 2);
        fence_barrier_init();
    }
    __syncthreads();
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0) load_tiles(s, map_a, map_b, row, column, tiles, BY_ROWS);
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    float d[32];
    for (int t = 0; t < tiles; t++) {
        const int i = t % STAGES;
        barrier_wait(&s.full[i], t / STAGES % 2);
        const uint32_t a = shared(s.stages[i].a) + (group - 1) * 64 * BK * 2, b = shared(s.stages[i].b);
        wgmma_fence();
        for (int k = 0; k < BK / 16; k++) {
            if (BY_ROWS)
                wgmma<0, 1>(d, k_major(a + k * 32), descriptor(b + k * 16 * 128, 0, 1024, SWIZZLE_128), t + k > 0);
            else
                wgmma<0, 0>(d, k_major(a + k * 32), k_major(b + k * 32), t + k > 0);
        }
        wgmma_commit();
        wgmma_wait<0>();
        if (threadIdx.x % 128 == 0) barrier_arrive(&s.empty[i]);
    }
    for (int i = 0; i < 32; i += 2)
        *reinterpret_cast<__nv_bfloat162*>(&s.c[((group - 1) * 64 + row_of(i)) * BN + column_of(i)]) =
            __floats2bfloat162_rn(d[i], d[i + 1]);
    fence_async();
    asm volatile("bar.sync 1, 256;" ::: "memory");
    if (threadIdx.x == 128) {
        tma_store(&map_c, s.c, column, row);
        bulk_commit();
        bulk_wait();
    }
}

template <bool BY_ROWS>
void test(int m, int n, int k) {
    bf16 *a = random_numbers(m * k, 1), *b = random_numbers(n * k, 2), *c = device_array<bf16>(m * n);
    EXPECT(cudaFuncSetAttribute(kernel<BY_ROWS>, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared)) ==
           cudaSuccess);
    constexpr auto swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
    const CUtensorMap map_a = matrix_map(type, a, 2, k, m, BK, BM, swizzle);
    const CUtensorMap map_b =
        BY_ROWS ? matrix_map(type, b, 2, n, k, BN, BK, swizzle) : matrix_map(type, b, 2, k, n, BK, BN, swizzle);
    const CUtensorMap map_c = matrix_map(type, c, 2, n, m, BN, BM, CU_TENSOR_MAP_SWIZZLE_NONE);
    const dim3 grid((n + BN - 1) / BN, (m + BM - 1) / BM);
    kernel<BY_ROWS><<<grid, 384, sizeof(Shared)>>>(map_a, map_b, map_c, (k + BK - 1) / BK);
    EXPECT_DONE();
    int wrong = 0;
    for (int y = 0; y < m; y++)
        for (int x = 0; x < n; x++) {
            float sum = 0;
            for (int i = 0; i < k; i++)
                sum += __bfloat162float(a[y * k + i]) * __bfloat162float(BY_ROWS ? b[i * n + x] : b[x * k + i]);
            wrong += !(std::fabs(sum - __bfloat162float(c[y * n + x])) <= 0.005f * (std::fabs(sum) + 1));
        }
    EXPECT(wrong == 0);
}

}  // namespace product

// softmax(Q K^T / 8) V: a block has 64 queries, keys and values come in tiles of 64. The second product takes its left
// matrix from registers, and V as it lies in memory.
namespace attention {

constexpr int D = 64, TILE = 64;

struct alignas(1024) Shared {
    bf16 q[TILE * D], k[2][TILE * D], v[2][TILE * D];
    uint64_t q_full, full[2], empty[2];
};

__device__ uint32_t pack(float low, float high) {
    uint32_t both;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    return both;
}
__device__ float of_four(float x, bool largest) {  // of the four lanes that share a row
    for (int i = 1; i < 4; i *= 2) {
        const float other = __shfl_xor_sync(~0u, x, i);
        x = largest ? fmaxf(x, other) : x + other;
    }
    return x;
}

// A row of the sums: the running maximum and sum of the softmax. p becomes its exponentials, o is scaled down.
__device__ void softmax(float (&p)[32], float (&o)[32], int r, float& maximum, float& sum, int keys_left) {
    constexpr float scale = 0.125f * 1.44269504f;
    float largest = maximum;
    for (int i = 0; i < 32; i++)
        if (i / 2 % 2 == r) {
            if (column_of(i) >= keys_left) p[i] = -INFINITY;
            largest = fmaxf(largest, p[i]);
        }
    largest = of_four(largest, true);
    const float correction = exp2f((maximum - largest) * scale);
    maximum = largest, sum *= correction;
    for (int i = 0; i < 32; i++)
        if (i / 2 % 2 == r) p[i] = exp2f((p[i] - largest) * scale), sum += p[i], o[i] *= correction;
}

__device__ void load_tiles(Shared& s, const CUtensorMap& q, const CUtensorMap& k, const CUtensorMap& v, int first,
                           int tiles) {
    barrier_expect(&s.q_full, sizeof s.q);
    tma_load(s.q, &q, &s.q_full, 0, first);
    for (int t = 0; t < tiles; t++) {
        barrier_wait(&s.empty[t % 2], (t / 2 + 1) % 2);
        barrier_expect(&s.full[t % 2], sizeof s.k[0] + sizeof s.v[0]);
        tma_load(s.k[t % 2], &k, &s.full[t % 2], 0, t * TILE);
        tma_load(s.v[t % 2], &v, &s.full[t % 2], 0, t * TILE);
    }
}

__global__ __launch_bounds__(160) void kernel(const __grid_constant__ CUtensorMap map_q,
                                              const __grid_constant__ CUtensorMap map_k,
                                              const __grid_constant__ CUtensorMap map_v, float* out, int queries,
                                              int keys) {
    extern __shared__ __align__(1024) unsigned char memory[];
    Shared& s = *reinterpret_cast<Shared*>(memory);
    const int tiles = (keys + TILE - 1) / TILE, first = blockIdx.x * TILE;
    if (threadIdx.x == 0) {
        barrier_init(&s.q_full, 1);
        for (int i = 0; i < 2; i++) barrier_init(&s.full[i], 1), barrier_init(&s.empty[i], 1);
        fence_barrier_init();
    }
    __syncthreads();
    if (threadIdx.x >= 128) {
        uint32_t leader;
        asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }" : "=r"(leader));
        if (leader) load_tiles(s, map_q, map_k, map_v, first, tiles);
        return;
    }
    float o[32] = {}, p[32], maximum[2] = {-INFINITY, -INFINITY}, sum[2] = {0, 0};
    barrier_wait(&s.q_full, 0);
    for (int t = 0; t < tiles; t++) {
        barrier_wait(&s.full[t % 2], t / 2 % 2);
        const uint32_t q = shared(s.q), k = shared(s.k[t % 2]), v = shared(s.v[t % 2]);
        wgmma_fence();
        for (int i = 0; i < D / 16; i++) wgmma(p, k_major(q + i * 32), k_major(k + i * 32), i > 0);
        wgmma_commit();
        wgmma_wait<0>();
        for (int r = 0; r < 2; r++) softmax(p, o, r, maximum[r], sum[r], keys - t * TILE);
        wgmma_fence();
        for (int i = 0; i < TILE / 16; i++) {
            const uint32_t a[4] = {pack(p[8 * i], p[8 * i + 1]), pack(p[8 * i + 2], p[8 * i + 3]),
                                   pack(p[8 * i + 4], p[8 * i + 5]), pack(p[8 * i + 6], p[8 * i + 7])};
            wgmma_from_registers(o, a, descriptor(v + i * 16 * 128, 0, 1024, SWIZZLE_128));
        }
        wgmma_commit();
        wgmma_wait<0>();
        asm volatile("bar.sync 1, 128;" ::: "memory");
        if (threadIdx.x == 0) barrier_arrive(&s.empty[t % 2]);
    }
    for (int r = 0; r < 2; r++) sum[r] = of_four(sum[r], false);
    for (int i = 0; i < 32; i++)
        if (const int y = first + row_of(i); y < queries) out[y * D + column_of(i)] = o[i] / sum[i / 2 % 2];
}

void test(int queries, int keys) {
    bf16 *q = random_numbers(queries * D, 3), *k = random_numbers(keys * D, 4), *v = random_numbers(keys * D, 5);
    float* out = device_array<float>(queries * D);
    EXPECT(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared)) == cudaSuccess);
    constexpr auto swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
    const CUtensorMap map_q = matrix_map(type, q, 2, D, queries, D, TILE, swizzle);
    const CUtensorMap map_k = matrix_map(type, k, 2, D, keys, D, TILE, swizzle);
    const CUtensorMap map_v = matrix_map(type, v, 2, D, keys, D, TILE, swizzle);
    kernel<<<(queries + TILE - 1) / TILE, 160, sizeof(Shared)>>>(map_q, map_k, map_v, out, queries, keys);
    EXPECT_DONE();
    double off = 0, all = 0;
    for (int y = 0; y < queries; y++) {
        std::vector<double> expected(D);
        double total = 0;
        for (int j = 0; j < keys; j++) {
            double s = 0;
            for (int d = 0; d < D; d++)
                s += double(__bfloat162float(q[y * D + d])) * double(__bfloat162float(k[j * D + d]));
            total += s = std::exp(s / 8);
            for (int d = 0; d < D; d++) expected[d] += s * double(__bfloat162float(v[j * D + d]));
        }
        for (int d = 0; d < D; d++) {
            off += std::pow(double(out[y * D + d]) - expected[d] / total, 2);
            all += std::pow(expected[d] / total, 2);
        }
    }
    EXPECT(std::sqrt(off / all) < 4e-3);
}

}  // namespace attention

int main() {
    product::test<false>(128, 64, 256), product::test<true>(128, 64, 256);
    product::test<false>(136, 72, 72), product::test<true>(136, 72, 72);  // edges
    attention::test(64, 64), attention::test(100, 200);
    return report();
}
