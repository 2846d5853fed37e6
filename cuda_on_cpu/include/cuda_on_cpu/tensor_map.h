// Tensor maps of the driver API: what TMA has to know of a tensor, in the 128 bytes of a CUtensorMap.
//
// The driver only says CUDA_ERROR_INVALID_VALUE of a map that it refuses. Here stderr has the reason as well.
#pragma once

#include <tuple>

#include "cuda_runtime.h"

enum CUresult_enum : int { CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1, CUDA_ERROR_NOT_FOUND = 500 };
using CUresult = CUresult_enum;
using cuuint32_t = uint32_t;
using cuuint64_t = uint64_t;

enum CUtensorMapDataType {
    CU_TENSOR_MAP_DATA_TYPE_UINT8,
    CU_TENSOR_MAP_DATA_TYPE_UINT16,
    CU_TENSOR_MAP_DATA_TYPE_UINT32,
    CU_TENSOR_MAP_DATA_TYPE_INT32,
    CU_TENSOR_MAP_DATA_TYPE_UINT64,
    CU_TENSOR_MAP_DATA_TYPE_INT64,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
    CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ,
    CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
    CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ,
};
enum CUtensorMapInterleave {
    CU_TENSOR_MAP_INTERLEAVE_NONE,
    CU_TENSOR_MAP_INTERLEAVE_16B,
    CU_TENSOR_MAP_INTERLEAVE_32B,
};
enum CUtensorMapSwizzle {
    CU_TENSOR_MAP_SWIZZLE_NONE,
    CU_TENSOR_MAP_SWIZZLE_32B,
    CU_TENSOR_MAP_SWIZZLE_64B,
    CU_TENSOR_MAP_SWIZZLE_128B,
    CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B,
    CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B,
    CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B,
};
enum CUtensorMapL2promotion {
    CU_TENSOR_MAP_L2_PROMOTION_NONE,
    CU_TENSOR_MAP_L2_PROMOTION_L2_64B,
    CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
    CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
};
enum CUtensorMapFloatOOBfill {
    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
    CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA,
};
struct alignas(64) CUtensorMap_st {
    cuuint64_t opaque[16];
};
using CUtensorMap = CUtensorMap_st;

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

// What a CUtensorMap holds here. A GPU's bits are NVIDIA's secret.
struct TensorMap {
    static constexpr uint32_t is_valid = 0x7e4507a9;
    uint32_t valid;
    uint8_t element, rank, swizzle;  // bytes of an element
    bool interleaved, fills_nan;
    uint8_t steps[5];  // between elements of the box
    uint16_t box[5];   // how far it reaches
    uint32_t last[5];  // the sizes of the tensor, minus 1
    uint64_t address, strides[4];
    uint64_t begin, end;  // of the memory from cudaMalloc() that the address lies in; 0: other memory

    uint64_t size(int i) const { return uint64_t(last[i]) + 1; }
    int count(int i) const { return (box[i] + steps[i] - 1) / steps[i]; }  // elements of the box
    int span() const { return swizzle ? 16 << swizzle : 0; }               // bytes within which 16-byte pieces move
    int row_bytes() const { return count(0) * element; }
    size_t rows() const {
        size_t rows = 1;
        for (int i = 1; i < rank; i++) rows *= size_t(count(i));
        return rows;
    }
    size_t box_bytes() const { return rows() * size_t(row_bytes()); }
};
static_assert(sizeof(TensorMap) <= sizeof(CUtensorMap), "it fits");

// What cudaMalloc() gave where the pointer lies: [begin, end), or zeros.
inline std::pair<uint64_t, uint64_t> allocation_at(uint64_t pointer) {
    const std::lock_guard<std::mutex> lock(allocations_mutex);
    for (const auto* e = allocations.first; e; e = e->next) {
        const uint64_t begin = reinterpret_cast<uintptr_t>(e->address), end = begin + e->value.bytes;
        if (pointer >= begin && pointer < end) return {begin, end};
    }
    return {};
}

// Why the driver refuses a map, or null. The rules are those of the comment in CUDA 13.0's cuda.h, and two more: also
// with an interleaved layout a row of the box is a multiple of 16 bytes, and a box fits into shared memory. An H100's
// driver took 9 of 800 random maps, and these rules take 9. Without the first they take 11, without the second 38; if
// strides also had to hold a row, 6.
inline const char* refusal(const TensorMap& map, const cuuint64_t* sizes, const cuuint32_t* box,
                           const cuuint32_t* steps, uint64_t unit) {
    for (int i = 0; i < map.rank; i++) {
        if (sizes[i] < 1 || sizes[i] > uint64_t(1) << 32) return "a size of the tensor is not from 1 to 2^32";
        if (box[i] < 1 || box[i] > 256) return "a size of the box is not from 1 to 256";
        if (steps[i] < 1 || steps[i] > 8) return "an element stride is not from 1 to 8";
        if (i == 0) continue;
        if (map.strides[i - 1] % unit) return "a stride is no multiple of 16 bytes (interleaved by 32: of 32)";
        if (map.strides[i - 1] >> 40) return "a stride is 2^40 bytes or more";
    }
    if (map.row_bytes() % 16) return "a row of the box is no multiple of 16 bytes";
    if (!map.interleaved && map.swizzle && map.row_bytes() > map.span())
        return "a row of the box has more bytes than the swizzle";
    if (map.box_bytes() > max_dynamic_shared) return "the box does not fit into shared memory";
    return nullptr;
}

inline CUresult refuse_map(const char* why) {
    fprintf(stderr, "CUDA on CPU: cuTensorMapEncodeTiled() refuses this map: %s\n", why);
    return CUDA_ERROR_INVALID_VALUE;
}

}  // namespace cuda_on_cpu

// Types of 4 and 6 bits, and swizzles of atoms larger than 16 bytes, are newer than Hopper.
inline CUresult cuTensorMapEncodeTiled(CUtensorMap* tensor_map, CUtensorMapDataType type, cuuint32_t rank,
                                       void* address, const cuuint64_t* sizes, const cuuint64_t* strides,
                                       const cuuint32_t* box, const cuuint32_t* steps, CUtensorMapInterleave interleave,
                                       CUtensorMapSwizzle swizzle, CUtensorMapL2promotion,
                                       CUtensorMapFloatOOBfill fill) {
    using cuda_on_cpu::refuse_map;
    constexpr uint8_t elements[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    const bool interleaved = interleave != CU_TENSOR_MAP_INTERLEAVE_NONE;
    const uint64_t unit = interleave == CU_TENSOR_MAP_INTERLEAVE_32B ? 32 : 16;
    if (!tensor_map || !address || !sizes || !box || !steps || (rank > 1 && !strides))
        return refuse_map("a pointer is null");
    if (reinterpret_cast<uintptr_t>(tensor_map) % 64) return refuse_map("the map is not aligned to 64 bytes");
    if (reinterpret_cast<uintptr_t>(address) % unit) return refuse_map("the tensor is not aligned to 16 bytes (or 32)");
    if (unsigned(type) >= sizeof elements) return refuse_map("the type is not known");
    if (rank < (interleaved ? 3 : 1) || rank > 5) return refuse_map("the rank is not from 1 (interleaved: 3) to 5");
    if (unsigned(interleave) > 2 || unsigned(swizzle) > CU_TENSOR_MAP_SWIZZLE_128B)
        return refuse_map("the interleave or the swizzle is not known");
    if (unit == 32 && swizzle != CU_TENSOR_MAP_SWIZZLE_32B)
        return refuse_map("the interleave of 32 bytes has another swizzle");
    if (fill && type < CU_TENSOR_MAP_DATA_TYPE_FLOAT16) return refuse_map("integers have no NaN to fill with");
    cuda_on_cpu::TensorMap map = {};
    map.valid = map.is_valid, map.element = elements[type], map.rank = uint8_t(rank), map.swizzle = uint8_t(swizzle);
    map.interleaved = interleaved, map.fills_nan = fill != 0, map.address = reinterpret_cast<uintptr_t>(address);
    for (cuuint32_t i = 0; i < rank; i++) {
        map.last[i] = uint32_t(sizes[i] - 1), map.box[i] = uint16_t(std::min(box[i], 257u));
        map.steps[i] = uint8_t(i == 0 && !interleaved ? 1 : std::max(1u, std::min(steps[i], 9u)));  // 0: refused below
        if (i > 0) map.strides[i - 1] = strides[i - 1];
    }
    if (const char* why = cuda_on_cpu::refusal(map, sizes, box, steps, unit)) return refuse_map(why);
    std::tie(map.begin, map.end) = cuda_on_cpu::allocation_at(map.address);
    *tensor_map = {};
    memcpy(tensor_map, &map, sizeof map);
    return CUDA_SUCCESS;
}

inline CUresult cuGetErrorString(CUresult error, const char** text) {
    *text = error == CUDA_SUCCESS           ? "no error"
            : error == CUDA_ERROR_NOT_FOUND ? "named symbol not found"
                                            : "invalid argument";
    return CUDA_SUCCESS;
}
inline CUresult cuGetErrorName(CUresult error, const char** text) {
    *text = error == CUDA_SUCCESS           ? "CUDA_SUCCESS"
            : error == CUDA_ERROR_NOT_FOUND ? "CUDA_ERROR_NOT_FOUND"
                                            : "CUDA_ERROR_INVALID_VALUE";
    return CUDA_SUCCESS;
}

// A function of the driver by its name, for programs that do not link the driver.
enum cudaDriverEntryPointQueryResult {
    cudaDriverEntryPointSuccess,
    cudaDriverEntryPointSymbolNotFound,
    cudaDriverEntryPointVersionNotSufficent,
};
enum : unsigned long long { cudaEnableDefault, cudaEnableLegacyStream, cudaEnablePerThreadDefaultStream };
inline cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned /* version */,
                                                    unsigned long long /* flags */,
                                                    cudaDriverEntryPointQueryResult* result = nullptr) {
    const bool found = strcmp(name, "cuTensorMapEncodeTiled") == 0;
    *function = found ? reinterpret_cast<void*>(&cuTensorMapEncodeTiled) : nullptr;
    if (result) *result = found ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}
inline cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long flags,
                                           cudaDriverEntryPointQueryResult* result = nullptr) {
    return cudaGetDriverEntryPointByVersion(name, function, 12000, flags, result);
}

#pragma GCC visibility pop
