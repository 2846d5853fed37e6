// Atomics return the old value. One thread runs at a time, so they need no lock here. Loops that wait for another
// thread consist of them, so each may give others a turn. They exist for the types that CUDA has them for, so that code
// which compiles here also compiles with nvcc.
#pragma once

#include "cuda_on_cpu/block.h"

#pragma GCC visibility push(hidden)

// Each in three scopes: on a GPU, the _block form is atomic for threads of one block only, the _system form for CPUs,
// too.
#define CUDA_ON_CPU_ATOMIC(name, T, new_value)                                      \
    CUDA_ON_CPU_UNRECORDED                                                          \
    inline T name(T* address, T value, cuda_on_cpu::Location where = {}) {          \
        cuda_on_cpu::spin(#name "()", where);                                       \
        CUDA_ON_CPU_RECORD(atomic(address, sizeof(T), where.file, where.line));     \
        const T old = *address;                                                     \
        *address = new_value;                                                       \
        return old;                                                                 \
    }                                                                               \
    inline T name##_block(T* address, T value, cuda_on_cpu::Location where = {}) {  \
        return name(address, value, where);                                         \
    }                                                                               \
    inline T name##_system(T* address, T value, cuda_on_cpu::Location where = {}) { \
        return name(address, value, where);                                         \
    }

CUDA_ON_CPU_ATOMIC(atomicAdd, int, int(unsigned(old) + unsigned(value)))  // wraps around, as on a GPU
CUDA_ON_CPU_ATOMIC(atomicAdd, unsigned, old + value)
CUDA_ON_CPU_ATOMIC(atomicAdd, unsigned long long, old + value)
CUDA_ON_CPU_ATOMIC(atomicAdd, float, old + value)
CUDA_ON_CPU_ATOMIC(atomicAdd, double, old + value)
CUDA_ON_CPU_ATOMIC(atomicSub, int, int(unsigned(old) - unsigned(value)))
CUDA_ON_CPU_ATOMIC(atomicSub, unsigned, old - value)
CUDA_ON_CPU_ATOMIC(atomicExch, int, value)
CUDA_ON_CPU_ATOMIC(atomicExch, unsigned, value)
CUDA_ON_CPU_ATOMIC(atomicExch, unsigned long long, value)
CUDA_ON_CPU_ATOMIC(atomicExch, float, value)
CUDA_ON_CPU_ATOMIC(atomicInc, unsigned, old >= value ? 0 : old + 1)
CUDA_ON_CPU_ATOMIC(atomicDec, unsigned, old == 0 || old > value ? value : old - 1)
#define CUDA_ON_CPU_ATOMIC_4(name, new_value)      \
    CUDA_ON_CPU_ATOMIC(name, int, new_value)       \
    CUDA_ON_CPU_ATOMIC(name, unsigned, new_value)  \
    CUDA_ON_CPU_ATOMIC(name, long long, new_value) \
    CUDA_ON_CPU_ATOMIC(name, unsigned long long, new_value)
CUDA_ON_CPU_ATOMIC_4(atomicMin, old < value ? old : value)
CUDA_ON_CPU_ATOMIC_4(atomicMax, old > value ? old : value)
CUDA_ON_CPU_ATOMIC_4(atomicAnd, old& value)
CUDA_ON_CPU_ATOMIC_4(atomicOr, old | value)
CUDA_ON_CPU_ATOMIC_4(atomicXor, old ^ value)
#undef CUDA_ON_CPU_ATOMIC_4
#undef CUDA_ON_CPU_ATOMIC

#define CUDA_ON_CPU_ATOMIC_CAS(name, T)                                               \
    CUDA_ON_CPU_UNRECORDED                                                            \
    inline T name(T* address, T compare, T value, cuda_on_cpu::Location where = {}) { \
        cuda_on_cpu::spin(#name "()", where);                                         \
        CUDA_ON_CPU_RECORD(atomic(address, sizeof(T), where.file, where.line, true)); \
        const T old = *address;                                                       \
        if (old == compare) *address = value;                                         \
        return old;                                                                   \
    }
#define CUDA_ON_CPU_ATOMIC_CAS_ALL(name)         \
    CUDA_ON_CPU_ATOMIC_CAS(name, unsigned short) \
    CUDA_ON_CPU_ATOMIC_CAS(name, int)            \
    CUDA_ON_CPU_ATOMIC_CAS(name, unsigned)       \
    CUDA_ON_CPU_ATOMIC_CAS(name, unsigned long long)
CUDA_ON_CPU_ATOMIC_CAS_ALL(atomicCAS)
CUDA_ON_CPU_ATOMIC_CAS_ALL(atomicCAS_block)
CUDA_ON_CPU_ATOMIC_CAS_ALL(atomicCAS_system)
#undef CUDA_ON_CPU_ATOMIC_CAS_ALL
#undef CUDA_ON_CPU_ATOMIC_CAS

#pragma GCC visibility pop
