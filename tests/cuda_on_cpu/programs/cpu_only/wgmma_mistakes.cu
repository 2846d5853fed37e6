// Wrong uses of wgmma: each with the message of CUDA on CPU, or with how many of the sums are wrong. Each kernel
// multiplies 64 x 64 by 64 x 64, which TMA has loaded. The test knows the lines that are marked.
#include "../hopper_wgmma.h"
#include <stdexcept>

struct alignas(1024) Shared {
    __nv_bfloat16 a[64 * 64], b[64 * 64], c[64 * 64];
    uint64_t full;
};
struct Maps {  // a has 65 rows
    CUtensorMap a, b, c;
};
#define KERNEL(name) \
    __global__ void name([[maybe_unused]] const __grid_constant__ Maps maps, [[maybe_unused]] float* out)
#define START                                   \
    __shared__ Shared s;                        \
    [[maybe_unused]] const int t = threadIdx.x; \
    [[maybe_unused]] float d[32];               \
    load(s, maps);                              \
    [[maybe_unused]] const uint32_t a = shared(s.a), b = shared(s.b)
#define SHAPE "m64n64k16.f32.bf16.bf16"
#define PLUS(DESCRIPTOR_A, DESCRIPTOR_B, ADD) WGMMA_TEXT(DESCRIPTOR_A, DESCRIPTOR_B, ADD, SUMS_32("f"))
#define WGMMA_TEXT(DESCRIPTOR_A, DESCRIPTOR_B, ADD, ...)                                             \
    asm volatile("wgmma.mma_async.sync.aligned." SHAPE " {" NAMES_32 "}, %32, %33, %34, 1, 1, 0, 0;" \
                 : __VA_ARGS__                                                                       \
                 : "l"(DESCRIPTOR_A), "l"(DESCRIPTOR_B), "n"(ADD))
// The product in four steps, after some statement.
#define PRODUCT                      \
    PLUS(k_major(a), k_major(b), 0); \
    for (int k = 1; k < 4; k++) PLUS(k_major(a + k * 32), k_major(b + k * 32), 1)
#define WAIT wgmma_commit(), wgmma_wait<0>()

__device__ void load(Shared& s, const Maps& maps, bool waits = true) {
    if (threadIdx.x == 0) {
        barrier_init(&s.full, 1);
        fence_barrier_init();
        barrier_expect(&s.full, sizeof s.a + sizeof s.b);
        tma_load(s.a, &maps.a, &s.full, 0, 0);
        tma_load(s.b, &maps.b, &s.full, 0, 0);
    }
    __syncthreads();
    if (waits) barrier_wait(&s.full, 0);
}
__device__ void save(float* out, const float (&d)[32]) {
    for (int i = 0; i < 32; i++) out[row_of(i) * 64 + column_of(i)] = d[i];
}

__device__ void from_registers(float (&d)[32], uint64_t b) {
    const uint32_t a[4] = {1, 2, 3, 4};
    const int add = 1;
    WGMMA_REGISTERS(SHAPE, NAMES_32, 32, 33, 34, 35, 36, 37, ", 1, 1, 0", SUMS_32("f"));  // LINE unfenced_registers
}

// ---- fences --------------------------------------------------------------------------------------------------------
KERNEL(no_fence) {  // before the first product
    START;
    PRODUCT;  // LINE no_fence
    WAIT;
}
KERNEL(no_fence_later) {  // after the sums have changed
    START;
    wgmma_fence();
    PRODUCT;
    WAIT;
    for (float& x : d) x *= 2;
    PLUS(k_major(a), k_major(b), 1);  // LINE no_fence_later
    WAIT;
}
KERNEL(unfenced_registers) {  // that hold a
    START;
    wgmma_fence();
    PRODUCT;
    WAIT;
    from_registers(d, k_major(b));
    WAIT;
}
KERNEL(no_proxy_fence) {  // between ordinary stores and wgmma
    START;
    s.b[t] = __float2bfloat16(100);
    __syncthreads();
    wgmma_fence();
    PRODUCT;  // LINE no_proxy_fence
    WAIT;
}
KERNEL(not_loaded) {
    __shared__ Shared s;
    float d[32];
    load(s, maps, false);
    wgmma_fence();
    PLUS(k_major(shared(s.a)), k_major(shared(s.b)), 0);  // LINE not_loaded
    WAIT;
    barrier_wait(&s.full, 0);
}

// ---- in functions that have the PTX: the message also has the line of the call -------------------------------------
KERNEL(called) {
    START;
    if (t == 0) tma_load(s.a + 8, &maps.a, &s.full, 0, 0);  // LINE called
}
KERNEL(called_and_hangs) {
    START;
    barrier_wait(&s.full, 1);  // LINE called_and_hangs
}

// ---- the warpgroup -------------------------------------------------------------------------------------------------
KERNEL(half_a_warpgroup) {
    START;
    if (t >= 64) return;
    wgmma_fence();
    PRODUCT;
    wgmma_commit();
    asm volatile("wgmma.wait_group.sync.aligned 0;");  // LINE half_a_warpgroup
}
KERNEL(different_descriptors) {
    START;
    wgmma_fence();
    PLUS(k_major(t == 77 ? a + 32 : a), k_major(b), 0);  // LINE different_descriptors
    WAIT;
}
KERNEL(changed_sums) {  // of a product that is not over
    START;
    wgmma_fence();
    PLUS(k_major(a), k_major(b), 0);
    d[3] = 1;
    PLUS(k_major(a + 32), k_major(b + 32), 1);  // LINE changed_sums
    WAIT;
}

// ---- descriptors ---------------------------------------------------------------------------------------------------
KERNEL(unmasked) {  // bits of the address where no field is
    START;
    wgmma_fence();
    PLUS(k_major(a) | 1 << 14, k_major(b), 0);  // LINE unmasked
    WAIT;
}
KERNEL(leaves_shared_memory) {
    START;
    wgmma_fence();
    PLUS(k_major(a), descriptor(b, 16, 8192, SWIZZLE_128), 0);  // LINE leaves_shared_memory
    WAIT;
}

// ---- registers -----------------------------------------------------------------------------------------------------
KERNEL(no_such_number) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 100;");  // LINE no_such_number
}
KERNEL(too_many_registers) {
    if (threadIdx.x < 128) return;
    asm volatile("setmaxnreg.inc.sync.aligned.u32 256;");  // LINE too_many_registers
}

// ---- no message: sums are wrong, or NaN ----------------------------------------------------------------------------
KERNEL(right) {
    START;
    wgmma_fence();
    PRODUCT;
    WAIT;
    save(out, d);
}
KERNEL(no_wait) {
    START;
    wgmma_fence();
    PRODUCT;
    wgmma_commit();
    save(out, d);
    wgmma_wait<0>();
}
KERNEL(no_commit) {
    START;
    wgmma_fence();
    PRODUCT;
    wgmma_wait<0>();
    save(out, d);
}
KERNEL(wrong_swizzle) {
    START;
    wgmma_fence();
    for (int k = 0; k < 4; k++)
        if (k)
            PLUS(descriptor(a + k * 32, 16, 1024, SWIZZLE_64), k_major(b + k * 32), 1);
        else
            PLUS(descriptor(a + k * 32, 16, 1024, SWIZZLE_64), k_major(b + k * 32), 0);
    WAIT;
    save(out, d);
}
KERNEL(loads_too_early) {  // the next tile, into what wgmma still reads
    START;
    wgmma_fence();
    PRODUCT;
    wgmma_commit();
    __syncthreads();
    if (t == 0) barrier_expect(&s.full, sizeof s.a), tma_load(s.a, &maps.a, &s.full, 0, 1);
    barrier_wait(&s.full, 1);
    wgmma_wait<0>();
    save(out, d);
}

int main() {
    auto *a = device_array<__nv_bfloat16>(65 * 64), *b = device_array<__nv_bfloat16>(64 * 64);
    float *out = device_array<float>(64 * 64), expected[64 * 64] = {};
    Random random;
    for (int i = 0; i < 65 * 64; i++) a[i] = __float2bfloat16(float(random.below(9)) - 4);
    for (int i = 0; i < 64 * 64; i++) b[i] = __float2bfloat16(float(random.below(9)) - 4);
    for (int i = 0; i < 64 * 64 * 64; i++)
        expected[i / 64] +=
            __bfloat162float(a[i / 4096 * 64 + i % 64]) * __bfloat162float(b[i / 64 % 64 * 64 + i % 64]);
    Maps maps;
    constexpr auto type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    maps.a = matrix_map(type, a, 2, 64, 65, 64, 64, CU_TENSOR_MAP_SWIZZLE_128B);
    maps.b = matrix_map(type, b, 2, 64, 64, 64, 64, CU_TENSOR_MAP_SWIZZLE_128B);
    maps.c = matrix_map(type, out, 2, 64, 64, 64, 64, CU_TENSOR_MAP_SWIZZLE_NONE);
    const auto run = [&](const char* name, void (*kernel)(Maps, float*), unsigned threads = 128) {
        try {
            kernel<<<1, threads>>>(maps, out);
            int wrong = 0, nan = 0;
            for (int i = 0; i < 64 * 64; i++) wrong += out[i] != expected[i], nan += out[i] != out[i];
            std::printf("%s: %d wrong, %d NaN\n", name, wrong, nan);
        } catch (const std::runtime_error& error) {
            std::printf("%s: %s\n", name, error.what());
        }
    };
#define RUN(name) run(#name, name)
    RUN(no_fence), RUN(no_fence_later), RUN(unfenced_registers), RUN(no_proxy_fence), RUN(not_loaded);
    RUN(called), RUN(called_and_hangs);
    RUN(half_a_warpgroup), RUN(different_descriptors), RUN(changed_sums), RUN(unmasked), RUN(leaves_shared_memory);
    RUN(no_such_number), RUN(right), RUN(no_wait), RUN(no_commit), RUN(wrong_swizzle), RUN(loads_too_early);
    run("too_many_registers", too_many_registers, 512);
}
