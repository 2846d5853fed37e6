// What one TMA instruction moves: a box of a tensor, between global and shared memory.
#pragma once

#include <array>

#include "cuda_on_cpu/tensor_map.h"
#include "cuda_on_cpu/waiting.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

// Pieces of 16 bytes change places within `span` bytes (32, 64, 128), by the address's bits from bit 7 on: cuda.h's
// CU_TENSOR_MAP_SWIZZLE_...; CUTLASS writes them Swizzle<1, 4, 3>, <2, 4, 3>, <3, 4, 3>.
inline uintptr_t swizzled(uintptr_t address, int span) {
    return span ? address ^ ((address >> 7 & uintptr_t(span / 16 - 1)) << 4) : address;
}

struct TensorBox {
    TensorMap map;
    int corner[5];

    struct Row {
        char* global;
        int begin, end;  // the bytes that are inside of the tensor
    };
    Row row(size_t number) const {
        const int64_t first = corner[0], inside = int64_t(map.size(0)) - first;  // elements
        int64_t offset = first * map.element;
        bool is_inside = true;
        for (int i = 1; i < map.rank; i++) {
            const int64_t at = corner[i] + int64_t(number % size_t(map.count(i))) * map.steps[i];
            number /= size_t(map.count(i));
            is_inside &= uint64_t(at) < map.size(i);  // a negative one is far outside
            offset += at * int64_t(map.strides[i - 1]);
        }
        const int64_t begin = std::max<int64_t>(0, -first), end = std::min<int64_t>(map.count(0), inside);
        char* global = reinterpret_cast<char*>(map.address + uint64_t(offset));
        if (!is_inside || begin >= end) return {global, 0, 0};
        return {global, int(begin) * map.element, int(end) * map.element};
    }
    // Where `shared` has the 16 bytes from `byte` of a row on. Rows follow one another.
    template <class Char>
    Char* piece(Char* shared, size_t row, int byte) const {
        const auto plain = reinterpret_cast<uintptr_t>(shared) + row * size_t(map.row_bytes()) + size_t(byte);
        return reinterpret_cast<Char*>(swizzled(plain, map.span()));
    }

    // What lies outside of the tensor becomes 0, and is counted: a box always has all its bytes.
    void load(char* shared) const {
        for (size_t r = 0; r < map.rows(); r++) {
            const Row from = row(r);
            alignas(16) char bytes[256 * 8] = {};
            memcpy(bytes + from.begin, from.global + from.begin, size_t(from.end - from.begin));
            for (int b = 0; b < map.row_bytes(); b += 16) memcpy(piece(shared, r, b), bytes + b, 16);
        }
    }
    void store(const char* shared) const {
        for (size_t r = 0; r < map.rows(); r++) {
            const Row to = row(r);
            alignas(16) char bytes[256 * 8];
            for (int b = 0; b < map.row_bytes(); b += 16) memcpy(bytes + b, piece(shared, r, b), 16);
            memcpy(to.global + to.begin, bytes + to.begin, size_t(to.end - to.begin));
        }
    }
};

enum class TensorCopy { load, store };

// Looks whether the rows lie in the memory that was there when the map was made, if cudaMalloc() gave it.
inline void check_global(const TensorBox& box, TensorCopy copy, const char* function, Location where) {
    const TensorMap& map = box.map;
    if (map.begin && allocation_at(map.begin) != std::make_pair(map.begin, map.end))
        refuse(function, where, "the memory that the tensor map describes has been freed since the map was made");
    for (size_t r = 0; r < map.rows(); r++) {
        const TensorBox::Row row = box.row(r);
        if (map.fills_nan && row.end - row.begin < map.row_bytes() && copy == TensorCopy::load)
            refuse(function, where, "the box leaves the tensor: it is not known which NaN a GPU fills in");
        if (row.begin == row.end) continue;
        const uint64_t first = reinterpret_cast<uintptr_t>(row.global + row.begin);
        const uint64_t last = first + uint64_t(row.end - row.begin);
        if (map.begin && (first < map.begin || last > map.end))
            refuse(function, where,
                   format("by the tensor map's sizes and strides the box reaches byte %lld of memory of %lld bytes",
                          (long long)(last - map.begin), (long long)(map.end - map.begin)));
        CUDA_ON_CPU_RECORD(touches(row.global + row.begin, size_t(row.end - row.begin), copy == TensorCopy::store,
                                   where.file, where.line));
    }
}

// The box of an instruction with these coordinates. What an H100 did with 3000 loads and 358 stores is known: it takes
// negative coordinates in loads only, and the innermost one in steps of 16 bytes. Both are "an illegal instruction".
// Where a row is shorter than the swizzle, its bytes are not where any document says.
template <size_t N>
TensorBox tensor_box(const void* address, const std::array<int, N>& corner, TensorCopy copy, const char* function,
                     Location where) {
    TensorBox box = {};
    memcpy(&box.map, address, sizeof box.map);
    const TensorMap& map = box.map;
    if (map.valid != TensorMap::is_valid)
        refuse(function, where, "the address is not that of a tensor map that cuTensorMapEncodeTiled() has made");
    if (map.rank != N) refuse(function, where, format("%zu coordinates for a tensor map of rank %d", N, map.rank));
    if (map.interleaved) refuse(function, where, "CUDA on CPU has no interleaved tensor maps");
    if (map.swizzle && map.row_bytes() < map.span())
        refuse(function, where,
               format("a row of the box has %d bytes, and the swizzle %d: it is not known where a GPU puts them",
                      map.row_bytes(), map.span()));
    if (corner[0] * int64_t(map.element) % 16 != 0)
        refuse(function, where,
               format("an illegal instruction was encountered: the box begins at element %d of a row, and an element "
                      "has %d bytes; that must be a multiple of 16 bytes",
                      corner[0], map.element));
    for (size_t i = 0; i < N; i++) {
        box.corner[i] = corner[i];
        if (copy == TensorCopy::load) continue;
        if (corner[i] < 0)
            refuse(function, where,
                   format("an illegal instruction was encountered: a store has the coordinate %d, and only a load may "
                          "have a negative one",
                          corner[i]));
        if (map.steps[i] > 1)
            refuse(function, where, "it is not known what a GPU does in a store with element strides");
    }
    check_global(box, copy, function, where);
    return box;
}

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
