// What is seen of a launcher by a program that checks it (common/launchers.py): its stream, and what it launches; of a
// binding also whether a DeviceGuard is there. The program says before the call what is to be watched. Null, as ever
// else: nothing is.
#pragma once

#include "cuda_on_cpu/error.h"
#include "cuda_on_cpu/vector_types.h"

struct CUstream_st {
    unsigned flags;
    int priority;
};
using cudaStream_t = CUstream_st*;

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

struct Watch {
    CUstream_st stream;     // where a launcher gets it, it has to use this one for all its work
    unsigned has_stream;    // 0: it gets none
    unsigned refused;       // the number of the launch that is to fail, as on a GPU that has no code for it; 0: none
    unsigned launches;      // so far
    uint64_t most_threads;  // of one launch
    unsigned guards;        // of torch, that are there now
    unsigned unguarded;     // launches without one
    uint64_t
        only_last;  // not 0: a launch of at least so many threads runs its last blocks alone, a smaller one nothing

    void uses(cudaStream_t used, const std::string& what) const {
        if (!has_stream || used == &stream) return;
        throw std::runtime_error("CUDA on CPU: " + what + " is on " + (used ? "another stream" : "the default stream") +
                                 ", and not on the stream that the launcher got");
    }
    cudaError_t sees_launch(const char* kernel, dim3 grid, dim3 block, cudaStream_t used) {
        uses(used, std::string("the launch of ") + kernel);
        const uint64_t blocks = uint64_t(grid.x) * grid.y * grid.z;
        most_threads = std::max(most_threads, blocks * block.x * block.y * block.z);
        unguarded += guards == 0;
        return ++launches == refused ? cudaErrorNoKernelImageForDevice : cudaSuccess;
    }
    uint64_t first_block(uint64_t blocks, uint64_t threads) const {
        if (!only_last) return 0;
        return blocks * threads < only_last ? blocks : blocks - std::min(blocks, uint64_t(8));
    }
};
inline Watch* watch = nullptr;

// torch's current stream: the default one, or the one on which a binding that is watched has to work.
inline cudaStream_t current_stream() { return watch ? &watch->stream : nullptr; }

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
