#include "CUDA on CPU (cuda_on_cpu/README.md says what it lacks) has no cub/warp/warp_scan.cuh"
