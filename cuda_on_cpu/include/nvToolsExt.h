#pragma once
#include "nvtx3/nvToolsExt.h"  // CUDA 13 has NVTX here only
