// Inline PTX: the bits of a word, and small integers in one.
#pragma once

#include "cuda_on_cpu/ptx_arithmetic.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu::ptx {

template <class T>
T and_(T a, T b) {
    return T(a & b);
}
template <class T>
T or_(T a, T b) {
    return T(a | b);
}
template <class T>
T xor_(T a, T b) {
    return T(a ^ b);
}
template <class T>
T not_(T a) {
    return T(~a);
}
inline bool not_(bool a) { return !a; }
template <class T>
T cnot(T a) {
    return a == 0;
}
template <class T>
T shl(T a, u32 n) {
    return n >= bits<T> ? T(0) : T(u64(a) << n);
}
template <class T>
T shr(T a, u32 n) {
    return T(a >> std::min(n, u32(bits<T> - 1)) >> (n >= bits<T>));
}
inline b32 shf_l_wrap(b32 low, b32 high, u32 n) { return b32((b64(high) << 32 | low) << (n & 31) >> 32); }
inline b32 shf_r_wrap(b32 low, b32 high, u32 n) { return b32((b64(high) << 32 | low) >> (n & 31)); }
inline b32 shf_l_clamp(b32 low, b32 high, u32 n) { return n >= 32 ? low : shf_l_wrap(low, high, n); }
inline b32 shf_r_clamp(b32 low, b32 high, u32 n) { return n >= 32 ? high : shf_r_wrap(low, high, n); }
template <class T>
u32 popc(T a) {
    return u32(__builtin_popcountll(a));
}
template <class T>
u32 clz(T a) {
    return u32(a ? __builtin_clzll(a) - (64 - bits<T>) : bits<T>);
}
template <class T>
T brev(T a) {
    return sizeof(T) == 4 ? T(__brev(unsigned(a))) : T(__brevll(a));
}
template <class T>
u32 bfind(T a) {  // the first bit that is no copy of the sign
    const Unsigned<T> u = Unsigned<T>(a < 0 ? ~a : a);
    return bits<T> - 1 - clz(u);
}
template <class T>
T bfe(T a, u32 start, u32 length) {
    const u32 first = start & 255, count = length & 255, last = std::min(first + count - 1, u32(bits<T> - 1));
    if (count == 0) return 0;
    const bool sign = std::is_signed<T>::value && (a >> last & 1);
    Unsigned<T> field = sign ? ~Unsigned<T>(0) : 0;
    if (first < bits<T>) {
        const u32 width = last - first + 1;
        const Unsigned<T> ones = width == bits<T> ? ~Unsigned<T>(0) : (Unsigned<T>(1) << width) - 1;
        field = (sign ? ~ones : 0) | (Unsigned<T>(a) >> first & ones);
    }
    return T(field);
}
template <class T>
T bfi(T a, T b, u32 start, u32 length) {
    const u32 first = start & 255, count = length & 255;
    if (count == 0 || first >= bits<T>) return b;
    const T ones = count >= bits<T> ? T(~T(0)) : T((T(1) << count) - 1);
    return T((b & ~(ones << first)) | (a & ones) << first);
}
inline b32 lop3(b32 a, b32 b, b32 c, u32 table) {  // bit 4a + 2b + c of the table is the result for bits a, b, c
    b32 result = 0;
    for (u32 i = 0; i < 8; i++)
        if (table >> i & 1) result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return result;
}
inline b32 prmt(b32 a, b32 b, b32 selector) {  // bit 3 of a selector: copies of the byte's sign
    const b64 from = b64(b) << 32 | a;
    b32 result = 0;
    for (u32 i = 0; i < 4; i++) {
        const u32 which = selector >> 4 * i & 15, byte = u32(from >> (which & 7) * 8) & 255;
        result |= (which & 8 ? (byte & 128 ? 255 : 0) : byte) << 8 * i;
    }
    return result;
}

template <class T>
s32 part(T a, int width, int i) {  // the i-th piece of that width, with T's sign
    const u32 shifted = u32(a) << (32 - width * (i + 1));
    return std::is_signed<T>::value ? s32(shifted) >> (32 - width) : s32(shifted >> (32 - width));
}
template <class A, class B>
b32 dp4a(A a, B b, b32 c) {
    for (int i = 0; i < 4; i++) c += u32(part(a, 8, i) * part(b, 8, i));
    return c;
}
template <class A, class B>
b32 dp2a_lo(A a, B b, b32 c) {
    return c + u32(part(a, 16, 0) * part(b, 8, 0)) + u32(part(a, 16, 1) * part(b, 8, 1));
}
template <class A, class B>
b32 dp2a_hi(A a, B b, b32 c) {
    return c + u32(part(a, 16, 0) * part(b, 8, 2)) + u32(part(a, 16, 1) * part(b, 8, 3));
}

inline b32 vabsdiff4(b32 a, b32 b, b32 c) {
    for (int i = 0; i < 4; i++) c += u32(abs(part(a, 8, i) - part(b, 8, i)));
    return c;
}

}  // namespace cuda_on_cpu::ptx

#pragma GCC visibility pop
