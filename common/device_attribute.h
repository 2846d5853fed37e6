// device_attribute.h: what CUDA knows of the current device.
//
//   const int multiprocessors = device_attribute(cudaDevAttrMultiProcessorCount);
#pragma once
#include <cuda_runtime.h>

#include "common/cuda_check.h"

inline int device_attribute(cudaDeviceAttr which) {
    int device = 0, value = 0;
    CHECK_CUDA(cudaGetDevice(&device));
    CHECK_CUDA(cudaDeviceGetAttribute(&value, which, device));
    return value;
}
