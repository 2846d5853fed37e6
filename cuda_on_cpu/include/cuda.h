// The driver API's header. Extensions include it for the version number and for types that cuda_runtime.h has as well.
#pragma once
#define CUDA_VERSION 13000
#include "cuda_runtime.h"
