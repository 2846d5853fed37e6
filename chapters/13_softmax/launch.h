// launch.h: which of an operator's kernels takes a row, with how many threads, and the launch. No torch header in here.
#pragma once
#include <algorithm>
#include <stdexcept>
#include <string>

#include "common/check.h"
#include "common/grid.h"
#include "common/pack.h"
#include "groups.h"
#include "softmax.h"

// Of a block that has rows in its warps. Few, so that blocks end and start often, and no multiprocessor idles for long.
constexpr int WARP_THREADS = 128;
// Of a block that shares a row, where there is a choice: several blocks fit on a multiprocessor, and while one waits at
// a barrier, the others load and store.
constexpr int GOOD_THREADS = 512;

// A kernel, and which rows it takes.
template <class... Parameters>
struct Kernel {
    Step step;
    void (*code)(Parameters...);
    bool whole;        // takes whole packs only: rows of whole packs of 16 bytes, which begin at multiples of 16
    int elements;      // of a row that a thread keeps
    int threads;       // of a block that share a row, at most
    size_t bytes = 0;  // of shared memory for each thread, where rows are prefetched

    int64_t longest() const {  // elements of a row, at most
        if (step == Step::online) return INT64_MAX;
        return int64_t(step == Step::cluster ? MOST_BLOCKS : 1) * threads * elements;
    }
};

// The first of these kernels that takes rows of n elements, and is that of `step`. Throws std::runtime_error where none
// does. whole: all rows are whole packs.
template <class Kernel, size_t count>
const Kernel& choose(const Kernel (&kernels)[count], Step step, int64_t n, bool whole) {
    int device = 0, clusters = 0;
    CHECK_CUDA(cudaGetDevice(&device));
    CHECK_CUDA(cudaDeviceGetAttribute(&clusters, cudaDevAttrClusterLaunch, device));
    int64_t longest = 0;
    for (const Kernel& kernel : kernels) {
        if (step != Step::automatic && step != kernel.step) continue;
        longest = std::max(longest, kernel.longest());
        if (n <= kernel.longest() && (whole || !kernel.whole) && (clusters || kernel.step != Step::cluster))
            return kernel;
    }
    const std::string name = step == Step::warp ? "a warp" : step == Step::block ? "a block" : "a cluster";
    throw std::runtime_error("this step does not take rows of " + std::to_string(n) + " elements: " +
                             (n > longest ? name + " keeps at most " + std::to_string(longest)
                              : !whole    ? "they are not whole packs of 16 bytes"
                                          : "this GPU has no clusters") +
                             "; auto takes any");
}

// The launch of a kernel for `rows` rows of n elements: a group for each row, or, if it is persistent, no more groups
// than the GPU runs at a time, each of which goes from row to row.
template <class... Parameters>
struct Launch {
    void (*code)(Parameters...);
    cudaLaunchAttribute cluster = {};
    cudaLaunchConfig_t config = {};

    Launch(const Kernel<Parameters...>& kernel, int64_t rows, int64_t n, bool persistent) : code(kernel.code) {
        const int64_t threads = (n + kernel.elements - 1) / kernel.elements;  // that a row needs
        unsigned lanes = 1, blocks = 1;
        if (kernel.step == Step::warp) {
            while (lanes < threads) lanes *= 2;
            config.blockDim = dim3(lanes, WARP_THREADS / lanes);
        } else {
            if (kernel.step == Step::cluster) do
                    blocks *= 2;
                while (blocks < MOST_BLOCKS && threads > int64_t(blocks) * GOOD_THREADS);
            const auto of_block = unsigned(std::min<int64_t>((threads + blocks - 1) / blocks, kernel.threads));
            config.blockDim = (of_block + 31) / 32 * 32;
        }
        config.dynamicSmemBytes = config.blockDim.x * config.blockDim.y * kernel.bytes;
        config.gridDim = blocks;
        cluster.id = cudaLaunchAttributeClusterDimension;  // that so many neighbouring blocks are a cluster
        cluster.val.clusterDim.x = blocks, cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
        config.attrs = &cluster;
        config.numAttrs = kernel.step == Step::cluster ? 1 : 0;
        int64_t groups = blocks_for(rows, int(config.blockDim.y));
        if (persistent) groups = std::min<int64_t>(groups, fit());
        config.gridDim = blocks_for(groups * blocks, 1);
    }
    Launch(const Launch&) = delete;  // config points to cluster

    // Groups that the GPU runs at a time.
    int fit() const {
        int device = 0, multiprocessors = 0, fit = 0;
        // More than 48 KiB of shared memory must be asked for.
        CHECK_CUDA(
            cudaFuncSetAttribute(code, cudaFuncAttributeMaxDynamicSharedMemorySize, int(config.dynamicSmemBytes)));
        if (config.numAttrs > 0) {
            CHECK_CUDA(cudaOccupancyMaxActiveClusters(&fit, code, &config));
        } else {
            CHECK_CUDA(cudaGetDevice(&device));
            CHECK_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
            const int threads = int(config.blockDim.x * config.blockDim.y);
            CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, code, threads, config.dynamicSmemBytes));
            fit *= multiprocessors;
        }
        return std::max(fit, 1);
    }

    // Rows that are at work at a time.
    int64_t rows() const { return int64_t(config.gridDim.x) / cluster.val.clusterDim.x * config.blockDim.y; }

    template <class... Arguments>
    void operator()(cudaStream_t stream, Arguments... arguments) {
        config.stream = stream;
        CHECK_CUDA(cudaLaunchKernelEx(&config, code, Parameters(arguments)...));
    }
};
