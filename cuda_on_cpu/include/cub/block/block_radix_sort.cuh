#include "CUDA on CPU (cuda_on_cpu/README.md says what it lacks) has no cub/block/block_radix_sort.cuh"
