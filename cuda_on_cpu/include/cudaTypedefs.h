// Types of the driver's functions, for cudaGetDriverEntryPoint().
#pragma once
#include "cuda.h"
using PFN_cuTensorMapEncodeTiled_v12000 = decltype(&cuTensorMapEncodeTiled);
using PFN_cuTensorMapEncodeTiled = PFN_cuTensorMapEncodeTiled_v12000;
