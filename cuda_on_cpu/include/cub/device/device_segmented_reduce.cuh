#include "CUDA on CPU (cuda_on_cpu/README.md says what it lacks) has no cub/device/device_segmented_reduce.cuh"
