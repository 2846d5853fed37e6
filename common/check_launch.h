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
// behind its output, changes an input, gives an old result for new values, does not keep to its stream, or leaves an
// error for a later call to find.
//
//   bench::Timing t = bench_launch<float>("launch_add2", 2, n, launch, expected);
//
// Times it at one size, and does the same before and after: bench::measure() alone times whatever it is given, right or
// wrong, and an operator that has kept its result from one of its many calls still has it when other values come.
//
// tests/common/wrong_launchers.cu has a launcher for each of these sentences.
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

// Any value of an integer type. Of a floating-point type multiples of 1/8, half of them small and with the few bits
// with which a computer rounds seldom, half of them large and with more bits than float16 has: with the former alone, a
// launcher that computes in float16 would be right.
template <class T>
T random_value(std::mt19937& random) {
    if constexpr (std::is_integral<T>::value) return T(random());
    return T(int(random() % 2001) - 1000) / T(8) * T(random() % 2 ? 1 : 1025);
}

// A launcher's arrays for one n, on a stream that does not wait for the default one.
template <class T, class In>
class LaunchCheck {
public:
    LaunchCheck(const std::string& name, int inputs, int64_t n, int width)
        : who_(name + ", n = " + std::to_string(n) + ": "), n_(n), width_(width), out_(n, 0xA5), seen_(n, 0xA5) {
        CHECK_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        owner_.reset(stream_);
        for (int k = 0; k < inputs; k++) {
            arrays_.emplace_back(width * n, 0x5A), sources_.emplace_back(width * n, 0x5A);
            pointers_.push_back(arrays_[k].data());
        }
    }

    cudaStream_t stream() const { return stream_; }

    template <class Launch>
    void call(Launch& launch) const {
        launch(out_.data(), pointers_.data(), n_, stream_);
    }

    // One call with new values at the same addresses. when: put in front of what is said.
    template <class Launch, class Expected>
    void round(std::mt19937& random, Launch& launch, Expected& expected, double tolerance,
               const char* when = "") const {
        const std::string who = when + who_;
        const int inputs = int(arrays_.size());
        std::vector<std::vector<In>> values(inputs, std::vector<In>(width_ * n_));
        for (auto& some : values)
            for (In& value : some) value = random_value<In>(random);
        for (int k = 0; k < inputs; k++) {
            arrays_[k].poison(stream_);
            sources_[k].set(values[k]);
        }
        seen_.poison(stream_);
        CHECK_CUDA(cudaDeviceSynchronize());
        // The stream is busy when the launcher comes: whoever launches on another stream is there before the inputs
        // are, and before the output is poisoned. What the stream's next work sees of the output is what counts: a
        // launcher that has its work done on another stream is too late for it.
        for (int i = 0; i < busy_rounds; i++) CHECK_CUDA(cudaMemsetAsync(busy_.get(), i, busy_bytes, stream_));
        out_.poison(stream_);
        for (int k = 0; k < inputs; k++) arrays_[k].set(sources_[k], stream_);
        call(launch);
        none(cudaGetLastError(), who + "left an error for a later call: ");
        seen_.set(out_, stream_);
        none(cudaDeviceSynchronize(), who + "failed while it ran: ");

        out_.get(who);  // for its margins
        const std::vector<T> result = seen_.get(who);
        std::vector<In> in(inputs * width_);
        for (int64_t i = 0; i < n_; i++) {
            for (int k = 0; k < inputs * width_; k++) in[k] = values[k / width_][width_ * i + k % width_];
            const T right = expected(in.data(), i);
            if (tolerance == 0 ? same(result[i], right) : near(result[i], right, tolerance)) continue;
            std::ostringstream message;
            message << who << "wrong result: element " << i << " is " << +result[i] << ", expected " << +right;
            throw std::runtime_error(message.str());
        }
        for (int k = 0; k < inputs; k++) {
            if (n_ > 0 && std::memcmp(arrays_[k].get(who).data(), values[k].data(), width_ * n_ * sizeof(In)) != 0) {
                throw std::runtime_error(who + "changed its input " + std::to_string(k));
            }
        }
    }

private:
    static constexpr int busy_rounds = bench::on_gpu ? 50 : 0;  // a millisecond on a large GPU; a CPU has one stream
    static constexpr size_t busy_bytes = bench::on_gpu ? size_t(64) << 20 : 1;

    static void none(cudaError_t error, const std::string& what) {
        if (error != cudaSuccess) throw std::runtime_error(what + cudaGetErrorString(error));
    }

    std::string who_;
    int64_t n_;
    int width_;
    cudaStream_t stream_ = nullptr;
    std::unique_ptr<CUstream_st, cudaError_t (*)(cudaStream_t)> owner_{nullptr, cudaStreamDestroy};
    decltype(bench::device_memory(1)) busy_ = bench::device_memory(busy_bytes);
    GuardedArray<T> out_, seen_;
    std::vector<GuardedArray<In>> arrays_, sources_;
    std::vector<const In*> pointers_;
};

template <class T, class In = T, class Launch, class Expected>
void check_launch(const std::string& name, int inputs, const std::vector<int64_t>& sizes, Launch launch,
                  Expected expected, double tolerance = 0, int width = 1) {
    std::mt19937 random(0);
    for (const int64_t n : sizes) {
        const LaunchCheck<T, In> arrays(name, inputs, n, width);
        for (int call = 0; call < 2; call++) arrays.round(random, launch, expected, tolerance);
    }
}

template <class T, class In = T, class Launch, class Expected>
bench::Timing bench_launch(const std::string& name, int inputs, int64_t n, Launch launch, Expected expected,
                           double tolerance = 0, int width = 1) {
    std::mt19937 random(0);
    const LaunchCheck<T, In> arrays(name, inputs, n, width);
    for (int call = 0; call < 2; call++) arrays.round(random, launch, expected, tolerance);
    const bench::Timing timing = bench::measure([&] { arrays.call(launch); }, arrays.stream());
    arrays.round(random, launch, expected, tolerance, "after it was timed, ");
    return timing;
}
