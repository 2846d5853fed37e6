// threads.h: what threads.cu offers. Plain pointers and a stream: no torch, so any C++ program can call it.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

// out[i] = i for 0 <= i < n. Without the check, all threads of the last block write: out must have room for them.
void launch_number(int64_t* out, int64_t n, int threads, bool check, cudaStream_t stream);

// Which thread this is, which multiprocessor ran it, and when, in nanoseconds of the GPU's clock.
struct Where {
    int64_t block, thread, warp, lane, multiprocessor, start, end;
};

// Thread i of the grid works for so many nanoseconds, then writes out[i]. out: blocks * threads elements in memory of
// the current device.
void launch_where_am_i(Where* out, int64_t blocks, int threads, int64_t nanoseconds, cudaStream_t stream);

// One thread works for so many nanoseconds.
void launch_wait(int64_t nanoseconds, cudaStream_t stream);
