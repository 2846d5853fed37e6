// Cooperative groups: a set of threads as an object that can be passed to functions, cut into parts, and waits
// together. Read the parts in this order. cooperative_groups/reduce.h and scan.h add sums over a group.
#pragma once

#include <cuda_runtime.h>

#include "cuda_on_cpu/groups/thread_group.h"  // thread_group, what all groups can be passed as; thread_block
#include "cuda_on_cpu/groups/lanes.h"         // what groups of threads of one warp do: shfl(), ballot(), ...
#include "cuda_on_cpu/groups/tile.h"          // coalesced_group, thread_block_tile of 1 to 32 threads
#include "cuda_on_cpu/groups/large_tile.h"    // thread_block_tile of 64 to 1024 threads
#include "cuda_on_cpu/groups/grid_group.h"    // grid_group, cluster_group
#include "cuda_on_cpu/groups/partition.h"     // tiled_partition(), labeled_partition(), ...; sync(group); invoke_one()
