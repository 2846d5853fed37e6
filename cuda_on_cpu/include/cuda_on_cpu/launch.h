// Launches. The translator (translate.py) makes
//     add<<<grid, block, shared, stream>>>(c, a, b)
// into
//     cuda_on_cpu::launch("add",
//                         [=](const auto&... p) { add(p...); },
//                         [=](auto f) -> decltype(f(add)) { return f(add); },
//                         grid, block, shared, stream)(c, a, b)
#pragma once

#include "cuda_on_cpu/grid.h"
#include "cuda_on_cpu/run_block.h"
#include "cuda_on_cpu/trap.h"

#define CUDA_ON_CPU_NAME(...) #__VA_ARGS__  // in a macro, the name that the macro was given

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

// f of the second function above. One for kernels with parameters and one for those without, so that an overloaded name
// fits both, or none: for a mere P... of an overloaded name C++ takes no parameters.
struct Address {
    template <class First, class... P>
    const void* operator()(void (*kernel)(First, P...)) const {
        return reinterpret_cast<const void*>(kernel);
    }
    template <class Void>
    const void* operator()(Void (*kernel)()) const {
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
    cudaStream_t stream = nullptr;
    dim3 cluster = 1;
    bool has_clusters = false;  // even if of one block
    bool cooperative = false;
};

inline unsigned volume(dim3 v) { return v.x * v.y * v.z; }

inline cudaError_t check_cluster(const Config& c) {
    const dim3 size = c.cluster;
    if (!size.x || !size.y || !size.z || size.x > 8 || size.y > 8 || size.z > 8 || volume(size) > max_cluster_size)
        return cudaErrorInvalidClusterSize;
    return c.grid.x % size.x || c.grid.y % size.y || c.grid.z % size.z ? cudaErrorInvalidClusterSize : cudaSuccess;
}

// The checks that a GPU makes before anything runs.
inline cudaError_t check(const Config& c, const void* kernel) {
    const auto beyond = [](dim3 v, unsigned x, unsigned y, unsigned z) {
        return v.x == 0 || v.y == 0 || v.z == 0 || v.x > x || v.y > y || v.z > z;
    };
    if (beyond(c.grid, INT_MAX, 65535, 65535) || beyond(c.block, 1024, 1024, 64)) return cudaErrorInvalidConfiguration;
    if (uint64_t(c.block.x) * c.block.y * c.block.z > 1024) return cudaErrorInvalidConfiguration;
    if (c.shared > dynamic_shared_limit(kernel)) return cudaErrorInvalidValue;
    const uint64_t blocks = uint64_t(c.grid.x) * c.grid.y * c.grid.z;
    if (c.cooperative && blocks > resident_blocks(volume(c.block), c.shared)) return cudaErrorCooperativeLaunchTooLarge;
    return check_cluster(c);
}

// What is wrong with a launch that CUDA has refused.
[[gnu::cold, gnu::noinline]] inline std::string why_refused(const Config& c, const void* kernel, cudaError_t error) {
    const auto is_empty = [](dim3 v) { return !v.x || !v.y || !v.z; };
    if (is_empty(c.grid) || is_empty(c.block))
        return format("%s blocks of %s threads, and no number may be 0", text(c.grid).c_str(), text(c.block).c_str());
    const auto threads = double(c.block.x) * c.block.y * c.block.z;  // of which no number is too large
    if (threads > 1024) return format("%.0f threads in a block, at most 1024", threads);
    if (c.block.z > 64) return format("%u threads in a block's z direction, at most 64", c.block.z);
    if (c.grid.x > INT_MAX || c.grid.y > 65535 || c.grid.z > 65535)
        return format("%s blocks, at most (%d, 65535, 65535)", text(c.grid).c_str(), INT_MAX);
    if (const size_t limit = dynamic_shared_limit(kernel); c.shared > limit)
        return format("%zu bytes of dynamic shared memory, at most %zu", c.shared, limit);
    return cudaGetErrorString(error);
}

inline std::mutex one_launch_at_a_time;  // host threads may launch at once

#ifdef CUDA_ON_CPU_MEMORY_CHECK
inline void record_launch(const void* function) {
    const auto give_up = [](const char* message) {
        first_error = std::make_exception_ptr(std::runtime_error(message));
        self->fiber->switch_to(host, true);
    };
    cuda_on_cpu_recorder::begin_launch({block.kernel,
                                        function,
                                        blockDim.x,
                                        blockDim.y,
                                        blockDim.z,
                                        dynamic_memory,
                                        grid.dynamic,
                                        sizeof dynamic_memory,
                                        {&threadIdx, &blockIdx, &blockDim, &gridDim},
                                        give_up});
}
#endif

inline void run_grid(const Config& c, [[maybe_unused]] const void* kernel, const char* name,
                     void (*run_threads)(void*, Fiber&), void* call) {
    if (in_kernel) throw std::runtime_error(std::string("CUDA on CPU: a kernel launches ") + name + ": not supported");
    const std::lock_guard<std::mutex> lock(one_launch_at_a_time);
    struct InKernel {
        InKernel() { in_kernel = true; }
        ~InKernel() { in_kernel = false; }
    } inside;

    const char* reverse = getenv("CUDA_REVERSE");
    block.reverse = reverse && *reverse && strcmp(reverse, "0") != 0;
    block.kernel = name, block.run_threads = run_threads, block.launch = call;
    block.size = volume(c.block);
    launch_number++;
    gridDim = c.grid, blockDim = c.block;
    grid.cluster = c.cluster, grid.has_clusters = c.has_clusters, grid.cooperative = c.cooperative;
    grid.dynamic = c.shared;
    grid.clusters = uint64_t(c.grid.x / c.cluster.x) * (c.grid.y / c.cluster.y) * (c.grid.z / c.cluster.z);
    grid.started = watch ? watch->first_block(grid.clusters, block.size) : 0;
    if (watch) grid.clusters = std::max(grid.started, watch->end_block(grid.clusters));
    grid.limit = resident_blocks(block.size, c.shared);
    grid.phase.begin();
#ifdef CUDA_ON_CPU_ASAN
    ASAN_UNPOISON_MEMORY_REGION(dynamic_memory, c.shared);
    ASAN_POISON_MEMORY_REGION(dynamic_memory + c.shared, sizeof dynamic_memory - c.shared);
#endif
    const Watchdog watchdog;
    [[maybe_unused]] const Faults faults;
#ifdef CUDA_ON_CPU_MEMORY_CHECK
    record_launch(kernel);
    const char* found = nullptr;
    {
        struct End {
            const char*& found;
            ~End() { found = cuda_on_cpu_recorder::end_launch(); }
        } end{found};
        run_blocks();
    }
    if (found) throw std::runtime_error(found);
#else
    run_blocks();
#endif
}

inline cudaError_t check_and_run(const Config& c, const void* kernel, const char* name,
                                 void (*run_threads)(void*, Fiber&), void* call) {
    if (const cudaError_t error = check(c, kernel)) return record(error);
    try {
        run_grid(c, kernel, name, run_threads, call);
    } catch (const Trap& trap) {
        record(kernel_error = trap.error);
    } catch (const NeedsClusters& needs) {
        if (c.has_clusters) return record(cudaErrorInvalidClusterSize);  // the launch asks for other ones
        Config with_clusters = c;
        with_clusters.cluster = needs.size, with_clusters.has_clusters = true;
        return check_and_run(with_clusters, kernel, name, run_threads, call);
    } catch (const std::exception& error) {
        tell("found", error.what());
        if (Watchdog::is_interrupted()) raise(SIGINT);
        throw;
    }
    return cudaSuccess;
}

template <class Kernel, class Find>
struct Launch {
    const char* name;
    Kernel kernel;
    Find find_address;
    Config config;
    Location where = {};

    template <class... A>
    void operator()(A... arguments) const {
        tell_if_refused(run(arguments...));
    }

    void tell_if_refused(cudaError_t error) const {
        if (error == cudaSuccess) return;
        refused(
            format("CUDA on CPU: CUDA refused the launch of %s at %s: %s. The program never asked: cudaGetLastError() "
                   "after a launch says it",
                   name, text(where).c_str(), why_refused(config, address_of(find_address, 0), error).c_str())
                .c_str());
    }

    template <class... A>
    cudaError_t run(A... arguments) const {
        needs_stream(config.stream, "the launch of ", name);
        Config config = this->config;
        if (watch && watch->blocks) config.grid.x = watch->blocks;
        if (watch)
            if (const cudaError_t error = watch->sees_launch(config.grid, config.block)) return record(error);
        auto call = [kernel = kernel, arguments...]() CUDA_ON_CPU_UNRECORDED { kernel(arguments...); };
        const void* address = address_of(find_address, 0);
        if (!capturing) return check_and_run(config, address, name, run_threads<decltype(call)>, &call);
        if (const cudaError_t error = check(config, address)) return record(error);
        return enqueue(config.stream, cudaGraphNodeTypeKernel, [call, address, config, name = name] {
            auto copy = call;
            return check_and_run(config, address, name, run_threads<decltype(copy)>, &copy);
        });
    }

    template <class Call>
    CUDA_ON_CPU_UNRECORDED static void run_threads(void* call, Fiber& fiber) {
        CUDA_ON_CPU_RECORD(kernel_arguments(call, sizeof(Call)));
        while (start_thread(fiber)) {
            (*static_cast<Call*>(call))();
            end_thread();
        }
    }
};

// The same, where the name stands for a single function: arguments convert to its parameters' types, as in any call, so
// NULL and braced lists work. There is a function for each number of arguments, since the last may have default values.
template <class... P>
struct Types {};

template <class L, class First, class... Rest>
struct TypedLaunch;
template <class L, class... P>
struct TypedLaunch<L, Types<P...>> : L {
    explicit TypedLaunch(const L& launch) : L(launch) {}
    void operator()(P... arguments) const { this->tell_if_refused(this->run(arguments...)); }
};
template <class L, class... P, class Next, class... Rest>
struct TypedLaunch<L, Types<P...>, Next, Rest...> : TypedLaunch<L, Types<P..., Next>, Rest...> {
    using More = TypedLaunch<L, Types<P..., Next>, Rest...>;
    using More::More;
    using More::operator();
    void operator()(P... arguments) const { this->tell_if_refused(this->run(arguments...)); }
};

template <class Kernel, class Find>
struct WithParameters {  // f of the second function above
    Launch<Kernel, Find> launch;
    template <class First, class... P>
    TypedLaunch<Launch<Kernel, Find>, Types<>, First, P...> operator()(void (*)(First, P...)) const {
        return TypedLaunch<Launch<Kernel, Find>, Types<>, First, P...>(launch);
    }
};

template <class Kernel, class Find>
auto typed(const Launch<Kernel, Find>& launch, int)
    -> decltype(launch.find_address(WithParameters<Kernel, Find>{launch})) {
    return launch.find_address(WithParameters<Kernel, Find>{launch});
}
template <class Kernel, class Find>
Launch<Kernel, Find> typed(const Launch<Kernel, Find>& launch, long) {
    return launch;
}

template <class Kernel, class Find>
auto launch(const char* name, Kernel kernel, Find find_address, dim3 grid, dim3 block, size_t shared = 0,
            cudaStream_t stream = nullptr, Location where = {}) {
    return typed(Launch<Kernel, Find>{name, kernel, find_address, {grid, block, shared, stream}, where}, 0);
}

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
