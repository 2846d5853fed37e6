// Half precision: 5 bits of exponent, 10 of mantissa. Code for GPUs asks for these names.
#pragma once

#include <cuda_runtime.h>
#include "cuda_on_cpu/float16.h"

struct __nv_bfloat16;

#define __CUDA_FP16_H__
#define __CUDA_FP16_TYPES_EXIST__

#define T16 __half
#define T16x2 __half2
#define T16_RAW __half_raw
#define T16x2_RAW __half2_raw
#define T16_OTHER __nv_bfloat16
#define T16_FORMAT 5, 10
#define T16_NAME(before, after) before##half##after
#define T16_NAMES(before, between, after) before##half##between##half##after
#ifndef __CUDA_NO_HALF_CONVERSIONS__  // torch defines this and the next two
#define T16_CONVERSIONS
#endif
#ifndef __CUDA_NO_HALF_OPERATORS__
#define T16_OPERATORS
#endif
#ifndef __CUDA_NO_HALF2_OPERATORS__
#define T16x2_OPERATORS
#endif
#include "cuda_on_cpu/float16_types.h"
#include "cuda_on_cpu/float16_functions.h"

#ifndef CUDA_NO_HALF  // for code that has its own `half`
using half = __half;
using half2 = __half2;
using __nv_half = __half;
using __nv_half2 = __half2;
using __nv_half_raw = __half_raw;
using __nv_half2_raw = __half2_raw;
using nv_half = __half;
using nv_half2 = __half2;
#endif

#define CUDART_INF_FP16 __ushort_as_half(0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half(0x7fff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(0x0001)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7bff)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(0x8000)
#define CUDART_ZERO_FP16 __ushort_as_half(0x0000)
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00)
