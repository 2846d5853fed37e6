// hierarchy.h: what hierarchy.cu offers: how long a thread waits for memory, and how much all threads get from it.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// 128 bytes, as much as an L1 cache keeps together. In a ring, each line leads to the next.
struct Line {
    const Line* next;
    char unused[120];
};

constexpr int64_t shared_bytes = 32 * 1024;  // of shared memory, for a block
constexpr int reading_threads = 512;         // in a block of launch_read
constexpr int loads = 4;                     // of 16 bytes, that each of them makes before it adds

// Makes a ring of `lines` lines, a power of two, in an order that jumps from one to another as if at random.
void launch_ring(Line* ring, int64_t lines, cudaStream_t stream);

// One thread follows the ring, first for `warm` steps, then for `steps`. out: the cycles and the nanoseconds that the
// latter took, and the number of the line at which they ended.
void launch_chase(int64_t* out, const Line* ring, int64_t warm, int64_t steps, cudaStream_t stream);

// The same in a ring of so many lines in shared memory, shared_bytes at most.
void launch_chase_shared(int64_t* out, int64_t lines, int64_t warm, int64_t steps, cudaStream_t stream);

// array[i] = i for 0 <= i < n.
void launch_count(unsigned* array, int64_t n, cudaStream_t stream);

// Each of `blocks` blocks reads `reads` pieces of 32 KiB of the array, which has `pieces` of them: the first block from
// the array's start, each other from where the one before it stops; behind the array's end, from the start again.
// Thread t of block b writes the sum of what it read to sums[b * reading_threads + t].
void launch_read(unsigned* sums, const unsigned* array, int64_t pieces, int64_t reads, int blocks, cudaStream_t stream);

// The same from shared memory, to which each block first copies the array: one piece.
void launch_read_shared(unsigned* sums, const unsigned* array, int64_t reads, int blocks, cudaStream_t stream);
