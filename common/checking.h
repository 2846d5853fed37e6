// checking.h: is this launcher right? For C++ programs, as common/checking.py is for Python: a launcher that only
// looks right does not pass.
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
// Throws std::runtime_error when the launcher gives a wrong result, leaves an element unwritten, writes before or after
// its output, changes an input, gives an old result for new values, does not keep to its stream, or leaves an
// error for a later call to find. tests/common/wrong_launchers.cu has a launcher for each of these.
//
//   timing::Timing t = bench_launch<float>("launch_add2", 2, n, launch, expected);
//
// Checks it at one size, times it, and checks it again: a launcher that remembers a result of its many calls by then
// gives that result for other values.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <sstream>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "timing.h"

// Nothing, less than a warp, around one block, many blocks and a bit.
inline const std::vector<int64_t> check_sizes = {0, 1, 3, 255, 256, 257, (1 << 20) + 3};

// n elements between two margins that no launcher may touch: on the host what they should be, and on the device.
template <class T>
class GuardedArray {
public:
    explicit GuardedArray(int64_t n) : size_(n * sizeof(T) + 2 * margin), device_(timing::device_memory(size_)) {
        void* memory = nullptr;
        CHECK_CUDA(cudaMallocHost(&memory, size_));  // host memory that a copy in a stream need not wait for
        host_.reset(memory);
    }

    T* host() const { return reinterpret_cast<T*>(static_cast<char*>(host_.get()) + margin); }
    T* device() const { return reinterpret_cast<T*>(static_cast<char*>(device_.get()) + margin); }

    void fill_host(int margins, int values) const {
        std::memset(host_.get(), margins, size_);
        std::memset(host(), values, size_ - 2 * margin);
    }

    void to_device(cudaStream_t stream) const {
        CHECK_CUDA(cudaMemcpyAsync(device_.get(), host_.get(), size_, cudaMemcpyHostToDevice, stream));
    }

    void values_to_host(cudaStream_t stream) const {
        CHECK_CUDA(cudaMemcpyAsync(host(), device(), size_ - 2 * margin, cudaMemcpyDeviceToHost, stream));
    }

    // Throws where the device no longer has the host's bytes. what: the message's first words.
    void compare(const std::string& what, const std::string& values_differ) const {
        std::vector<char> bytes(size_);
        CHECK_CUDA(cudaMemcpy(bytes.data(), device_.get(), size_, cudaMemcpyDeviceToHost));
        const auto differs = std::mismatch(bytes.begin(), bytes.end(), static_cast<char*>(host_.get())).first;
        if (differs == bytes.end()) return;
        if (differs < bytes.begin() + margin) throw std::runtime_error(what + "wrote before the beginning of an array");
        if (differs >= bytes.end() - margin) throw std::runtime_error(what + "wrote past the end of an array");
        throw std::runtime_error(what + values_differ);
    }

private:
    static constexpr int64_t margin = 1024;  // bytes: a multiple of every alignment that a vector load asks for

    size_t size_;
    timing::Memory device_, host_{nullptr, cudaFreeHost};
};

// The same bits, both NaN, or no further apart than this fraction of b. `a == b` would let 0 pass for -0. NaN is near
// nothing: a comparison with it is false.
template <class T>
bool agree(T a, T b, double tolerance) {
    return std::memcmp(&a, &b, sizeof(T)) == 0 || (a != a && b != b) ||
           (tolerance > 0 && std::abs(double(a) - double(b)) <= tolerance * std::abs(double(b)));
}

// Any value of an integer type. Of a floating-point type, multiples of 1/8: half of them small and with few bits, so
// that sums are exact; half of them large and with more bits than float16 has: a launcher that computes in float16 is
// right for the small ones.
template <class T>
T random_value(std::mt19937& random) {
    if constexpr (std::is_integral<T>::value) return T(random());
    return T(int(random() % 2001) - 1000) / T(8) * T(random() % 2 ? 1 : 1025);
}

// While one exists, a launch on the default stream throws without a GPU. On a GPU its result is wrong.
struct SideStream {
    SideStream() { setenv("CUDA_ON_CPU_SIDE_STREAM", "1", 1); }
    ~SideStream() { unsetenv("CUDA_ON_CPU_SIDE_STREAM"); }
};

// What check_launch and bench_launch do for one n. Returns the times where `timed`.
template <class T, class In, class Launch, class Expected>
timing::Timing check_at(const std::string& name, int inputs, int64_t n, Launch& launch, Expected& expected,
                        double tolerance, int width, bool timed) {
    constexpr int busy_rounds = timing::on_gpu ? 50 : 0;  // a millisecond on a large GPU; a CPU has one stream
    constexpr size_t busy_bytes = timing::on_gpu ? size_t(64) << 20 : 1;
    const timing::Memory busy = timing::device_memory(busy_bytes);
    cudaStream_t stream = nullptr;
    CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));  // does not wait for the default stream
    const std::unique_ptr<CUstream_st, cudaError_t (*)(cudaStream_t)> owner(stream, cudaStreamDestroy);

    const GuardedArray<T> out(n);
    std::vector<GuardedArray<In>> arrays;
    std::vector<const In*> in;
    for (int k = 0; k < inputs; k++) in.push_back(arrays.emplace_back(width * n).device());
    const auto call = [&] { launch(out.device(), in.data(), n, stream); };

    std::mt19937 random(0);
    int flip = 0xFF;
    const auto round = [&](const std::string& what) {  // one call with new values at the same addresses
        const auto require = [&](bool holds, const std::string& otherwise) {
            if (!holds) throw std::runtime_error(what + otherwise);
        };
        // The right result may be the very bytes that the output has before the call, so the next round has the
        // opposite ones. The first has NaN for floating point. The margins of inputs and output differ: a launcher that
        // goes one element too far copies the one to the other.
        flip ^= 0xFF;
        out.fill_host(0xA5 ^ flip, 0xFF ^ flip);
        for (auto& array : arrays) {
            array.fill_host(0x5A ^ flip, 0xFF ^ flip);
            array.to_device(stream);
        }
        CHECK_CUDA(cudaDeviceSynchronize());
        for (auto& array : arrays) std::generate_n(array.host(), width * n, [&] { return random_value<In>(random); });

        // The stream is busy when the launcher is called, and its next work is to read the output. On another stream,
        // the launcher's work is done before the inputs are there, or after the output was read.
        for (int i = 0; i < busy_rounds; i++) CHECK_CUDA(cudaMemsetAsync(busy.get(), i, busy_bytes, stream));
        out.to_device(stream);
        for (auto& array : arrays) array.to_device(stream);
        {
            const SideStream stream_is_another_one;
            call();
        }
        const cudaError_t left = cudaGetLastError();
        require(left == cudaSuccess, std::string("left an error for a later call: ") + cudaGetErrorString(left));
        out.values_to_host(stream);
        const cudaError_t late = cudaDeviceSynchronize();
        require(late == cudaSuccess, std::string("failed while it ran: ") + cudaGetErrorString(late));

        std::vector<In> values(inputs * width);
        for (int64_t i = 0; i < n; i++) {
            for (int k = 0; k < inputs * width; k++) values[k] = arrays[k / width].host()[width * i + k % width];
            const T result = out.host()[i], right = expected(values.data(), i);
            if (agree(result, right, tolerance)) continue;
            std::ostringstream text;
            text << "wrong result: element " << i << " is " << +result << ", expected " << +right;
            require(false, text.str());
        }
        out.compare(what, "wrote its output again after its stream had gone on");
        for (int k = 0; k < inputs; k++) arrays[k].compare(what, "changed its input " + std::to_string(k));
    };

    const std::string what = name + ", n = " + std::to_string(n) + ": ";
    round(what);
    round(what);
    if (!timed) return {};
    const timing::Timing timing = timing::measure(call, stream);
    round("after it was timed, " + what);
    return timing;
}

template <class T, class In = T, class Launch, class Expected>
void check_launch(const std::string& name, int inputs, const std::vector<int64_t>& sizes, Launch launch,
                  Expected expected, double tolerance = 0, int width = 1) {
    for (const int64_t n : sizes) check_at<T, In>(name, inputs, n, launch, expected, tolerance, width, false);
}

template <class T, class In = T, class Launch, class Expected>
timing::Timing bench_launch(const std::string& name, int inputs, int64_t n, Launch launch, Expected expected,
                            double tolerance = 0, int width = 1) {
    return check_at<T, In>(name, inputs, n, launch, expected, tolerance, width, true);
}
