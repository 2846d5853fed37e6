// Copies that the threads of a group start together: each thread copies a part of its own.
#pragma once

#include "cuda_on_cpu/async_copy.h"
#include "cuda_on_cpu/waiting.h"

#pragma GCC visibility push(hidden)

namespace cuda {

// A size in bytes that is, and whose addresses are, a multiple of `alignment`.
template <size_t alignment>
struct aligned_size_t {
    static constexpr size_t align = alignment;
    size_t value;
    explicit constexpr aligned_size_t(size_t size) : value(size) {}
    constexpr operator size_t() const { return value; }
};

enum async_contract_fulfillment { none, async };

}  // namespace cuda

namespace cuda_on_cpu {

struct OneThread {  // the group of memcpy_async() without a group
    void sync() const {}
    unsigned size() const { return 1; }
    unsigned thread_rank() const { return 0; }
};

// What the type of the size promises.
template <class Size>
constexpr size_t alignment_of = 1;
template <size_t alignment>
constexpr size_t alignment_of<cuda::aligned_size_t<alignment>> = alignment;

// What the type of the elements promises.
template <class T>
constexpr size_t alignment_of_pointer = alignof(T);
template <>
inline constexpr size_t alignment_of_pointer<void> = 1;

// Addresses and sizes that break the promise are refused: a GPU would copy other bytes, or none.
inline void copy_async_by_group(const char* function, unsigned rank, unsigned threads, void* to, const void* from,
                                size_t bytes, size_t alignment, Location where) {
    for (const void* p : {static_cast<const void*>(to), from})
        if (reinterpret_cast<uintptr_t>(p) % alignment != 0)
            refuse(function, where,
                   std::string(p == from ? "the source" : "the destination") + " is not aligned to " +
                       std::to_string(alignment) + " bytes");
    if (bytes % alignment != 0)
        refuse(function, where,
               "the size is " + std::to_string(bytes) + " bytes, no multiple of the alignment " +
                   std::to_string(alignment));
    const size_t parts = bytes / alignment, each = (parts + threads - 1) / threads * alignment;
    const size_t begin = std::min(rank * each, bytes), size = std::min(each, bytes - begin);
    if (size == 0) return;
    copy_async(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin, int(size), int(size), where);
}

template <class Group, class T, class Size>
void copy_async_by_group(const char* function, const Group& group, T* to, const T* from, const Size& bytes,
                         Location where) {
    static_assert(std::is_void_v<T> || std::is_trivially_copyable_v<T>, "memcpy_async copies bytes: T must allow that");
    copy_async_by_group(function, unsigned(group.thread_rank()), unsigned(group.size()), to, from, size_t(bytes),
                        std::max(alignment_of<Size>, alignment_of_pointer<T>), where);
}

}  // namespace cuda_on_cpu

namespace cuda {

// The copy starts now, and `object` (a barrier or a pipeline) tells when it is done.
template <class Group, class T, class Size, class Object, class = typename Object::covers_copies>
async_contract_fulfillment memcpy_async(const Group& group, T* to, const T* from, Size bytes, Object& object,
                                        cuda_on_cpu::Location where = {}) {
    cuda_on_cpu::copy_async_by_group("cuda::memcpy_async()", group, to, from, bytes, where);
    object.cover_copies(where);
    return async;
}
template <class Group, class Size, class Object, class = typename Object::covers_copies>
async_contract_fulfillment memcpy_async(const Group& group, void* to, const void* from, Size bytes, Object& object,
                                        cuda_on_cpu::Location where = {}) {
    return memcpy_async<Group, void>(group, to, from, bytes, object, where);
}
template <class T, class Size, class Object, class = typename Object::covers_copies>
async_contract_fulfillment memcpy_async(T* to, const T* from, Size bytes, Object& object,
                                        cuda_on_cpu::Location where = {}) {
    return memcpy_async(cuda_on_cpu::OneThread(), to, from, bytes, object, where);
}
template <class Size, class Object, class = typename Object::covers_copies>
async_contract_fulfillment memcpy_async(void* to, const void* from, Size bytes, Object& object,
                                        cuda_on_cpu::Location where = {}) {
    return memcpy_async<cuda_on_cpu::OneThread, void>({}, to, from, bytes, object, where);
}

}  // namespace cuda

#pragma GCC visibility pop
