#include "CUDA on CPU (cuda_on_cpu/README.md says what it lacks) has no thrust/reduce.h"
