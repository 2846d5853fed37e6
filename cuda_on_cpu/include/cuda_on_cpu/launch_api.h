// Launches by a function of the runtime API: cooperative ones, and those with attributes (clusters).
#pragma once

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
enum cudaAccessProperty {
    cudaAccessPropertyNormal,
    cudaAccessPropertyStreaming,
    cudaAccessPropertyPersisting,
};
struct cudaAccessPolicyWindow {
    void* base_ptr;
    size_t num_bytes;
    float hitRatio;
    cudaAccessProperty hitProp, missProp;
};
union cudaLaunchAttributeValue {
    char pad[64];
    int cooperative, priority, programmaticStreamSerializationAllowed;
    unsigned sharedMemCarveout;
    struct {
        unsigned x, y, z;
    } clusterDim, preferredClusterDim;
    cudaClusterSchedulingPolicy clusterSchedulingPolicyPreference;
    cudaAccessPolicyWindow accessPolicyWindow;
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
using cudaStreamAttrID = cudaLaunchAttributeID;
using cudaStreamAttrValue = cudaLaunchAttributeValue;
#define cudaStreamAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow
#define cudaStreamAttributePriority cudaLaunchAttributePriority

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

// Those attributes that change what a kernel does; the others are advice on speed.
inline Config config_of(const cudaLaunchConfig_t& c) {
    Config config = {c.gridDim, c.blockDim, c.dynamicSmemBytes, c.stream};
    for (unsigned i = 0; i < c.numAttrs; i++) {
        const auto& value = c.attrs[i].val;
        if (c.attrs[i].id == cudaLaunchAttributeCooperative) config.cooperative = value.cooperative != 0;
        if (c.attrs[i].id == cudaLaunchAttributeClusterDimension)
            config.cluster = {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z}, config.has_clusters = true;
    }
    return config;
}

template <class... P>
cudaError_t launch_kernel(void (*kernel)(P...), const Config& config, P... arguments) {
    const auto call = [kernel](auto... p) CUDA_ON_CPU_UNRECORDED { kernel(p...); };
    const auto find = [kernel](auto f) { return f(kernel); };
    return Launch<decltype(call), decltype(find)>{cuda_on_cpu_recorder::by_address, call, find, config}.run(
        arguments...);
}

// The arguments as an array of their addresses.
template <class... P, size_t... I>
cudaError_t launch_kernel(void (*kernel)(P...), const Config& config, void** arguments, std::index_sequence<I...>) {
    return launch_kernel<P...>(kernel, config, *static_cast<std::remove_reference_t<P>*>(arguments[I])...);
}

// ---- kernels as void* ----------------------------------------------------------------------------------------------

// A void* does not say what a kernel's parameters are. So the translator makes (void*)kernel into
// (cuda_on_cpu::KernelPointer)kernel, which notes down how this kernel is called before it becomes a void*.
using Bind = Work* (*)(const void* kernel, const Config&, void** arguments);
inline std::mutex binds_mutex;
inline AddressTable<Bind> binds;

template <class... P, size_t... I>
Work* bind(void (*kernel)(P...), const Config& config, void** arguments, std::index_sequence<I...>) {
    const auto with = [=](const P&... values) {  // copies of the arguments
        return work_of([=] { return launch_kernel<P...>(kernel, config, values...); });
    };
    return with(*static_cast<const P*>(arguments[I])...);
}

class KernelPointer {
public:
    template <class... P>
    KernelPointer(void (*kernel)(P...)) : pointer_(reinterpret_cast<void*>(kernel)) {
        const std::lock_guard<std::mutex> lock(binds_mutex);
        binds.set(pointer_, [](const void* p, const Config& config, void** arguments) {
            const auto typed = reinterpret_cast<void (*)(P...)>(const_cast<void*>(p));
            return cuda_on_cpu::bind(typed, config, arguments, std::index_sequence_for<P...>());  // not std::bind()
        });
    }
    operator void*() const { return pointer_; }

private:
    void* pointer_;
};

inline Work* bind_kernel(const void* kernel, const Config& config, void** arguments) {
    Bind bind = nullptr;
    {
        const std::lock_guard<std::mutex> lock(binds_mutex);
        if (const Bind* found = binds.find(kernel)) bind = *found;
    }
    if (!bind)
        throw std::runtime_error(
            "CUDA on CPU: a kernel was given as a void*, and its parameters are not known: write "
            "(void*)kernel with the kernel's name, in the file that defines it");
    return bind(kernel, config, arguments);
}

inline Work* bind_kernel(const cudaKernelNodeParams& p) {
    return bind_kernel(p.func, {p.gridDim, p.blockDim, p.sharedMemBytes}, p.kernelParams);
}

inline cudaError_t run_kernel(const void* kernel, const Config& config, void** arguments) {
    struct Owner {
        const Work* work;
        ~Owner() { delete work; }
    } owner = {bind_kernel(kernel, config, arguments)};
    return owner.work->run();
}

}  // namespace cuda_on_cpu

template <class... P>
cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments,
                                        size_t shared = 0, cudaStream_t stream = nullptr) {
    cuda_on_cpu::Config config = {grid, block, shared, stream};
    config.cooperative = true;
    return cuda_on_cpu::launch_kernel(kernel, config, arguments, std::index_sequence_for<P...>());
}
inline cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                               size_t shared = 0, cudaStream_t stream = nullptr) {
    cuda_on_cpu::Config config = {grid, block, shared, stream};
    config.cooperative = true;
    return cuda_on_cpu::run_kernel(kernel, config, arguments);
}
template <class... P>
cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments, size_t shared = 0,
                             cudaStream_t stream = nullptr) {
    const cuda_on_cpu::Config config = {grid, block, shared, stream};
    return cuda_on_cpu::launch_kernel(kernel, config, arguments, std::index_sequence_for<P...>());
}
inline cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared = 0,
                                    cudaStream_t stream = nullptr) {
    const cuda_on_cpu::Config config = {grid, block, shared, stream};
    return cuda_on_cpu::run_kernel(kernel, config, arguments);
}
inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel, void** arguments) {
    return cuda_on_cpu::run_kernel(kernel, cuda_on_cpu::config_of(*config), arguments);
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

// Attributes of a stream: advice on speed.
inline cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaStreamAttrID, const cudaStreamAttrValue*) {
    return cudaSuccess;
}
inline cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }

// How many clusters of this launch may be alive at once, and how large they may be.
template <class F>
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, F, const cudaLaunchConfig_t* c) {
    const cuda_on_cpu::Config config = cuda_on_cpu::config_of(*c);
    if (const cudaError_t error = cuda_on_cpu::check_cluster(config)) return cuda_on_cpu::record(error);
    *clusters = int(cuda_on_cpu::resident_blocks(cuda_on_cpu::volume(config.block), config.shared) /
                    cuda_on_cpu::volume(config.cluster));
    return cudaSuccess;
}
template <class F>
cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, F, const cudaLaunchConfig_t*) {
    *size = cuda_on_cpu::max_cluster_size;
    return cudaSuccess;
}

#pragma GCC visibility pop
