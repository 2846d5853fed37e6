// What the host calls. There is one device, its memory is the host's, and everything is done when a call returns:
// streams and events exist so that programs compile and their bookkeeping is right.
#pragma once

#include "cuda_on_cpu/error.h"
#include "cuda_on_cpu/stream.h"      // streams, events, functions of the host
#include "cuda_on_cpu/memory_api.h"  // cudaMalloc(), cudaMemcpy(), ...
#include "cuda_on_cpu/graph_api.h"   // what streams do, kept to be done again
#include "cuda_on_cpu/device_api.h"  // cudaGetDeviceProperties(), cudaFuncSetAttribute(), ...
