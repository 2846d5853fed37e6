// The matrices of wgmma in shared memory: what a descriptor means, and which element lies where.
#pragma once

#include "cuda_on_cpu/async_proxy.h"
#include "cuda_on_cpu/shared_address.h"
#include "cuda_on_cpu/small_float.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

enum class Matrix : uint8_t { f16, bf16, tf32, e4m3, e5m2, s8, u8 };

constexpr int matrix_bytes(Matrix type) { return type == Matrix::tf32 ? 4 : type <= Matrix::bf16 ? 2 : 1; }

inline double matrix_element(Matrix type, const char* p) {
    uint32_t bits = 0;
    memcpy(&bits, p, size_t(matrix_bytes(type)));
    switch (type) {
        case Matrix::f16:
            return double(SmallFloat<5, 10>::to_float(bits));
        case Matrix::bf16:
            return double(SmallFloat<8, 7>::to_float(bits));
        case Matrix::tf32:  // the hardware does not look at the other bits
            return double(SmallFloat<8, 7>::float_of(bits & 0xffffe000));
        case Matrix::e4m3:
            return double(SmallFloat<4, 3, 0x7e>::to_float(bits));
        case Matrix::e5m2:
            return double(SmallFloat<5, 2>::to_float(bits));
        case Matrix::s8:
            return int8_t(bits);
        default:
            return bits;
    }
}

// The descriptor of a matrix of 64 or N rows (the columns of B count as rows) and K columns. The unit is a piece of 16
// bytes: neighbours in K, or, where the matrix is stored the other way round ("MN-major"), neighbours in a column.
// Its fields are those of PTX ISA, "Matrix descriptor format"; also in CUTLASS, mma_sm90_desc.hpp.
struct MatrixDescriptor {
    uint64_t bits;
    static constexpr uint64_t fields = 0x3fff | 0x3fffull << 16 | 0x3fffull << 32 | 7ull << 49 | 3ull << 62;

    uint32_t start() const { return uint32_t(bits & 0x3fff) << 4; }
    int64_t leading() const { return int64_t(bits >> 16 & 0x3fff) << 4; }
    int64_t stride() const { return int64_t(bits >> 32 & 0x3fff) << 4; }
    unsigned base() const { return unsigned(bits >> 49 & 7); }
    int width() const {
        return "\1\10\4\2"[bits >> 62];
    }  // pieces side by side that swizzling exchanges; 1: no swizzle

    // From the start to piece `a` in the direction in which memory is contiguous, and row or column `b` of the other
    // direction, before swizzling: the canonical layouts in the comment above make_gmma_desc() in CUTLASS.
    int64_t offset(bool mn_major, int a, int b) const {
        const int w = width();
        const int64_t in_eight = b % 8 * w * 16;
        if (!mn_major) return b / 8 * stride() + in_eight + (w == 1 ? a * leading() : a * 16);
        if (w == 1) return a * stride() + b / 8 * leading() + in_eight;
        return a % w * 16 + a / w * leading() + b / 8 * stride() + in_eight;
    }
    // The base offset says where in 1024 bytes the pattern starts, if not at their beginning.
    uintptr_t swizzle(uintptr_t address) const {
        return address ^ (((address >> 7) - base()) & uintptr_t(width() - 1)) << 4;
    }
};

// The start of a matrix of so many bytes, and the array that it lies in. A descriptor has the last 18 bits of an
// address only: which array has all these bytes there? Those count whose address this launch has asked for.
struct MatrixStart {
    const char* p;
    SharedArray array;
    int candidates;
};
inline MatrixStart matrix_start(uint32_t start, int64_t bytes) {
    MatrixStart found = {};
    const auto look = [&](uint32_t address, const SharedArray& array) {
        const uint32_t offset = (start - address) & 0x3ffff;
        if (offset + uint64_t(bytes) > array.bytes) return;
        found = {array.address + offset, array, found.candidates + 1};
    };
    look(first_shared_address, {dynamic_memory, grid.dynamic, 0});
    for (const SharedVariable* v = SharedVariable::first; v; v = v->next)
        if (v->launch == launch_number) look(v->shared_address, {v->address, v->bytes, static_place + v->place});
    return found;
}

// set(row, column, element) for all of a matrix.
template <class Set>
void read_matrix(MatrixDescriptor d, int rows, int columns, Matrix type, bool mn_major, const char* operand,
                 Location where, Set set) {
    const auto refuse = [&](const char* why) {
        fail(format("wgmma at %s: the descriptor of %s, 0x%016llx, %s", text(where).c_str(), operand,
                    (unsigned long long)d.bits, why));
    };
    if (d.bits & ~d.fields)
        refuse("has bits outside of its fields: the address, and the offsets in bytes, are (x & 0x3ffff) >> 4");
    const int bytes = matrix_bytes(type), per = 16 / bytes;
    const int pieces = (mn_major ? rows : columns) / per, others = mn_major ? columns : rows;
    int64_t end = 0;
    for (const int a : {0, pieces - 1})
        for (const int b : {0, others - 1}) end = std::max(end, d.offset(mn_major, a, b) + 16);
    const MatrixStart start = matrix_start(d.start(), end);
    if (start.candidates == 0) refuse("and its offsets lead out of every array in shared memory");
    if (start.candidates > 1) refuse("may mean one of two arrays in shared memory: CUDA on CPU cannot tell which");
    for (int b = 0; b < others; b++)
        for (int a = 0; a < pieces; a++) {
            const auto plain = reinterpret_cast<uintptr_t>(start.p) + uintptr_t(d.offset(mn_major, a, b));
            const char* p = reinterpret_cast<const char*>(d.swizzle(plain));
            if (p < start.array.address || p + 16 > start.array.address + start.array.bytes)
                refuse("and its swizzle lead out of the array in shared memory");
            check_async_read(start.array, p, 16, "wgmma", where);
            for (int i = 0; i < per; i++)
                set(mn_major ? a * per + i : b, mn_major ? b : a * per + i, matrix_element(type, p + i * bytes));
        }
}

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
