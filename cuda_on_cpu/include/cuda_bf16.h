// bfloat16: the upper half of a float, 8 bits of exponent and 7 of mantissa.
#pragma once

#include <cuda_runtime.h>
#include <cuda_fp16.h>

#define __CUDA_BF16_H__
#define __CUDA_BF16_TYPES_EXIST__

#define T16 __nv_bfloat16
#define T16x2 __nv_bfloat162
#define T16_RAW __nv_bfloat16_raw
#define T16x2_RAW __nv_bfloat162_raw
#define T16_OTHER __half
#define T16_FORMAT 8, 7
#define T16_NAME(before, after) before##bfloat16##after
#define T16_NAMES(before, between, after) before##bfloat16##between##bfloat16##after
#ifndef __CUDA_NO_BFLOAT16_CONVERSIONS__  // torch defines this and the next two
#define T16_CONVERSIONS
#endif
#ifndef __CUDA_NO_BFLOAT16_OPERATORS__
#define T16_OPERATORS
#endif
#ifndef __CUDA_NO_BFLOAT162_OPERATORS__
#define T16x2_OPERATORS
#endif
#include "cuda_on_cpu/float16_types.h"
#include "cuda_on_cpu/float16_functions.h"

using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

#ifndef __CUDA_NO_HALF_CONVERSIONS__
inline __half::__half(__nv_bfloat16 x) : __half(cuda_on_cpu::round_to<__half>(cuda_on_cpu::to_double(x))) {}
#endif
#ifndef __CUDA_NO_BFLOAT16_CONVERSIONS__
inline __nv_bfloat16::__nv_bfloat16(__half x)
    : __nv_bfloat16(cuda_on_cpu::round_to<__nv_bfloat16>(cuda_on_cpu::to_double(x))) {}
#endif

#define CUDART_INF_BF16 __ushort_as_bfloat16(0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16(0x7fff)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16(0x0001)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(0x7f7f)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16(0x8000)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(0x0000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16(0x3f80)
