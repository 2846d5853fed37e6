// What is seen of a launcher by a program that checks it (grader/launchers.py): its stream, and what it launches; of a
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

struct LaunchProbe {
    CUstream_st stream;     // where a launcher gets it, it has to use this one for all its work
    unsigned has_stream;    // 0: it gets none
    unsigned refused;       // the number of the launch that is to fail, as on a GPU that has no code for it; 0: none
    unsigned launches;      // so far
    uint64_t most_threads;  // of one launch
    unsigned guards;        // of torch, that are there now
    unsigned unguarded;     // launches without one
    uint64_t
        only_last;  // not 0: a launch of at least so many threads runs its last blocks alone, a smaller one nothing
    int guarded_device, stream_device;  // of which torch's guard was made, and its current stream asked for
    dim3 grid, block;                   // of the last launch
    unsigned blocks;                    // along x, that the next launches have, whatever <<<>>> says; 0: as it says
    unsigned doubled;                   // mma.sync and wgmma count each product twice, so that one sees their share
    unsigned only_first;                // with only_last: the first blocks instead

    cudaError_t sees_launch(dim3 grid, dim3 block) {
        this->grid = grid, this->block = block;
        const uint64_t blocks = uint64_t(grid.x) * grid.y * grid.z;
        most_threads = std::max(most_threads, blocks * block.x * block.y * block.z);
        unguarded += guards == 0;
        return ++launches == refused ? cudaErrorNoKernelImageForDevice : cudaSuccess;
    }
    uint64_t first_block(uint64_t blocks, uint64_t threads) const {
        if (!only_last) return 0;
        return blocks * threads < only_last ? blocks : only_first ? 0 : blocks - std::min(blocks, uint64_t(8));
    }
    uint64_t end_block(uint64_t blocks) const { return only_first ? std::min(blocks, uint64_t(8)) : blocks; }
};
inline LaunchProbe* watch = nullptr;
inline int product_counts() { return watch && watch->doubled ? 2 : 1; }

// With CUDA_ON_CPU_SIDE_STREAM=1, torch's current stream is another one than the default stream. Then a launch on the
// default stream throws: on a GPU neither waits for the other, so the kernel might read its inputs too early. check()
// has operators run so (common/checking.py, common/checking.h).
inline bool on_side_stream() {
    const char* is = getenv("CUDA_ON_CPU_SIDE_STREAM");
    return is && strcmp(is, "1") == 0;
}
inline CUstream_st side_stream;

// torch's current stream: the default one, a side stream, or the one on which a binding that is watched has to work.
inline cudaStream_t current_stream() { return watch ? &watch->stream : on_side_stream() ? &side_stream : nullptr; }

// Throws where a call, such as the launch of a kernel, uses another stream than it should.
inline void needs_stream(cudaStream_t used, const char* what, const char* name = "") {
    const char* wanted = nullptr;
    if (watch && watch->has_stream && used != &watch->stream) wanted = "the stream that the launcher got";
    if (!watch && !used && on_side_stream())
        wanted = "the current one: a GPU might start it before its inputs are ready";
    if (wanted)
        throw std::runtime_error(std::string("CUDA on CPU: ") + what + name + " is on " +
                                 (used ? "another stream" : "the default stream") + ", and not on " + wanted);
}

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
