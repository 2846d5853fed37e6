#include "CUDA on CPU (common/cuda_on_cpu/README.md says what it lacks) has no nvToolsExt.h"
