// What the memory check is told by this runtime: which thread runs, what orders threads, which arrays there are. In a
// build for it (memory_check.py, CUDA_ON_CPU_MEMORY_CHECK) the compiler reports each access by itself; in any other
// build nothing of this is left.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef CUDA_ON_CPU_MEMORY_CHECK
#define CUDA_ON_CPU_RECORD(...) cuda_on_cpu_recorder::__VA_ARGS__
#define CUDA_ON_CPU_REFUSE(...)                                  \
    if (const char* mistake = cuda_on_cpu_recorder::__VA_ARGS__) \
    cuda_on_cpu::tell("found", mistake), throw std::runtime_error(mistake)
// A function that is no kernel code: the compiler does not report its accesses.
#define CUDA_ON_CPU_UNRECORDED __attribute__((no_sanitize("thread")))
// A function that reads or writes for its caller: its accesses have the caller's line.
#define CUDA_ON_CPU_FOR_CALLER inline __attribute__((always_inline))
#else
#define CUDA_ON_CPU_RECORD(...) ((void)0)
#define CUDA_ON_CPU_REFUSE(...) ((void)0)
#define CUDA_ON_CPU_UNRECORDED
#define CUDA_ON_CPU_FOR_CALLER
#endif

namespace cuda_on_cpu_recorder {

constexpr char by_address[] = "given to a cudaLaunch function";  // instead of a kernel's name

struct Launch {
    const char* kernel;
    const void* function;  // null: an overloaded name
    unsigned block_x, block_y, block_z;
    const void* dynamic_memory;  // dynamic shared memory
    size_t dynamic_bytes, dynamic_limit;
    const void* own[4];            // threadIdx and the like, which are no arrays
    void (*give_up)(const char*);  // ends the launch in the middle of a thread, with a message
};

// A launch. What was found in it is the end's result, or null.
void begin_launch(const Launch& launch);
const char* end_launch();

// A block is known by its `room`: an address that it keeps while it is alive.
void begin_block(const void* room, unsigned x, unsigned y, unsigned z);
void thread_runs(const void* room, unsigned rank, const void* stack, size_t stack_bytes);
void nobody_runs();
void kernel_arguments(const void* address, size_t bytes);  // wherever the launch keeps them
// "own.cu:7", the first line of the reader's among return addresses, or "".
const char* first_line(const void* const* addresses, unsigned count);

// What orders threads. An object is whatever some threads release and others acquire: a flag, a lock, a barrier.
void reaches_barrier(const void* room, bool is_first);   // all by the same calls as the first
void block_barrier(const void* room, unsigned threads);  // that many have waited
void warp_barrier(const void* room, unsigned warp, uint32_t lanes);
void warp_returns(const void* room, unsigned warp);  // its last thread does
void grid_barrier();
void cluster_barrier(const void* const* rooms, unsigned count);
void fence();
void release(const void* object);
void acquire(const void* object);

// Accesses that the compiler does not report, or not with the kernel's line.
void touches(const void* address, size_t bytes, bool writes, const char* file, int line);
// The same of an instruction whose lanes a GPU serves together: it is a request, which the microscope counts.
void asks(const void* address, size_t bytes, bool writes, const char* file, int line);
// For the microscope only: cp.async reads the one in global memory, and writes the other, in shared memory.
void asks_copy(const void* to, const void* from, size_t bytes, const char* file, int line);
// An asynchronous copy writes at any time between the two; the start's result is given to the end.
uint32_t copy_starts(const void* to, size_t bytes, const char* file, int line);
void copy_ends(const void* to, size_t bytes, uint32_t started, const char* file, int line);
void atomic(const void* address, size_t bytes, const char* file, int line, bool compares = false);

// Arrays. The types of memory are those of cudaMemoryType.
// extents: three numbers, the array's dimensions. If it has fewer than three, the rest are 0.
void shared_array(const void* address, size_t bytes, size_t element, const size_t* extents);
void shared_copy(const void* copy, size_t bytes, const void* address, const void* room);  // of a block in a cluster
void* allocate(size_t bytes, int type);                                                   // null: no memory
const char* free_memory(void* address);                                                   // null, or what is wrong
void host_memory(const void* address, size_t bytes, bool registered);
const char* host_copies(const void* to, const void* from, size_t bytes, int kind);
const char* host_sets(const void* to, size_t bytes);

}  // namespace cuda_on_cpu_recorder
