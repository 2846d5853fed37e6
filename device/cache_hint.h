// cache_hint.h: a load of 16 bytes that says what the caches should keep. No hint changes a result. But it decides what
// the L2 cache writes back and when, and an H200 is faster with it: chapters/13_softmax/REFERENCE.md, "Hints for the
// caches". No torch header in here.
#pragma once
#include <cstdint>
#include <cstring>

enum class Read {
    plain,       // no hint: for shared memory, and for what the kernel itself has written
    keep,        // the L2 cache forgets other data first
    evict_first  // the caches forget it first
};

// The hint to keep data, as a load or an asynchronous copy takes it.
__device__ inline uint64_t keep_policy() {
    uint64_t policy;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}

template <Read read>
__device__ uint4 load16(const uint4* p) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800  // older GPUs do not know the hint
    uint4 v;
    if constexpr (read == Read::keep) {
        asm volatile("ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(p), "l"(keep_policy()));
        return v;
    }
#endif
    return read == Read::evict_first ? __ldcs(p) : *p;
}

// The same for a struct of 16 bytes. nvcc sometimes turns an assignment of such a struct into a load for each element.
template <Read read, class Pack>
__device__ Pack load_pack(const Pack* p) {
    const uint4 bytes = load16<read>(reinterpret_cast<const uint4*>(p));
    Pack pack;
    static_assert(sizeof pack == sizeof bytes, "a load of 16 bytes");
    memcpy(&pack, &bytes, sizeof pack);
    return pack;
}
