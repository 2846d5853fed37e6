// Copies that a thread starts and waits for later: cp.async, __pipeline_memcpy_async() and their relatives.
//
// A GPU carries such a copy out at any time before the wait that covers it. Here it happens as late as that allows, so
// a kernel that reads too early reads old data. With CUDA_REVERSE=1 it happens at once, so a kernel that starts a copy
// into memory that others still read changes what they read. The memory check finds both, in any order.
#pragma once

#include <deque>
#include <unordered_map>

#include "cuda_runtime.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

inline bool copies_at_once() {
#ifdef CUDA_ON_CPU_MEMORY_CHECK
    return false;
#else
    return block.reverse;
#endif
}

struct AsyncCopy {
    void* to;
    const void* from;
    int bytes, source_bytes;  // what the source does not have becomes 0
    Location where;
    uint32_t started = 0;  // the memory check's time

    void carry_out() const {
        memcpy(to, from, size_t(source_bytes));
        memset(static_cast<char*>(to) + source_bytes, 0, size_t(bytes - source_bytes));
        CUDA_ON_CPU_RECORD(copy_ends(to, size_t(bytes), started, where.file, where.line));
    }
};

// What one thread has started, the oldest first. Copies have numbers, from 0 on. A group is the copies from one commit
// to the next.
struct AsyncCopies {
    uint64_t launch = 0;
    uint3 block_index = {};
    uint64_t carried_out = 0;           // the number of the first copy that is still to be carried out
    std::deque<AsyncCopy> copies = {};  // from that one on
    std::deque<uint64_t> groups = {};   // committed: the number of the copy after each group's last

    uint64_t end() const { return carried_out + copies.size(); }

    void carry_out(uint64_t end) {
        for (; carried_out < end; carried_out++) {
            copies.front().carry_out();
            copies.pop_front();
        }
    }
};

inline AsyncCopies& my_async_copies() {
    static std::unordered_map<const Thread*, AsyncCopies> all;
    AsyncCopies& mine = all[self];
    const uint3 b = mine.block_index;
    // What an earlier thread never waited for is of no interest: its shared memory is gone.
    if (mine.launch != launch_number || b.x != blockIdx.x || b.y != blockIdx.y || b.z != blockIdx.z)
        mine = {launch_number, blockIdx, mine.end()};
    return mine;
}

inline void copy_async(void* shared, const void* global, int bytes, int source_bytes, Location where) {
    AsyncCopy copy{shared, global, bytes, source_bytes, where};
#ifdef CUDA_ON_CPU_MEMORY_CHECK
    cuda_on_cpu_recorder::touches(global, size_t(source_bytes), false, where.file, where.line);
    copy.started = cuda_on_cpu_recorder::copy_starts(shared, size_t(bytes), where.file, where.line);
#endif
    if (copies_at_once()) return copy.carry_out();
    my_async_copies().copies.push_back(copy);
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
            refuse(p == global
                       ? ": the address in global memory is not aligned to " + std::to_string(bytes) + " bytes"
                       : ": the address in shared memory is not aligned to " + std::to_string(bytes) + " bytes");
    if (source_bytes) CUDA_ON_CPU_RECORD(asks_copy(shared, global, size_t(bytes), where.file, where.line));
    copy_async(shared, global, bytes, source_bytes, where);
}

inline void commit_async() {
    if (copies_at_once()) return;
    AsyncCopies& mine = my_async_copies();
    mine.groups.push_back(mine.end());
}

// Waits for all groups but the latest `groups_left`; copies that are not committed are not waited for.
inline void wait_async(int groups_left) {
    if (copies_at_once()) return;
    AsyncCopies& mine = my_async_copies();
    for (; int(mine.groups.size()) > groups_left; mine.groups.pop_front()) mine.carry_out(mine.groups.front());
}

// Waits for everything that this thread has started.
inline void wait_async_all() {
    commit_async();
    wait_async(0);
}

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
