// Launches. The translator (translate.py) makes
//     add<<<grid, block, shared, stream>>>(c, a, b)
// into
//     cuda_on_cpu::launch("add",
//                         [=](const auto&... p) { add(p...); },
//                         [=](auto f) -> decltype(f(add)) { return f(add); },
//                         grid, block, shared, stream)(c, a, b)
#pragma once

#include "cuda_on_cpu/run_block.h"
#include "cuda_on_cpu/runtime_api.h"

#define CUDA_ON_CPU_NAME(...) #__VA_ARGS__  // in a macro, the name that the macro was given

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

// f of the second function above.
struct Address {
    template <class... P>
    const void* operator()(void (*kernel)(P...)) const {
        return reinterpret_cast<const void*>(kernel);
    }
};

template <class Find>  // preferred, if the kernel's name stands for a single function
auto address_of(const Find& find, int) -> decltype(find(Address())) {
    return find(Address());
}

template <class Find>
const void* address_of(const Find&, long) {
    return nullptr;
}

struct Config {
    dim3 grid, block;
    size_t shared;
};

// The checks that a GPU makes before anything runs.
inline cudaError_t check(const Config& c, const void* kernel) {
    const auto beyond = [](dim3 v, unsigned x, unsigned y, unsigned z) {
        return v.x == 0 || v.y == 0 || v.z == 0 || v.x > x || v.y > y || v.z > z;
    };
    if (beyond(c.grid, INT_MAX, 65535, 65535) || beyond(c.block, 1024, 1024, 64)) return cudaErrorInvalidConfiguration;
    if (uint64_t(c.block.x) * c.block.y * c.block.z > 1024) return cudaErrorInvalidConfiguration;
    if (c.shared > dynamic_shared_limit(kernel)) return cudaErrorInvalidValue;
    return cudaSuccess;
}

inline std::mutex one_launch_at_a_time;  // host threads may launch at once

// extern __shared__ T name[] becomes T* const name = dynamic_shared().
alignas(128) inline char dynamic_memory[max_dynamic_shared];
struct DynamicShared {
    template <class T>
    operator T*() const {
        return reinterpret_cast<T*>(dynamic_memory);
    }
};
inline DynamicShared dynamic_shared() { return {}; }

inline void run_grid(const Config& c, const char* name, void (*run_threads)(void*, Fiber&), void* call) {
    if (in_kernel) throw std::runtime_error(std::string("CUDA on CPU: a kernel launches ") + name + ": not supported");
    const std::lock_guard<std::mutex> lock(one_launch_at_a_time);
    struct InKernel {
        InKernel() { in_kernel = true; }
        ~InKernel() { in_kernel = false; }
    } inside;

    const char* reverse = getenv("CUDA_REVERSE");
    block.reverse = reverse && *reverse && strcmp(reverse, "0") != 0;
    block.threads = room.threads, block.warps = room.warps, block.fibers = room.fibers;
    block.kernel = name, block.run_threads = run_threads, block.launch = call;
    launch_number++;
    gridDim = c.grid, blockDim = c.block;
    block.size = 0;
    for (unsigned z = 0; z < c.block.z; z++)
        for (unsigned y = 0; y < c.block.y; y++)
            for (unsigned x = 0; x < c.block.x; x++, block.size++) {
                block.threads[block.size].index = {x, y, z};
                block.threads[block.size].rank = block.size;
            }
#ifdef CUDA_ON_CPU_ASAN
    ASAN_UNPOISON_MEMORY_REGION(dynamic_memory, c.shared);
    ASAN_POISON_MEMORY_REGION(dynamic_memory + c.shared, sizeof dynamic_memory - c.shared);
#endif

    const auto nth = [](unsigned i, unsigned n) { return block.reverse ? n - 1 - i : i; };
    for (unsigned z = 0; z < c.grid.z; z++)
        for (unsigned y = 0; y < c.grid.y; y++)
            for (unsigned x = 0; x < c.grid.x; x++) {
                blockIdx = {nth(x, c.grid.x), nth(y, c.grid.y), nth(z, c.grid.z)};
                run_block();
            }
}

template <class Kernel, class Find>
struct Launch {
    const char* name;
    Kernel kernel;
    Find find_address;
    Config config;

    template <class... A>
    void operator()(A... arguments) const {
        if (record(check(config, address_of(find_address, 0))) != cudaSuccess) return;
        auto call = [kernel = kernel, arguments...] { kernel(arguments...); };
        run_grid(config, name, run_threads<decltype(call)>, &call);
    }

    template <class Call>
    static void run_threads(void* call, Fiber& fiber) {
        while (start_thread(fiber)) {
            (*static_cast<Call*>(call))();
            end_thread();
        }
    }
};

template <class Kernel, class Find>
Launch<Kernel, Find> launch(const char* name, Kernel kernel, Find find_address, dim3 grid, dim3 block,
                            size_t shared = 0, cudaStream_t = nullptr) {
    return {name, kernel, find_address, {grid, block, shared}};
}

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
