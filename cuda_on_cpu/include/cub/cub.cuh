// Of CUB what a block or a warp does. What it launches for a whole device (cub::Device...) is not there.
#pragma once
#include "cub/block/block_load.cuh"
#include "cub/block/block_reduce.cuh"
#include "cub/block/block_scan.cuh"
#include "cub/block/block_store.cuh"
#include "cub/warp/warp_reduce.cuh"
