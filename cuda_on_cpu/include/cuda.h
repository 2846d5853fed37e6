// The driver API's header. Extensions include it for the version number and for types that cuda_runtime.h has as well;
// programs for TMA include it for tensor maps.
#pragma once
#define CUDA_VERSION 13000
#include "cuda_runtime.h"
#include "cuda_on_cpu/tensor_map.h"
