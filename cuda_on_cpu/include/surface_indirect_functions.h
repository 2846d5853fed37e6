#include "CUDA on CPU (cuda_on_cpu/README.md says what it lacks) has no surface_indirect_functions.h"
