// check_launch.h: is this launcher right? For C++ programs, as common/checking.py is for Python: written so that a
// launcher which only looks right does not pass.
//
//   check_launch<float>("launch_add2", 2, check_sizes, launch, expected);
//
//   launch(out, in, n, stream)    calls the launcher; in[0], in[1] ... are its inputs, n elements each, as is out
//   expected(in, i)               what out[i] must be, computed from the inputs by a plain loop on the host
//   tolerance                     the largest error, as a fraction of what is expected; 0, unless given, asks for the
//                                 same bits
//   width                         how many elements of each input make one of the output; 1, unless given. With 3, the
//                                 inputs have 3 * n elements, and expected gets the j-th of input k as in[3 * k + j]
//
// Inputs of another type than the output's: check_launch<float, uint16_t>(...).
//
// Throws std::runtime_error when the launcher gives a wrong result, leaves an element unwritten, writes in front of or
// behind its output, changes an input, gives an old result for new values, or does not keep to its stream.
#pragma once
#include <cmath>
#include <cstring>
#include <random>
#include <sstream>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "bench.h"

// Nothing, less than a warp, around one block, many blocks and a bit.
inline const std::vector<int64_t> check_sizes = {0, 1, 3, 255, 256, 257, (1 << 20) + 3};

// n elements on the device between two margins of bytes that nobody may touch.
template <class T>
class GuardedArray {
public:
    // guard: the margins' bytes. The output's must differ from the inputs': a launcher that goes one element too far
    // would copy the one to the other.
    GuardedArray(int64_t n, unsigned char guard)
        : n_(n), guard_(guard), memory_(bench::device_memory(n * sizeof(T) + 2 * margin)) {}

    T* data() const { return reinterpret_cast<T*>(bytes() + margin); }

    // 0xFF in every byte: NaN for floating point. What a launcher forgets to write is no earlier, right result.
    void poison(cudaStream_t stream) const {
        CHECK_CUDA(cudaMemsetAsync(bytes(), guard_, size(), stream));
        CHECK_CUDA(cudaMemsetAsync(data(), 0xFF, n_ * sizeof(T), stream));
    }

    void set(const std::vector<T>& values) const {
        CHECK_CUDA(cudaMemcpy(data(), values.data(), n_ * sizeof(T), cudaMemcpyHostToDevice));
    }

    void set(const GuardedArray& other, cudaStream_t stream) const {
        CHECK_CUDA(cudaMemcpyAsync(data(), other.data(), n_ * sizeof(T), cudaMemcpyDeviceToDevice, stream));
    }

    // The values; throws when the margins were written to.
    std::vector<T> get(const std::string& who) const {
        std::vector<unsigned char> all(size());
        CHECK_CUDA(cudaMemcpy(all.data(), bytes(), size(), cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < margin; i++) {
            if (all[margin - 1 - i] != guard_) throw std::runtime_error(who + "wrote in front of an array");
            if (all[size() - margin + i] != guard_) throw std::runtime_error(who + "wrote behind the end of an array");
        }
        std::vector<T> values(n_);
        if (n_ > 0) std::memcpy(values.data(), all.data() + margin, n_ * sizeof(T));
        return values;
    }

private:
    static constexpr size_t margin = 1024;  // bytes: a multiple of every alignment that a vector load asks for

    char* bytes() const { return static_cast<char*>(memory_.get()); }
    size_t size() const { return n_ * sizeof(T) + 2 * margin; }

    int64_t n_;
    unsigned char guard_;
    std::unique_ptr<void, cudaError_t (*)(void*)> memory_;
};

// The same bits, or both NaN. `a == b` alone would let 0 pass for -0, and std::abs(a - b) > tolerance is false for NaN.
template <class T>
bool same(T a, T b) {
    return std::memcmp(&a, &b, sizeof(T)) == 0 || (a != a && b != b);
}

// The same, or no further apart than that fraction. Written so that NaN is never near a number.
template <class T>
bool near(T a, T b, double tolerance) {
    return same(a, b) || std::abs(double(a) - double(b)) <= tolerance * std::abs(double(b));
}

// Any value of an integer type; of a floating-point type, small ones with which a computer rounds seldom.
template <class T>
T random_value(std::mt19937& random) {
    if constexpr (std::is_integral<T>::value) return T(random());
    return T(int(random() % 2001) - 1000) / T(8);
}

template <class T, class In = T, class Launch, class Expected>
void check_launch(const std::string& name, int inputs, const std::vector<int64_t>& sizes, Launch launch,
                  Expected expected, double tolerance = 0, int width = 1) {
    // A stream that does not wait for the default one, and is busy when the launcher comes: whoever launches on another
    // stream is there before the inputs are, and before the output is poisoned.
    cudaStream_t stream = nullptr;
    CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    const std::unique_ptr<CUstream_st, cudaError_t (*)(cudaStream_t)> owner(stream, cudaStreamDestroy);
#ifdef CUDA_ON_CPU
    constexpr int busy_rounds = 0;  // a CPU has one stream, and nothing runs in the background
#else
    constexpr int busy_rounds = 50;  // about a millisecond on a large GPU
#endif
    constexpr size_t busy_bytes = size_t(64) << 20;
    const auto busy = bench::device_memory(busy_bytes);
    std::mt19937 random(0);

    for (const int64_t n : sizes) {
        const std::string who = name + ", n = " + std::to_string(n) + ": ";
        const GuardedArray<T> out(n, 0xA5);
        std::vector<GuardedArray<In>> arrays, sources;
        std::vector<const In*> pointers;
        for (int k = 0; k < inputs; k++) {
            arrays.emplace_back(width * n, 0x5A), sources.emplace_back(width * n, 0x5A);
            pointers.push_back(arrays[k].data());
        }
        for (int round = 0; round < 2; round++) {  // the second with other values at the same addresses
            std::vector<std::vector<In>> values(inputs, std::vector<In>(width * n));
            for (auto& some : values)
                for (In& value : some) value = random_value<In>(random);
            for (int k = 0; k < inputs; k++) {
                arrays[k].poison(stream);
                sources[k].set(values[k]);
            }
            CHECK_CUDA(cudaDeviceSynchronize());
            for (int i = 0; i < busy_rounds; i++) CHECK_CUDA(cudaMemsetAsync(busy.get(), i, busy_bytes, stream));
            out.poison(stream);
            for (int k = 0; k < inputs; k++) arrays[k].set(sources[k], stream);
            launch(out.data(), pointers.data(), n, stream);
            CHECK_CUDA(cudaDeviceSynchronize());

            const std::vector<T> result = out.get(who);
            std::vector<In> in(inputs * width);
            for (int64_t i = 0; i < n; i++) {
                for (int k = 0; k < inputs * width; k++) in[k] = values[k / width][width * i + k % width];
                const T right = expected(in.data(), i);
                if (tolerance == 0 ? same(result[i], right) : near(result[i], right, tolerance)) continue;
                std::ostringstream message;
                message << who << "element " << i << " is " << +result[i] << ", expected " << +right;
                throw std::runtime_error(message.str());
            }
            for (int k = 0; k < inputs; k++) {
                if (n > 0 && std::memcmp(arrays[k].get(who).data(), values[k].data(), width * n * sizeof(In)) != 0) {
                    throw std::runtime_error(who + "changed its input " + std::to_string(k));
                }
            }
        }
    }
}
