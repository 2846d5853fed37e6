// tensor_map.h: tells TMA of a tensor in half precision.
//
//   const CUtensorMap map = tensor_map(x, {columns, rows}, {stride}, {64, 128});   // 64 columns of 128 rows
//   kernel<<<grid, block>>>(map);                // its parameter: const __grid_constant__ CUtensorMap map
#pragma once
#include <cuda.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

#include "common/cuda_check.h"

// A tensor of N dimensions, the innermost first, whose numbers lie side by side. TMA copies a box of it at a time, in
// rows of 128 bytes, swizzled. strides: of the other dimensions, in numbers; they and the address are multiples of 16
// bytes. The driver refuses a tensor without a number.
template <class T, int N>
CUtensorMap tensor_map(const T* x, const int64_t (&sizes)[N], const int64_t (&strides)[N - 1], const int (&box)[N],
                       CUtensorMapL2promotion l2 = CU_TENSOR_MAP_L2_PROMOTION_L2_256B) {
    static const auto encode = [] {  // a function of the driver, which CUDA's runtime finds for us
        void* function = nullptr;
        cudaDriverEntryPointQueryResult found;
        CHECK_CUDA(
            cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found));
        if (found != cudaDriverEntryPointSuccess) throw std::runtime_error("the driver has no cuTensorMapEncodeTiled");
        return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);
    }();
    cuuint64_t all[N], bytes[N];
    cuuint32_t part[N], steps[N];
    for (int i = 0; i < N; i++) all[i] = cuuint64_t(sizes[i]), part[i] = cuuint32_t(box[i]), steps[i] = 1;
    for (int i = 0; i < N - 1; i++) bytes[i] = cuuint64_t(strides[i]) * sizeof(T);
    const auto type = std::is_same_v<T, __half> ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    CUtensorMap map;
    if (encode(&map, type, N, const_cast<T*>(x), all, bytes, part, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
               CU_TENSOR_MAP_SWIZZLE_128B, l2, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        throw std::runtime_error("cuTensorMapEncodeTiled refuses a tensor");
    return map;
}
