// What the host calls. There is one device, its memory is the host's, and everything is done when a call returns:
// streams and events exist so that programs compile and their bookkeeping is right.
#pragma once

#include "cuda_on_cpu/error.h"
#include "cuda_on_cpu/capture.h"     // what streams do, at once or later
#include "cuda_on_cpu/stream.h"      // streams, functions of the host in them
#include "cuda_on_cpu/event.h"       // events
#include "cuda_on_cpu/memory_api.h"  // cudaMalloc(), cudaFree(), ...
#include "cuda_on_cpu/copy_api.h"    // cudaMemcpy(), cudaMemset(), ...
#include "cuda_on_cpu/graph_api.h"   // graphs: what streams do, kept
#include "cuda_on_cpu/graph_exec.h"  // ... to be done again and again
#include "cuda_on_cpu/device_api.h"  // cudaGetDeviceProperties(), ...
#include "cuda_on_cpu/kernel_api.h"  // cudaFuncSetAttribute(), ...
