// Addresses of 32 bits for shared memory, as PTX's instructions take them, and __cvta_generic_to_shared().
//
// Here such an address is the low half of the pointer, so that swizzling with xor and adding offsets do what they do on
// a GPU. The way back needs the high half: each conversion writes it down for the megabyte that the pointer lies in.
#pragma once

#include "cuda_on_cpu/block.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

inline uint32_t high_halves[4096];  // of each megabyte of the low half, plus 1; 0: nothing has been converted there

inline uint32_t shared_address_of(const void* pointer) {
    const uint64_t p = reinterpret_cast<uintptr_t>(pointer);
    uint32_t& high = high_halves[uint32_t(p) >> 20];
    if (high && high != (p >> 32) + 1)
        fail("two arrays in shared memory have one 32-bit address: compile it once more");
    high = uint32_t(p >> 32) + 1;
    return uint32_t(p);
}

// An offset may lead into a neighbouring megabyte.
inline char* shared_pointer_of(uint64_t address) {
    if (address >> 32)
        fail("an instruction for shared memory got a pointer: it takes what __cvta_generic_to_shared() gives");
    for (const uint32_t step : {0u, 1u, 4095u})
        if (const uint64_t high = high_halves[((address >> 20) + step) & 4095])
            return reinterpret_cast<char*>((high - 1) << 32 | address);
    fail("an instruction for shared memory got an address that __cvta_generic_to_shared() has not given");
}

}  // namespace cuda_on_cpu

inline size_t __cvta_generic_to_shared(const void* p) { return cuda_on_cpu::shared_address_of(p); }
inline void* __cvta_shared_to_generic(size_t p) { return cuda_on_cpu::shared_pointer_of(p); }
inline size_t __cvta_generic_to_global(const void* p) { return reinterpret_cast<size_t>(p); }
inline size_t __cvta_generic_to_local(const void* p) { return reinterpret_cast<size_t>(p); }
inline size_t __cvta_generic_to_constant(const void* p) { return reinterpret_cast<size_t>(p); }
inline size_t __cvta_generic_to_grid_constant(const void* p) { return reinterpret_cast<size_t>(p); }
inline void* __cvta_global_to_generic(size_t p) { return reinterpret_cast<void*>(p); }
inline void* __cvta_local_to_generic(size_t p) { return reinterpret_cast<void*>(p); }
inline void* __cvta_constant_to_generic(size_t p) { return reinterpret_cast<void*>(p); }
inline void* __cvta_grid_constant_to_generic(size_t p) { return reinterpret_cast<void*>(p); }

#pragma GCC visibility pop
