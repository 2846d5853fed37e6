// launch.h: which of an operator's kernels takes a row, with how many threads, and the launch. No torch header in here.
#pragma once
#include <algorithm>
#include <stdexcept>
#include <string>

#include "common/cuda_check.h"
#include "common/grid.h"
#include "common/shared_memory.h"
#include "groups.h"
#include "softmax.h"

// Of a block that has rows in its warps. Few, so that blocks end and start often, and no multiprocessor idles for long.
constexpr int WARP_THREADS = 64;
// Of a block that keeps a row in its registers: up to 128 of them for each thread.
constexpr int KEPT_THREADS = 512;
// Of a block that reads a row twice (softmax_backward: MOST_THREADS), and the packs of each thread that are in flight
// at a time: as many bytes as the L2 cache keeps for all blocks.
template <class T>
constexpr int TWICE_THREADS = sizeof(T) == 4 ? 1024 : 512;
template <class T>
constexpr int TWICE_PACKS = sizeof(T) == 4 ? 8 : 4;
// Rows of up to so many elements are read twice where a block cannot keep them: all that are at work at a time fit into
// the L2 cache.
constexpr int64_t LONGEST_TWICE = 32768;

// Bytes of shared memory of which a multiprocessor has enough for one block, but not for two.
constexpr int ONE_BLOCK = 120 * 1024;

// A kernel, and which rows it takes. Whole packs are rows of packs of 16 bytes that begin at multiples of 16.
template <class... Parameters>
struct Kernel {
    Step step;
    void (*function)(Parameters...);
    bool whole;                // takes whole packs only
    int elements;              // of a row that a thread takes
    int threads;               // of a block that share a row, at most
    int64_t most = INT64_MAX;  // elements of a row: longer ones are for a later kernel
    int bytes = 0;             // of a block's dynamic shared memory

    int64_t longest() const {  // elements of a row, at most
        if (step == Step::online) return INT64_MAX;
        return int64_t(step == Step::cluster ? most_blocks() : 1) * threads * elements;
    }

    int most_blocks() const {  // of a cluster, on this GPU; 0: it has no clusters, or too little shared memory for them
        int device = 0, clusters = 0, most = 0, blocks = 0;
        CHECK_CUDA(cudaGetDevice(&device));
        CHECK_CUDA(cudaDeviceGetAttribute(&clusters, cudaDevAttrClusterLaunch, device));
        CHECK_CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
        if (!clusters || bytes > most) return 0;
        prepare();
        cudaLaunchConfig_t config = {};
        config.gridDim = MOST_BLOCKS, config.blockDim = unsigned(threads), config.dynamicSmemBytes = bytes;
        CHECK_CUDA(cudaOccupancyMaxPotentialClusterSize(&blocks, function, &config));
        while (blocks & (blocks - 1)) blocks &= blocks - 1;  // a power of two
        return std::min(blocks, MOST_BLOCKS);
    }

    // More than 48 KiB of shared memory must be asked for, and clusters of more than 8 blocks.
    void prepare() const {
        allow_shared_memory(function);
        CHECK_CUDA(cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    }
};

// The first of these kernels that takes rows of n elements; only one of this step, unless it is automatic. Throws
// std::runtime_error where there is none. whole: whether all rows are whole packs.
template <class Kernel, size_t count>
const Kernel& choose(const Kernel (&kernels)[count], Step step, int64_t n, bool whole) {
    const auto is_asked_for = [&](const Kernel& kernel) {
        return n <= kernel.most && (step == Step::automatic || step == kernel.step);
    };
    for (const Kernel& kernel : kernels)  // longest() comes last: for a cluster, it asks the driver
        if (is_asked_for(kernel) && (whole || !kernel.whole) && n <= kernel.longest()) return kernel;
    int64_t longest = 0;
    for (const Kernel& kernel : kernels)
        if (is_asked_for(kernel)) longest = std::max(longest, kernel.longest());
    const std::string name = step == Step::warp ? "a warp" : step == Step::block ? "a block" : "a cluster";
    throw std::runtime_error("this step does not take rows of " + std::to_string(n) + " elements: " +
                             (longest == 0  ? "this GPU has no clusters, or too little shared memory for them"
                              : n > longest ? name + " keeps at most " + std::to_string(longest)
                                            : "they are not whole packs of 16 bytes") +
                             "; auto takes any");
}

// The launch of a kernel for `rows` rows of n elements. Each row has a group of its own. Where the kernel is
// persistent, there are no more groups than the GPU runs at a time, and each goes from row to row.
template <class... Parameters>
struct Launch {
    void (*function)(Parameters...);
    cudaLaunchAttribute cluster = {};
    cudaLaunchConfig_t config = {};

    Launch(const Kernel<Parameters...>& kernel, int64_t rows, int64_t n, bool persistent) : function(kernel.function) {
        const int64_t threads = (n + kernel.elements - 1) / kernel.elements;  // that a row needs
        unsigned blocks = 1;                                                  // that share a row
        if (kernel.step == Step::warp) {
            unsigned lanes = 1;
            while (lanes < threads) lanes *= 2;
            config.blockDim = dim3(lanes, WARP_THREADS / lanes);
        } else if (kernel.step == Step::cluster) {
            while (threads > int64_t(blocks) * kernel.threads) blocks *= 2;
            config.blockDim = unsigned(kernel.threads);
        } else {
            config.blockDim = unsigned(std::min<int64_t>(threads, kernel.threads) + 31) / 32 * 32;  // whole warps
        }
        config.dynamicSmemBytes = kernel.bytes;
        cluster.id = cudaLaunchAttributeClusterDimension;
        cluster.val.clusterDim.x = blocks, cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
        config.attrs = &cluster;
        config.numAttrs = kernel.step == Step::cluster ? 1 : 0;  // GPUs without clusters do not know the attribute
        int64_t groups = blocks_for(rows, int(config.blockDim.y));
        if (persistent) groups = std::min(groups, most_groups());
        config.gridDim = blocks_for(groups * blocks, 1);
    }
    Launch(const Launch&) = delete;  // config points to cluster

    // Rows that are at work at a time.
    int64_t rows_at_a_time() const { return int64_t(config.gridDim.x) / cluster.val.clusterDim.x * config.blockDim.y; }

    template <class... Arguments>
    void operator()(cudaStream_t stream, Arguments... arguments) {
        config.stream = stream;
        CHECK_CUDA(cudaLaunchKernelEx(&config, function, Parameters(arguments)...));
    }

private:
    int64_t most_groups() {  // that the GPU runs at a time
        int device = 0, multiprocessors = 0, fit = 0;
        if (config.numAttrs > 0) {
            config.gridDim = cluster.val.clusterDim.x;
            CHECK_CUDA(cudaOccupancyMaxActiveClusters(&fit, function, &config));
        } else {
            const int threads = int(config.blockDim.x * config.blockDim.y);
            CHECK_CUDA(cudaGetDevice(&device));
            CHECK_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
            CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, function, threads, config.dynamicSmemBytes));
            fit *= multiprocessors;
        }
        return std::max(fit, 1);
    }
};
