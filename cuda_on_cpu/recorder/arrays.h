// The arrays that kernels may use, and the shadow of each: for every word of memory its last write and its last reads.
#pragma once

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <algorithm>
#include <map>
#include <new>
#include <string>
#include <vector>

#include "sites.h"

namespace cuda_on_cpu_recorder {

enum class Kind : uint32_t { plain, is_volatile, atomic, runtime, copy };  // copy: not complete yet

// One access: who and when by the number of a segment (order.h), where by the number of a site. 0: none.
class Stamp {
public:
    Stamp() = default;
    Stamp(uint32_t segment, uint32_t site, Kind kind) : bits_(uint64_t(site) << 35 | uint64_t(kind) << 32 | segment) {}
    uint32_t segment() const { return uint32_t(bits_); }
    uint32_t site() const { return uint32_t(bits_ >> 35); }
    Kind kind() const { return Kind(bits_ >> 32 & 7); }
    explicit operator bool() const { return bits_ != 0; }
    // The same thread and kind, with nothing of another thread between.
    bool is_with(Stamp o) const { return uint64_t((bits_ ^ o.bits_) << 29) == 0; }

private:
    uint64_t bits_ = 0;
};

// A stamp for each word of an array; none, and no memory, until one is set. The system gives memory only to the pages
// that are touched, and large pages where it can: they take a tenth of the time.
class Stamps {
public:
    Stamps() = default;
    Stamps(const Stamps&) = delete;
    ~Stamps() {
        if (stamps_) munmap(memory_, bytes_);
    }
    Stamp operator[](size_t word) const { return stamps_ ? stamps_[word] : Stamp{}; }
    void set(size_t word, Stamp stamp, size_t words) {
        if (!stamps_) allocate(words);
        stamps_[word] = stamp;
    }
    void clear(size_t word) {
        if (stamps_) stamps_[word] = {};
    }
    void swap(Stamps& o) { std::swap(stamps_, o.stamps_), std::swap(memory_, o.memory_), std::swap(bytes_, o.bytes_); }

private:
    [[gnu::noinline]] void allocate(size_t words) {
        constexpr size_t huge_page = 2 << 20;
        bytes_ = words * sizeof(Stamp) + huge_page;
        memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory_ == MAP_FAILED) throw std::bad_alloc();
        const uintptr_t first = (uintptr_t(memory_) + huge_page - 1) & -huge_page;
        stamps_ = reinterpret_cast<Stamp*>(first);
        // Not of the 1 MB around an unknown address, such as one of many(), of which a few words are used.
        if (words * sizeof(Stamp) >= 2 * huge_page) madvise(stamps_, words * sizeof(Stamp), MADV_HUGEPAGE);
    }

    Stamp* stamps_ = nullptr;
    void* memory_ = nullptr;
    size_t bytes_ = 0;
};

// What happened to each word of four bytes; as soon as a thread uses a part of four, to each byte.
class Shadow {
public:
    Shadow(uintptr_t begin, size_t bytes) : begin_(begin & ~uintptr_t(3)), bytes_(bytes + (begin - begin_) + 4) {}

    // f(number of the word, its address)
    template <class F>
    [[gnu::always_inline]] void for_each(uintptr_t address, size_t bytes, F f) {
        const bool parts = (address | bytes) & 3;
        if (shift_ && !parts) return for_words(address, bytes, 2, f);
        if (shift_) split();
        for_words(address, bytes, 0, f);
    }

    Stamp written(size_t word) const { return writes_[word]; }
    // The latest read since then; and the first by another thread that no barrier or the like orders before it.
    Stamp read(size_t word) const { return reads_[word]; }
    Stamp first_read(size_t word) const { return first_reads_[word]; }

    void write(size_t word, Stamp now) {
        writes_.set(word, now, words());
        reads_.clear(word), first_reads_.clear(word);
    }
    void read(size_t word, Stamp now) { reads_.set(word, now, words()); }
    void first_read(size_t word, Stamp before) { first_reads_.set(word, before, words()); }

private:
    template <class F>
    [[gnu::always_inline]] void for_words(uintptr_t address, size_t bytes, int shift, F f) {
        const size_t first = (address - begin_) >> shift;
        for (size_t i = 0; i < bytes >> shift; i++) f(first + i, address + (i << shift));
    }
    size_t words() const { return bytes_ >> shift_; }
    [[gnu::noinline]] void split() {
        const size_t all = words();
        shift_ = 0;
        for (Stamps* stamps : {&writes_, &reads_, &first_reads_}) {
            Stamps of_bytes;
            for (size_t i = 0; i < all; i++)
                for (size_t k = 0; (*stamps)[i] && k < 4; k++) of_bytes.set(4 * i + k, (*stamps)[i], words());
            stamps->swap(of_bytes);
        }
    }

    uintptr_t begin_;
    size_t bytes_;
    unsigned shift_ = 2;
    Stamps writes_, reads_, first_reads_;
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
};

struct Array {
    uintptr_t begin, end;
    Place place;
    bool is_freed = false;
    std::vector<Shadow*> shadows = {};  // one; of shared memory one a room
    Calls allocated_at = {};
    void* memory = nullptr;          // what malloc() gave, with margins
    size_t margin = 0;               // bytes before and after that belong to nobody
    bool all_written = true;         // before the launch
    std::vector<bool> written = {};  // else: by the host, a bit a byte
    unsigned number = 0;             // of its kind
    Array* original = nullptr;       // of the copy that a block of a cluster left
    Room* room = nullptr;            // that one's
    size_t element = 0;              // of shared memory: bytes of an element
    std::vector<size_t> extents = {};

    bool contains(uintptr_t a) const { return a >= begin && a < end; }
    Shadow& shadow(size_t room) { return room < shadows.size() && shadows[room] ? *shadows[room] : new_shadow(room); }
    [[gnu::noinline]] Shadow& new_shadow(size_t room) {
        if (shadows.size() <= room) shadows.resize(room + 1);
        return *(shadows[room] = new Shadow(begin, end - begin));
    }
};

// What a program that calls a launcher says of an argument (grader/launchers.py), so that messages can say which array,
// and which element.
struct Parameter {
    std::string name;
    uintptr_t begin, end;
    size_t element;  // bytes
    size_t columns;  // of a matrix, else 0

    size_t count() const { return (end - begin) / element; }
    // "out[5]"; of a matrix "out[25] (row 2, column 5)"
    std::string at(uintptr_t a) const {
        const long i = long(a - begin) / long(element) - (a < begin && (begin - a) % element != 0);
        std::string text = name + "[" + std::to_string(i) + "]";
        if (columns && a >= begin && a < end)
            text += " (row " + std::to_string(i / columns) + ", column " + std::to_string(i % columns) + ")";
        return text;
    }
    // "4 elements"; of a matrix "3 rows, 4 columns"
    std::string size() const {
        const auto text = [](size_t n, const char* what) {
            return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
        };
        if (!columns) return text(count(), "element");
        return text(count() / columns, "row") + ", " + text(columns, "column");
    }
};

class Arrays {
public:
    std::vector<Parameter> parameters;  // while a launcher runs

    bool in_launcher() const { return !parameters.empty(); }
    bool is_parameter(uintptr_t a) const {
        return std::any_of(parameters.begin(), parameters.end(),
                           [&](const Parameter& p) { return a >= p.begin && a < p.end; });
    }
    // The parameter that has this address, or else the nearest one in that array.
    const Parameter* parameter(uintptr_t a, const Array& array) const {
        const Parameter* found = nullptr;
        for (const Parameter& p : parameters) {
            if (a >= p.begin && a < p.end) return &p;
            if (array.place == Place::tensor && array.begin <= p.begin && p.end <= array.end) found = &p;
        }
        return found;
    }
    // The parameter that ends or begins nearest to this address, which lies in no array; null if none is near.
    const Parameter* parameter_beside(uintptr_t a) const {
        const auto distance = [&](const Parameter& p) { return a < p.begin ? p.begin - a : a - p.end; };
        const auto nearer = [&](const Parameter& p, const Parameter& q) { return distance(p) < distance(q); };
        const auto found = std::min_element(parameters.begin(), parameters.end(), nearer);
        return found == parameters.end() || distance(*found) >= 4096 ? nullptr : &*found;
    }
    Array* find(uintptr_t a) {
        auto next = all_.upper_bound(a);
        if (next != all_.begin() && std::prev(next)->second->contains(a)) return std::prev(next)->second;
        return nullptr;
    }
    // The last array that ends at or before this address, which lies in no array; null if none does.
    Array* before(uintptr_t a) const {
        const auto next = all_.upper_bound(a);
        return next == all_.begin() ? nullptr : std::prev(next)->second;
    }
    // Whether there may be any array, or one that the host cannot use, at an address: a quick look at its page.
    bool may_be_any(uintptr_t a) const { return pages_[page(a)]; }
    bool may_be_device(uintptr_t a) const { return pages_[page(a)] == 2; }

    // The part of an array around an address that no other array has, with its margins: in memory of which nothing is
    // known there may be others.
    std::pair<uintptr_t, uintptr_t> alone(const Array& array, uintptr_t a) const {
        uintptr_t begin = array.begin, end = array.end;
        const auto next = all_.upper_bound(a);
        if (next != all_.end()) end = std::min(end, next->first - next->second->margin);
        if (next != all_.begin() && std::prev(next)->second != &array)
            begin = std::max(begin, std::prev(next)->second->end + std::prev(next)->second->margin);
        return {begin, end};
    }

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
        array->all_written = place != Place::device;
        if (!array->all_written) array->written.resize(bytes);
        all_[begin] = array;
        for (uintptr_t p = begin >> 12; p <= (begin + bytes) >> 12; p++)
            if (char& known = pages_[p % pages]; known < 2) known = place == Place::device ? 2 : 1;
        return *array;
    }
    // All tensors that have some of these bytes.
    void forget_tensors(uintptr_t begin, uintptr_t end) {
        auto next = all_.lower_bound(begin);
        if (next != all_.begin() && std::prev(next)->second->end > begin) --next;
        while (next != all_.end() && next->first < end) {
            const Array& array = *(next++)->second;
            if (array.place == Place::tensor) remove(array.begin);
        }
    }
    void remove(uintptr_t begin) {
        const auto found = all_.find(begin);
        if (found == all_.end()) return;
        for (Shadow* shadow : found->second->shadows) delete shadow;
        delete found->second;
        all_.erase(found);
    }

private:
    static constexpr size_t pages = 1 << 20;
    static size_t page(uintptr_t a) { return (a >> 12) % pages; }

    char pages_[pages] = {};  // by the last bits of the page's number: 0, or 1, or 2 with memory that is not the host's
    std::map<uintptr_t, Array*> all_;
    std::map<Place, unsigned> counts_;
};

}  // namespace cuda_on_cpu_recorder
