// The async proxy: TMA and wgmma see shared memory by another way than a thread's loads and stores. What ordinary
// stores have written they are only promised to see after a fence.proxy.async (PTX ISA, "Async proxy").
//
// So each block has a second picture of its shared memory: what the async proxy has written, and what was there at the
// latest fence. Bytes that TMA or wgmma read must be the same in both, or an ordinary store came after the fence. No
// store is watched for this, so every run looks. (A store of the same bytes is not noticed, and a fence counts for the
// stores of all threads that have run before it.)
#pragma once

#include <set>
#include <unordered_map>
#include <vector>

#include "cuda_on_cpu/async_copy.h"
#include "cuda_on_cpu/grid.h"

#pragma GCC visibility push(hidden)

namespace cuda_on_cpu {

// What belongs to one block or thread of one launch, and is forgotten with it.
struct OfBlock {
    uint64_t launch = 0;
    uint3 index = {};
    bool is(uint3 i) const { return launch == launch_number && index.x == i.x && index.y == i.y && index.z == i.z; }
};

struct AsyncPicture {
    OfBlock block = {};
    std::vector<char> bytes = {};         // by their places in a block's copy: resident.h
    std::set<const void*> barriers = {};  // initialised, and not fenced since
};

// f(where the bytes are now, how many, their place)
template <class F>
void each_shared_array(Resident& r, F f) {
    char* copy = &r == grid.running ? nullptr : copy_of(r);
    f(copy ? copy : dynamic_memory, grid.dynamic, size_t(0));
    for (const SharedVariable* v = SharedVariable::first; v; v = v->next)
        f(copy ? copy + static_place + v->place : v->address, v->bytes, static_place + v->place);
}

inline void differ(char* picture, const char* now, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) picture[i] = char(~now[i]);
}

inline AsyncPicture& async_picture(Resident& r = *grid.running) {
    static std::unordered_map<const Resident*, AsyncPicture> all;
    AsyncPicture& picture = all[&r];
    if (!picture.block.is(block_of(r).index)) picture = {{launch_number, block_of(r).index}, {}, {}};
    return picture;
}

// All bytes of the picture. It is made when somebody first asks for one: most kernels have no use for it.
inline std::vector<char>& pictured_bytes(Resident& r = *grid.running) {
    AsyncPicture& picture = async_picture(r);
    const size_t known = picture.bytes.size(), size = static_place + SharedVariable::total;
    if (known >= size) return picture.bytes;
    picture.bytes.resize(size);  // a static array is known from its declaration on; nothing of it has been fenced
    each_shared_array(r, [&](const char* now, size_t bytes, size_t place) {
        if (place >= known) differ(&picture.bytes[place], now, bytes);
    });
    return picture.bytes;
}

// fence.proxy.async of a thread of the block that runs
inline void fence_async_proxy() {
    async_picture().barriers.clear();
    std::vector<char>& picture = pictured_bytes();
    each_shared_array(*grid.running,
                      [&](const char* now, size_t bytes, size_t place) { memcpy(&picture[place], now, bytes); });
    __threadfence();
}

// NVIDIA's guide has a fence between a barrier's init and the first copy that counts there, and an H200 seems to do
// without. CUDA_ON_CPU_BARRIER_FENCE=0 lets such kernels run.
inline bool wants_barrier_fence() {
    static const char* const wants = getenv("CUDA_ON_CPU_BARRIER_FENCE");
    return !wants || strcmp(wants, "0") != 0;
}
inline void fence_barrier_init() {
    async_picture().barriers.clear();
    __threadfence();
}
inline void cluster_arrive_with_release(Location where) {  // a release to the cluster also covers a barrier's init
    fence_barrier_init();
    cluster_arrive(where);
}

// The array in shared memory of the block that runs, which must have all these bytes.
inline SharedArray async_array(const char* p, size_t bytes, const char* function, Location where) {
    const SharedArray array = shared_array_at(p);
    if (!array.address) fail(std::string(function) + " at " + text(where) + ": the address is not in shared memory");
    if (p + bytes > array.address + array.bytes)
        fail(format("%s at %s: %zu bytes from offset %zu on leave an array of %zu bytes in shared memory", function,
                    text(where).c_str(), bytes, size_t(p - array.address), array.bytes));
    return array;
}

// Where the picture has what the pointer points to.
inline char* pictured(const char* p) {
    const InShared at = in_shared(p);
    const SharedArray array = shared_array_at(at.pointer);
    return &pictured_bytes(*at.owner)[array.place + size_t(at.pointer - array.address)];
}
// The async proxy has written these bytes, or it is to write them: nobody may read them meanwhile.
inline void async_proxy_wrote(const char* p, size_t bytes) { memcpy(pictured(p), p, bytes); }
inline void async_proxy_writes(const char* p, size_t bytes) { differ(pictured(p), p, bytes); }

inline void check_async_read(const SharedArray& array, const char* p, size_t bytes, const char* function,
                             Location where) {
    const size_t offset = size_t(p - array.address);
    if (memcmp(&pictured_bytes()[array.place + offset], p, bytes) != 0)
        fail(
            format("%s at %s reads shared memory, offset %zu of its array: ordinary stores have written it with no "
                   "fence.proxy.async since, or a copy into it is not over, or nobody has written it",
                   function, text(where).c_str(), offset));
    CUDA_ON_CPU_RECORD(touches(p, bytes, false, where.file, where.line));
}

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
