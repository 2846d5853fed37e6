// traced.cu: the kernels of chapter 11 move a type that prints the addresses from which and to which it is copied. For
// test_transpose.py.
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#include <cuda_runtime.h>

template <class Pack>
static void traced_store(Pack* to, Pack value);
#define __stcs traced_store
#include "transpose.cu"

static const char *input, *output;
static int64_t bytes, first_in, first_out;

static void print(char kind, const void* p) {
    const char here = 0, *address = static_cast<const char*>(p);
    if (blockIdx.x != 1) return;
    if (std::abs(address - &here) < 100000) return;  // a variable of this thread
    const int64_t in = address - input, out = address - output;
    const unsigned thread = threadIdx.y * blockDim.x + threadIdx.x;
    if (0 <= in && in < bytes) return void(std::printf("load %u %ld\n", thread, long(in - first_in)));
    if (0 <= out && out < bytes) return void(std::printf("store %u %ld\n", thread, long(out - first_out)));
    std::printf("shared-%s %u %ld\n", kind == 'r' ? "load" : "store", thread, long(address));
}

template <class Integer>
struct Traced {
    Integer value;
    Traced() = default;
    Traced(const Traced& other) : value(other.value) { print('r', &other); }
    Traced(Integer value) : value(value) {}
    Traced& operator=(const Traced& other) {
        print('r', &other);
        print('w', this);
        value = other.value;
        return *this;
    }
};

template <class Pack>
static void traced_store(Pack* to, Pack value) {
    print('w', to);
    *to = value;
}

template <class Integer>
static void trace() {
    using T = Traced<Integer>;
    struct {
        const char* step;
        int tall;
        decltype(&launch_transpose<T>) launch;
    } steps[] = {{"naive", side, launch_transpose_naive<T>},
                 {"tile", side, launch_transpose_tile<T>},
                 {"padded", side, launch_transpose_padded<T>},
                 {"swizzled", side, launch_transpose_swizzled<T>},
                 {"wide", wide_side<T>, launch_transpose<T>}};
    for (const auto& step : steps)
        for (int more = 0; more < (step.launch == launch_transpose<T> ? 1 : 2); more++) {
            const int side = 3 * step.tall + more;  // of the matrix: block 1 has the tile below the first
            bytes = side * side * sizeof(T), first_in = step.tall * side * sizeof(T), first_out = step.tall * sizeof(T);
            input = static_cast<const char*>(std::aligned_alloc(512, (bytes + 511) / 512 * 512));
            output = static_cast<const char*>(std::aligned_alloc(512, (bytes + 511) / 512 * 512));
            std::printf("step %zu/%d %s\n", sizeof(T), side, step.step);
            step.launch((T*)output, (const T*)input, 1, side, side, nullptr);
        }
}

int main() {
    trace<uint8_t>();
    trace<uint16_t>();
    trace<uint32_t>();
    trace<uint64_t>();
}
