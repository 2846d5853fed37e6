// threadIdx and its relatives: for editors, in CUDA as here.
#pragma once
#include "cuda_runtime.h"
