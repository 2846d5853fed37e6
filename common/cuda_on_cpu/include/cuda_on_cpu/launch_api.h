// Launches by a function of the runtime API: cooperative ones, and those with attributes (clusters).
#pragma once

#include <tuple>
#include <utility>

#include "cuda_on_cpu/launch.h"

enum cudaLaunchAttributeID {
    cudaLaunchAttributeIgnore = 0,
    cudaLaunchAttributeAccessPolicyWindow = 1,
    cudaLaunchAttributeCooperative = 2,
    cudaLaunchAttributeSynchronizationPolicy = 3,
    cudaLaunchAttributeClusterDimension = 4,
    cudaLaunchAttributeClusterSchedulingPolicyPreference = 5,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6,
    cudaLaunchAttributeProgrammaticEvent = 7,
    cudaLaunchAttributePriority = 8,
    cudaLaunchAttributeMemSyncDomainMap = 9,
    cudaLaunchAttributeMemSyncDomain = 10,
    cudaLaunchAttributePreferredClusterDimension = 11,
    cudaLaunchAttributeLaunchCompletionEvent = 12,
    cudaLaunchAttributePreferredSharedMemoryCarveout = 14,
};
enum cudaClusterSchedulingPolicy {
    cudaClusterSchedulingPolicyDefault = 0,
    cudaClusterSchedulingPolicySpread = 1,
    cudaClusterSchedulingPolicyLoadBalancing = 2,
};
union cudaLaunchAttributeValue {
    char pad[64];
    int cooperative, priority, programmaticStreamSerializationAllowed;
    unsigned sharedMemCarveout;
    struct {
        unsigned x, y, z;
    } clusterDim, preferredClusterDim;
    cudaClusterSchedulingPolicy clusterSchedulingPolicyPreference;
};
struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    cudaLaunchAttributeValue val;
};
struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute* attrs;
    unsigned numAttrs;
};

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

// Those attributes that change what a kernel does; the others are advice on speed.
inline Config config_of(const cudaLaunchConfig_t& c) {
    Config config = {c.gridDim, c.blockDim, c.dynamicSmemBytes};
    for (unsigned i = 0; i < c.numAttrs; i++) {
        const auto& value = c.attrs[i].val;
        if (c.attrs[i].id == cudaLaunchAttributeCooperative) config.cooperative = value.cooperative != 0;
        if (c.attrs[i].id == cudaLaunchAttributeClusterDimension)
            config.cluster = {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
    }
    return config;
}

template <class... P>
cudaError_t launch_kernel(void (*kernel)(P...), const Config& config, P... arguments) {
    const auto call = [kernel](auto... p) { kernel(p...); };
    const auto find = [kernel](auto f) { return f(kernel); };
    return Launch<decltype(call), decltype(find)>{"a kernel", call, find, config}.run(arguments...);
}

// The arguments as an array of their addresses.
template <class... P, size_t... I>
cudaError_t launch_kernel(void (*kernel)(P...), const Config& config, void** arguments, std::index_sequence<I...>) {
    return launch_kernel<P...>(kernel, config, *static_cast<std::remove_reference_t<P>*>(arguments[I])...);
}

}  // namespace cuda_on_cpu

// CUDA has these for void* as well; here the kernel's type is needed. The translator takes the cast of (void*)kernel away.
template <class... P>
cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments,
                                        size_t shared = 0, cudaStream_t = nullptr) {
    cuda_on_cpu::Config config = {grid, block, shared};
    config.cooperative = true;
    return cuda_on_cpu::launch_kernel(kernel, config, arguments, std::index_sequence_for<P...>());
}
template <class... P>
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, void (*kernel)(P...), void** arguments) {
    return cuda_on_cpu::launch_kernel(kernel, cuda_on_cpu::config_of(*config), arguments,
                                      std::index_sequence_for<P...>());
}
template <class... P, class... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(P...), A&&... arguments) {
    return cuda_on_cpu::launch_kernel<P...>(kernel, cuda_on_cpu::config_of(*config), std::forward<A>(arguments)...);
}

// How many clusters of this launch may be alive at once, and how large they may be.
template <class F>
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, F*, const cudaLaunchConfig_t* c) {
    const cuda_on_cpu::Config config = cuda_on_cpu::config_of(*c);
    if (const cudaError_t error = cuda_on_cpu::check_cluster(config)) return cuda_on_cpu::record(error);
    *clusters = int(cuda_on_cpu::resident_blocks(cuda_on_cpu::volume(config.block), config.shared) /
                    cuda_on_cpu::volume(config.cluster));
    return cudaSuccess;
}
template <class F>
cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, F*, const cudaLaunchConfig_t*) {
    *size = cuda_on_cpu::max_cluster_size;
    return cudaSuccess;
}

#pragma GCC visibility pop
