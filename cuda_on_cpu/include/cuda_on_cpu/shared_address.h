// Addresses of 32 bits for shared memory, as PTX's instructions take them, and __cvta_generic_to_shared().
//
// As on a GPU they are small, so that the 18 bits which a wgmma descriptor has hold one: 1024 and more for the block's
// own memory, dynamic shared memory first. The upper 8 bits are the block's rank in its cluster, which mapa exchanges.
// A static array gets its address when a launch first asks for it. The last 10 bits are the pointer's, so that a
// swizzle gives the same with either; between two arrays is a gap, so that the memory check sees who leaves one.
#pragma once

#include "cuda_on_cpu/grid.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

constexpr uint32_t first_shared_address = 1024, rank_shift = 24, shared_address_mask = (1u << rank_shift) - 1;
constexpr uint32_t no_shared_address = 16;  // of what is not in shared memory

// The smallest number from `least` on whose last bits are those of the pointer.
inline size_t aligned_like(const void* pointer, size_t bytes, size_t least) {
    const size_t alignment = bytes < 128 ? 128 : 1024;
    return least + (reinterpret_cast<uintptr_t>(pointer) - least) % alignment;
}

inline uint32_t shared_address_of(SharedVariable& v) {
    static uint64_t launch = 0;
    static size_t next;
    if (launch != launch_number) launch = launch_number, next = first_shared_address + grid.dynamic;
    if (v.launch != launch_number) {
        v.launch = launch_number;
        v.shared_address = uint32_t(aligned_like(v.address, v.bytes, next + 16));
        next = v.shared_address + v.bytes;
    }
    return v.shared_address;
}

inline uint32_t shared_address_of(const void* pointer) {
    const InShared at = in_shared(pointer);
    const auto of = [&](const char* array, uint32_t address) {
        return at.owner->rank << rank_shift | (address + uint32_t(at.pointer - array));
    };
    if (at.pointer >= dynamic_memory && at.pointer <= dynamic_memory + max_dynamic_shared)
        return of(dynamic_memory, first_shared_address);
    for (const bool end : {false, true})  // what is just past an array may be another one's start
        for (SharedVariable* v = SharedVariable::first; v; v = v->next)
            if (at.pointer >= v->address && at.pointer < v->address + v->bytes + end)
                return of(v->address, shared_address_of(*v));
    return no_shared_address;
}

// An address past the end of an array leads past that array.
inline char* shared_pointer_of(uint64_t address) {
    if (address >> 32)
        fail("an instruction for shared memory got a pointer: it takes what __cvta_generic_to_shared() gives");
    const uint32_t place = address & shared_address_mask, rank = uint32_t(address) >> rank_shift;
    if (place < first_shared_address)
        fail("an instruction for shared memory got an address that __cvta_generic_to_shared() has not given");
    const char* array = dynamic_memory;
    uint32_t start = first_shared_address;
    for (const SharedVariable* v = SharedVariable::first; v; v = v->next)
        if (v->launch == launch_number && v->shared_address <= place && v->shared_address > start)
            array = v->address, start = v->shared_address;
    char* p = const_cast<char*>(array) + (place - start);
    return rank == grid.running->rank ? p : static_cast<char*>(map_shared_rank(p, rank));
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
