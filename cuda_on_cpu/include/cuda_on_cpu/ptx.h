// Inline PTX. The translator (../../ptx.py) makes of each instruction a call of a function in here: its table says
// which. Registers have no type, as in PTX: they are unsigned integers of 16, 32 or 64 bits, or bool for predicates.
#pragma once

#include <array>

#include "cuda_runtime.h"
#include "cuda_on_cpu/async_copy.h"
#include "cuda_on_cpu/small_float.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu::ptx {

// ---- types, operands, registers ------------------------------------------------------------------------------------
using b8 = uint8_t;
using u8 = uint8_t;
using s8 = int8_t;
using b16 = uint16_t;
using u16 = uint16_t;
using s16 = int16_t;
using b32 = uint32_t;
using u32 = uint32_t;
using s32 = int32_t;
using b64 = unsigned long long;  // as atomicAdd() and others have it
using u64 = unsigned long long;
using s64 = long long;
using f32 = float;
using f64 = double;

// The formats that a CPU has no type for.
template <class Bits, class F>
struct Small {
    using Format = F;
    Bits bits;
    float value() const { return Format::to_float(bits); }
    static Small of(double x, Rounding rounding = Rounding::nearest_even) {
        return {Bits(Format::from_double(x, rounding))};
    }
};
using f16 = Small<uint16_t, SmallFloat<5, 10>>;
using bf16 = Small<uint16_t, SmallFloat<8, 7>>;
using e4m3 = Small<uint8_t, SmallFloat<4, 3, 0x7e>>;
using e5m2 = Small<uint8_t, SmallFloat<5, 2>>;
struct tf32 {  // the upper 19 bits of a float; the hardware does not look at the others
    uint32_t bits;
    float value() const { return SmallFloat<5, 10>::float_of(bits & 0xffffe000); }
};
template <class T>
struct Pair {
    T low, high;
};
using f16x2 = Pair<f16>;
using bf16x2 = Pair<bf16>;

template <class T>
struct Result {  // d|p
    T value;
    bool predicate;
};

template <class To, class From>
To bit_copy(const From& from) {
    To to;
    static_assert(sizeof to == sizeof from, "asm: an operand's size is not the one that the instruction asks for");
    memcpy(&to, &from, sizeof to);
    return to;
}

// An operand of the asm statement.
template <class Register, class T>
Register in(const T& operand) {
    Register r;
    static_assert(sizeof r == sizeof operand,
                  "asm: an operand's size is not its constraint's (h: 16, r f: 32, l d: 64)");
    memcpy(&r, const_cast<const void*>(static_cast<const volatile void*>(&operand)), sizeof r);
    return r;
}
template <class Register, class T, size_t N>
Register in(T (&array)[N]) {
    return in<Register>(&array[0]);
}
template <class T, class Register>
void out(T& operand, Register r) {
    static_assert(sizeof r == sizeof operand,
                  "asm: an operand's size is not its constraint's (h: 16, r f: 32, l d: 64)");
    memcpy(const_cast<void*>(static_cast<volatile void*>(&operand)), &r, sizeof r);
}

// A register as an instruction reads it, and a result as an instruction writes it. With _wide, the register may be
// wider.
template <class T, class Register>
T as(Register r) {
    return bit_copy<T>(r);
}
template <class T, class Register>
T as_wide(Register r) {
    if constexpr (std::is_integral<T>::value && sizeof(T) < sizeof(Register))
        return T(r);
    else
        return bit_copy<T>(r);
}
template <class Register, class T>
void set(Register& r, T value) {
    r = bit_copy<Register>(value);
}
template <class Register, class T>
void set_wide(Register& r, T value) {
    if constexpr (std::is_integral<T>::value && sizeof(T) < sizeof(Register))
        r = Register(value);
    else
        r = bit_copy<Register>(value);
}
template <class... T>
auto array(T... values) {
    return std::array<std::common_type_t<T...>, sizeof...(T)>{{values...}};
}

// ---- memory --------------------------------------------------------------------------------------------------------
inline char* address(uint64_t pointer, s64 offset) { return reinterpret_cast<char*>(pointer) + offset; }
inline char* shared_address(uint64_t address, s64 offset) {  // [base - 4 + 4] may begin in another array
    return shared_pointer_of(address >> 32 ? address : uint32_t(address + u64(offset)));
}

// One request of a warp, however many registers it fills. The compiler reports only those that fill one.
template <class T>
CUDA_ON_CPU_UNRECORDED T load(const char* from, [[maybe_unused]] Location where = {}) {
    T value;
    CUDA_ON_CPU_RECORD(asks(from, sizeof value, false, where.file, where.line));
    memcpy(&value, from, sizeof value);
    return value;
}
template <class T, size_t N>
std::array<T, N> load(const char* from, Location where = {}) {
    return load<std::array<T, N>>(from, where);
}
template <class T, size_t... N>
auto look(const char* from, Location where = {}) {  // ld.volatile and its like may wait for another thread's write
    spin("ld", where);
    return load<T, N...>(from, where);
}
template <class T>
CUDA_ON_CPU_UNRECORDED void store(char* to, const T& value, [[maybe_unused]] Location where = {}) {
    CUDA_ON_CPU_RECORD(asks(to, sizeof value, true, where.file, where.line));
    memcpy(to, &value, sizeof value);
}
template <class... T>
void nothing(T...) {}  // for hints
inline u64 cache_policy(f32 = 1) { return 0; }
template <class T>
T cvta_shared(T address) {
    static_assert(sizeof(T) == 8, "asm: cvta.shared.u32 makes no pointer of 64 bits");
    return reinterpret_cast<uintptr_t>(shared_pointer_of(address));
}
template <class T>
T cvta_to_shared(u64 pointer) {
    return shared_address_of(reinterpret_cast<void*>(pointer));
}

inline void cp_async_ca(char* shared, const char* global, u32 bytes, u32 source_bytes, Location where = {}) {
    copy_async_checked("cp.async", shared, global, int(bytes), int(source_bytes), where);
}
inline void cp_async_ca(char* shared, const char* global, u32 bytes, Location where = {}) {
    cp_async_ca(shared, global, bytes, bytes, where);
}
inline void cp_async_ca(char* shared, const char* global, u32 bytes, bool ignore_source, Location where = {}) {
    cp_async_ca(shared, global, bytes, ignore_source ? 0 : bytes, where);
}
inline void cp_async_cg(char* shared, const char* global, u32 bytes, u32 source_bytes, Location where = {}) {
    if (bytes != 16)
        fail("cp.async.cg at " + text(where) + " copies " + std::to_string(bytes) + " bytes: it can copy 16");
    cp_async_ca(shared, global, bytes, source_bytes, where);
}
inline void cp_async_cg(char* shared, const char* global, u32 bytes, Location where = {}) {
    cp_async_cg(shared, global, bytes, bytes, where);
}
inline void cp_async_cg(char* shared, const char* global, u32 bytes, bool ignore_source, Location where = {}) {
    cp_async_cg(shared, global, bytes, ignore_source ? 0 : bytes, where);
}
inline void cp_async_commit_group() { commit_async(); }
inline void cp_async_wait_group(s32 groups_left) { wait_async(groups_left); }
inline void cp_async_wait_all() { wait_async_all(); }

// ---- atomics: CUDA's own, which differ in their types only ---------------------------------------------------------
#define CUDA_ON_CPU_ATOM(name, function, T, As) \
    inline T atom_##name(char* p, T value) { return T(function(reinterpret_cast<As*>(p), As(value))); }
CUDA_ON_CPU_ATOM(add, atomicAdd, s32, s32)
CUDA_ON_CPU_ATOM(add, atomicAdd, u32, u32)
CUDA_ON_CPU_ATOM(add, atomicAdd, u64, u64)
CUDA_ON_CPU_ATOM(add, atomicAdd, s64, u64)
CUDA_ON_CPU_ATOM(add, atomicAdd, f32, f32)
CUDA_ON_CPU_ATOM(add, atomicAdd, f64, f64)
#define CUDA_ON_CPU_ATOMS(name, function)      \
    CUDA_ON_CPU_ATOM(name, function, u32, u32) \
    CUDA_ON_CPU_ATOM(name, function, u64, u64)
CUDA_ON_CPU_ATOMS(min, atomicMin)
CUDA_ON_CPU_ATOMS(max, atomicMax)
CUDA_ON_CPU_ATOMS(and, atomicAnd)
CUDA_ON_CPU_ATOMS(or, atomicOr)
CUDA_ON_CPU_ATOMS(xor, atomicXor)
CUDA_ON_CPU_ATOMS(exch, atomicExch)
CUDA_ON_CPU_ATOM(min, atomicMin, s32, s32)
CUDA_ON_CPU_ATOM(min, atomicMin, s64, s64)
CUDA_ON_CPU_ATOM(max, atomicMax, s32, s32)
CUDA_ON_CPU_ATOM(max, atomicMax, s64, s64)
CUDA_ON_CPU_ATOM(inc, atomicInc, u32, u32)
CUDA_ON_CPU_ATOM(dec, atomicDec, u32, u32)
#undef CUDA_ON_CPU_ATOMS
#undef CUDA_ON_CPU_ATOM
inline u32 atom_cas(char* p, u32 compare, u32 value) { return atomicCAS(reinterpret_cast<u32*>(p), compare, value); }
inline u64 atom_cas(char* p, u64 compare, u64 value) { return atomicCAS(reinterpret_cast<u64*>(p), compare, value); }

template <size_t N>
void red_add(char* to, const std::array<f32, N>& values) {  // of several floats: each is added by itself
    for (size_t i = 0; i < N; i++) atomicAdd(reinterpret_cast<float*>(to) + i, values[i]);
}

// ---- special registers ---------------------------------------------------------------------------------------------
namespace special {

#define CUDA_ON_CPU_AXES(name, variable)         \
    inline u32 name##_x() { return variable.x; } \
    inline u32 name##_y() { return variable.y; } \
    inline u32 name##_z() { return variable.z; }
CUDA_ON_CPU_AXES(tid, threadIdx)
CUDA_ON_CPU_AXES(ntid, blockDim)
CUDA_ON_CPU_AXES(ctaid, blockIdx)
CUDA_ON_CPU_AXES(nctaid, gridDim)
#undef CUDA_ON_CPU_AXES
inline u32 laneid() { return self->lane(); }
inline u32 warpid() { return self->rank / 32; }
inline u32 nwarpid() { return 64; }  // as many as a multiprocessor holds
inline u32 smid() { return 0; }      // one multiprocessor runs all blocks
inline u32 nsmid() { return 1; }
inline u64 gridid() { return launch_number; }
inline u32 lanemask_eq() { return self->bit(); }
inline u32 lanemask_lt() { return self->bit() - 1; }
inline u32 lanemask_le() { return lanemask_lt() | lanemask_eq(); }
inline u32 lanemask_gt() { return ~lanemask_le(); }
inline u32 lanemask_ge() { return ~lanemask_lt(); }
inline u64 globaltimer() { return u64(nanoseconds_now()); }
inline u32 globaltimer_lo() { return u32(globaltimer()); }
inline u32 globaltimer_hi() { return u32(globaltimer() >> 32); }
inline u64 clock64() { return globaltimer(); }
inline u32 clock() { return u32(clock64()); }
inline u32 clock_hi() { return u32(clock64() >> 32); }

}  // namespace special
}  // namespace cuda_on_cpu::ptx

#pragma GCC visibility pop

#include "cuda_on_cpu/mma_sync.h"        // ldmatrix, mma.sync
#include "cuda_on_cpu/ptx_arithmetic.h"  // add, fma, min, ex2, ...
#include "cuda_on_cpu/ptx_barriers.h"    // bar.sync, mbarrier, fences
#include "cuda_on_cpu/ptx_bits.h"        // shl, bfe, lop3, prmt, ...
#include "cuda_on_cpu/ptx_bulk.h"        // cp.async.bulk, fence.proxy.async, mapa, ...
#include "cuda_on_cpu/ptx_convert.h"     // setp, cvt, ...
#include "cuda_on_cpu/ptx_warp.h"        // shfl.sync, vote.sync, ...
#include "cuda_on_cpu/ptx_wgmma.h"       // wgmma, setmaxnreg
