// The arrays that kernels may use, and the shadow of each: for every word of memory its last write and its last reads.
#pragma once

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <map>
#include <new>
#include <string>
#include <vector>

#include "sites.h"

namespace cuda_on_cpu_recorder {

enum class Kind : uint32_t { plain, is_volatile, atomic, runtime };

// One access: who and when by the number of a segment (order.h), where by the number of a site. 0: none.
struct Stamp {
    uint32_t segment;
    uint32_t site : 29;
    Kind kind : 3;
    explicit operator bool() const { return segment != 0; }
};

// `read` is the latest read since the write, `other_read` the latest by another thread, of another warp if possible.
struct Cell {
    Stamp write, read, other_read;
};

// Cells of four bytes each, until a thread uses a part of four: then one a byte. The system gives memory only to pages
// of it that are touched.
class Shadow {
public:
    Shadow(uintptr_t begin, size_t bytes) : begin_(begin & ~uintptr_t(3)), bytes_(bytes + (begin - begin_) + 4) {
        cells_ = map(bytes_ >> shift_);
    }
    Shadow(const Shadow&) = delete;
    ~Shadow() { munmap(cells_, (bytes_ >> shift_) * sizeof(Cell)); }

    template <class F>
    void for_each(uintptr_t address, size_t bytes, F f) {
        if (shift_ && ((address | bytes) & 3)) split();
        const size_t first = (address - begin_) >> shift_, last = (address + bytes - 1 - begin_) >> shift_;
        for (size_t i = first; i <= last; i++) f(cells_[i], begin_ + (i << shift_));
    }

private:
    static Cell* map(size_t cells) {
        void* memory = mmap(nullptr, cells * sizeof(Cell), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        return static_cast<Cell*>(memory);
    }
    void split() {
        Cell* old = cells_;
        cells_ = map(bytes_);
        for (size_t i = 0; i < bytes_ >> shift_; i++)
            if (old[i].write || old[i].read)
                for (size_t k = 0; k < 4; k++) cells_[(i << 2) + k] = old[i];
        munmap(old, (bytes_ >> shift_) * sizeof(Cell));
        shift_ = 0;
    }

    uintptr_t begin_;
    size_t bytes_;
    unsigned shift_ = 2;
    Cell* cells_;
};

struct Room;  // order.h

enum class Place {
    device,    // cudaMalloc()
    pinned,    // cudaMallocHost(), cudaHostRegister()
    managed,   // cudaMallocManaged()
    tensor,    // of torch, in check()
    shared,    // __shared__, and extern __shared__
    variable,  // all variables of a program or library, __device__ ones among them
    unknown,   // memory of another owner, of which nothing is known
    ignored,   // threadIdx and the like
};

struct Array {
    uintptr_t begin, end;
    Place place;
    Calls allocated_at = {};
    bool is_freed = false;
    void* memory = nullptr;             // what malloc() gave, with margins
    size_t margin = 0;                  // bytes before and behind that belong to nobody
    std::vector<bool> written = {};     // by the host, a bit a byte; only for device memory
    std::vector<Shadow*> shadows = {};  // one; of shared memory one a room
    unsigned number = 0;                // of its kind
    Array* original = nullptr;          // of the copy that a block of a cluster left
    Room* room = nullptr;               // that one's

    bool contains(uintptr_t a) const { return a >= begin && a < end; }
    Shadow& shadow(size_t room) {
        if (shadows.size() <= room) shadows.resize(room + 1);
        if (!shadows[room]) shadows[room] = new Shadow(begin, end - begin);
        return *shadows[room];
    }
};

class Arrays {
public:
    Array* find(uintptr_t a) {
        Array*& recent = recent_[(a >> 6) % size];
        if (recent && recent->contains(a)) return recent;
        auto next = all_.upper_bound(a);
        if (next != all_.begin() && std::prev(next)->second->contains(a)) return recent = std::prev(next)->second;
        return nullptr;
    }
    // Whether there may be any array, or one that the host cannot use, at an address: a quick look at its page.
    bool may_be_any(uintptr_t a) const { return pages_[page(a)]; }
    bool may_be_device(uintptr_t a) const { return pages_[page(a)] == 2; }

    // The array whose margin has this address.
    Array* beside(uintptr_t a) {
        const auto next = all_.upper_bound(a);
        if (next != all_.begin() && a - std::prev(next)->second->end < std::prev(next)->second->margin)
            return std::prev(next)->second;
        return next != all_.end() && next->first - a <= next->second->margin ? next->second : nullptr;
    }
    Array& add(uintptr_t begin, size_t bytes, Place place) {
        remove(begin);
        Array* array = new Array{begin, begin + bytes, place};
        array->number = ++counts_[place];
        if (place == Place::device) array->written.resize(bytes);
        all_[begin] = array;
        for (uintptr_t p = begin >> 12; p <= (begin + bytes) >> 12; p++)
            if (char& known = pages_[p % pages]; known < 2) known = place == Place::device ? 2 : 1;
        forget_recent();
        return *array;
    }
    void remove(uintptr_t begin) {
        const auto found = all_.find(begin);
        if (found == all_.end()) return;
        for (Shadow* shadow : found->second->shadows) delete shadow;
        delete found->second;
        all_.erase(found);
        forget_recent();
    }
    void forget_recent() { memset(static_cast<void*>(recent_), 0, sizeof recent_); }

private:
    static constexpr size_t size = 1 << 12, pages = 1 << 20;
    static size_t page(uintptr_t a) { return (a >> 12) % pages; }

    char pages_[pages] = {};  // by the last bits of the page's number: 0, or 1, or 2 with memory that is not the host's
    Array* recent_[size] = {};
    std::map<uintptr_t, Array*> all_;
    std::map<Place, unsigned> counts_;
};

}  // namespace cuda_on_cpu_recorder
