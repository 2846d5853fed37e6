// Copies that a thread starts and waits for later: cp.async, __pipeline_memcpy_async() and their relatives.
//
// A GPU carries such a copy out at any time before the wait that covers it. Here it happens as late as that allows, so
// a kernel that reads too early reads old data. With CUDA_REVERSE=1 it happens at once, so a kernel that starts a copy
// into memory that others still read changes what they read.
#pragma once

#include <unordered_map>
#include <vector>

#include "cuda_on_cpu/block.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

struct AsyncCopy {
    void* to;
    const void* from;
    int bytes, source_bytes;  // what the source does not have becomes 0

    void carry_out() const {
        memcpy(to, from, size_t(source_bytes));
        memset(static_cast<char*>(to) + source_bytes, 0, size_t(bytes - source_bytes));
    }
};

// What one thread has started. A group is the copies from one commit to the next.
struct AsyncCopies {
    uint64_t launch = 0;
    uint3 block_index = {};
    std::vector<std::vector<AsyncCopy>> groups = {};  // committed, the oldest first
    std::vector<AsyncCopy> open = {};                 // not committed yet
};

inline AsyncCopies& my_async_copies() {
    static std::unordered_map<const Thread*, AsyncCopies> all;
    AsyncCopies& mine = all[self];
    const uint3 b = mine.block_index;
    // What an earlier thread never waited for is of no interest: its shared memory is gone.
    if (mine.launch != launch_number || b.x != blockIdx.x || b.y != blockIdx.y || b.z != blockIdx.z)
        mine = {launch_number, blockIdx};
    return mine;
}

inline void copy_async(void* shared, const void* global, int bytes, int source_bytes) {
    const AsyncCopy copy{shared, global, bytes, source_bytes};
    if (block.reverse) return copy.carry_out();
    my_async_copies().open.push_back(copy);
}

// The same, for functions that take 4, 8 or 16 bytes only, aligned to their size.
inline void copy_async_checked(const char* function, void* shared, const void* global, int bytes, int source_bytes,
                               Location where) {
    const auto refuse = [&](const std::string& why) { fail(std::string(function) + " at " + text(where) + why); };
    if (bytes != 4 && bytes != 8 && bytes != 16)
        refuse(" copies " + std::to_string(bytes) + " bytes: it can copy 4, 8 or 16");
    if (source_bytes < 0 || source_bytes > bytes)
        refuse(" reads " + std::to_string(source_bytes) + " bytes to write " + std::to_string(bytes));
    for (const void* p : {static_cast<const void*>(shared), global})
        if (reinterpret_cast<uintptr_t>(p) % unsigned(bytes) != 0)
            refuse(p == global ? ": the address in global memory is not aligned to " + std::to_string(bytes) + " bytes"
                               : ": the address in shared memory is not aligned to " + std::to_string(bytes) + " bytes");
    copy_async(shared, global, bytes, source_bytes);
}

inline void commit_async() {
    if (block.reverse) return;
    AsyncCopies& mine = my_async_copies();
    mine.groups.push_back(std::move(mine.open));
    mine.open.clear();
}

// Waits for all groups but the latest `groups_left`; copies that are not committed are not waited for.
inline void wait_async(int groups_left) {
    if (block.reverse) return;
    auto& groups = my_async_copies().groups;
    while (int(groups.size()) > groups_left) {
        for (const AsyncCopy& copy : groups.front()) copy.carry_out();
        groups.erase(groups.begin());
    }
}

// Waits for everything that this thread has started.
inline void wait_async_all() {
    commit_async();
    wait_async(0);
}

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
