// Loads and stores with hints, and the rest of what device code calls.
#pragma once

#include "cuda_on_cpu/block.h"

#pragma GCC visibility push(hidden)

// ---- loads and stores with a hint for a GPU's caches ---------------------------------------------------------------
template <class T>
CUDA_ON_CPU_FOR_CALLER T __ldg(const T* p) {
    return *p;
}
template <class T>
CUDA_ON_CPU_FOR_CALLER T __ldca(const T* p) {
    return *p;
}
template <class T>
CUDA_ON_CPU_FOR_CALLER T __ldcg(const T* p, cuda_on_cpu::Location where = {}) {
    cuda_on_cpu::spin("__ldcg()", where);  // it sees what other threads write meanwhile
    return *p;
}
template <class T>
CUDA_ON_CPU_FOR_CALLER T __ldcs(const T* p) {
    return *p;
}
template <class T>
CUDA_ON_CPU_FOR_CALLER T __ldlu(const T* p) {
    return *p;
}
template <class T>
CUDA_ON_CPU_FOR_CALLER T __ldcv(const T* p, cuda_on_cpu::Location where = {}) {
    cuda_on_cpu::spin("__ldcv()", where);  // it sees what other threads write meanwhile
    return *p;
}
template <class T>
CUDA_ON_CPU_FOR_CALLER void __stwb(T* p, std::enable_if_t<true, T> value) {
    *p = value;
}
template <class T>
CUDA_ON_CPU_FOR_CALLER void __stcg(T* p, std::enable_if_t<true, T> value) {
    *p = value;
}
template <class T>
CUDA_ON_CPU_FOR_CALLER void __stcs(T* p, std::enable_if_t<true, T> value) {
    *p = value;
}
template <class T>
CUDA_ON_CPU_FOR_CALLER void __stwt(T* p, std::enable_if_t<true, T> value) {
    *p = value;
}

// ---- hints about the memory into which a pointer leads; here, all of it is the host's ------------------------------
[[gnu::const]] inline unsigned __isGlobal(const void*) { return 1; }
[[gnu::const]] inline unsigned __isShared(const void*) { return 1; }

// ---- time ----------------------------------------------------------------------------------------------------------
inline long long clock64() { return cuda_on_cpu::nanoseconds_now(); }  // clock() is C's
inline void __nanosleep(unsigned, cuda_on_cpu::Location where = {}) { cuda_on_cpu::give_turn("__nanosleep()", where); }

#pragma GCC visibility pop
