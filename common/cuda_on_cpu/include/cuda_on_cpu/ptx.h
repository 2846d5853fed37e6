// PTX's special registers. The translator (translate.py) makes
//     asm volatile("mov.u32 %0, %%smid;" : "=r"(x))
// into
//     (x) = cuda_on_cpu::ptx::smid()
// A register more needs a function here and a row in the translator's table.
#pragma once

#include "cuda_on_cpu/block.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu::ptx {

inline uint32_t laneid() { return self->lane(); }
inline uint32_t warpid() { return self->rank / 32; }
inline uint32_t smid() { return 0; }  // one multiprocessor runs all blocks
inline uint32_t nsmid() { return 1; }
inline uint64_t globaltimer() {  // nanoseconds
    return uint64_t(std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}
inline uint64_t clock64() { return uint64_t(std::chrono::steady_clock::now().time_since_epoch().count()); }

}  // namespace cuda_on_cpu::ptx

#pragma GCC visibility pop
