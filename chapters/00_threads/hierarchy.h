// hierarchy.h: measures how long one thread waits for memory, and how many bytes all threads get from it in a second.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// 128 bytes, as much as an L1 cache keeps together. In a ring, each line leads to the next.
struct Line {
    const Line* next;
    char unused[120];
};

constexpr int64_t shared_bytes = 32 * 1024;  // the shared memory of a block
constexpr int reading_threads = 512;         // of a block of launch_read
constexpr int loads = 4;                     // of 16 bytes each, which a thread makes before it adds

// Makes a ring of `lines` lines, a power of two. Its order looks random, so that no load finds its line near the last
// one.
void launch_ring(Line* ring, int64_t lines, cudaStream_t stream);

// One thread follows the ring, first for `warm` steps, then for `steps`. out: the cycles and the nanoseconds of those
// `steps`, and the number of the line at which they ended.
void launch_chase(int64_t* out, const Line* ring, int64_t warm, int64_t steps, cudaStream_t stream);

// The same in shared memory. The ring has at most shared_bytes.
void launch_chase_shared(int64_t* out, int64_t lines, int64_t warm, int64_t steps, cudaStream_t stream);

// array[i] = i for 0 <= i < n.
void launch_count(unsigned* array, int64_t n, cudaStream_t stream);

// The array has `pieces` pieces of 32 KiB, and each of `blocks` blocks reads `reads` of them. The first block begins at
// the array's start, each other block where the one before it stops. After the array's end they go on at its start.
// Thread t of block b writes the sum of what it has read to sums[b * reading_threads + t].
void launch_read(unsigned* sums, const unsigned* array, int64_t pieces, int64_t reads, int blocks, cudaStream_t stream);

// The same for an array of one piece, which each block first copies to shared memory.
void launch_read_shared(unsigned* sums, const unsigned* array, int64_t reads, int blocks, cudaStream_t stream);
