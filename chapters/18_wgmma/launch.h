// launch.h: how wgmma.cu and divided.cu launch a kernel. Host code.
#pragma once
#include <cuda.h>

#include "common/shared_memory.h"
#include "work.h"

// Launches `teams` clusters of `cluster` blocks each. after_copies: the kernel may start before the kernel that copies
// rows has ended; see wait_for_kernels_before().
struct Launch {
    int teams, cluster;
    bool after_copies;
    cudaStream_t stream;

    template <class... Parameters>
    void operator()(void (*kernel)(Parameters...), int threads, int bytes, const Parameters&... parameters) const {
        allow_shared_memory(kernel);
        cudaLaunchAttribute attributes[2] = {};
        cudaLaunchConfig_t config = {unsigned(teams * cluster), unsigned(threads), size_t(bytes)};
        config.attrs = attributes, config.stream = stream;
        if (cluster > 1) {  // a cluster of 1 would cost 8 to 25 % of the time, with small tiles on an H100
            attributes[0].id = cudaLaunchAttributeClusterDimension;
            attributes[0].val.clusterDim = {unsigned(cluster), 1, 1};
            config.numAttrs = 1;
        }
        if (after_copies) {
            attributes[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
            attributes[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
        }
        CHECK_CUDA(cudaLaunchKernelEx(&config, kernel, parameters...));
    }
};
