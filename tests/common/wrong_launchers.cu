// Tests of checking.h with wrong launchers: it must reject each, and say why. Prints ok, or what does not hold. The
// names in the table are those of tests/common/wrong_operators.py, which has wrong operators for Python.
#include <algorithm>
#include <functional>
#include <map>

#include "common/checking.h"
#include "common/grid.h"

static int failures = 0;

__global__ void twice_kernel(float* out, const float* in, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2 * in[i];
}

static void twice(float* out, const float* in, int64_t n, cudaStream_t stream) {
    if (n > 0) twice_kernel<<<blocks_for(n, 256), 256, 0, stream>>>(out, in, n);
    CHECK_LAUNCH();
}

__global__ void write(float* out, int64_t i, float value) { out[i] = value; }

static void write_at(float* out, int64_t i, float value, int64_t n, cudaStream_t stream) {
    if (n > 0) write<<<1, 1, 0, stream>>>(out, i, value);
    CHECK_LAUNCH();
}

// float16 keeps 11 bits of a number.
__device__ inline float rounded_to_float16(float x) {
    return __uint_as_float((__float_as_uint(x) + 0x1000u) & ~0x1fffu);
}

__global__ void float16_twice_kernel(float* out, const float* in, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = rounded_to_float16(2 * in[i]);
}

constexpr int width = 64;
__global__ void sums_kernel(float* out, const float* in, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k < width; k++) sum = rounded_to_float16(sum + in[width * i + k]);
    out[i] = sum;
}

// Copies bytes, but leaves those unwritten that should become `skipped`.
__global__ void copy_but_kernel(uint8_t* out, const uint8_t* in, int64_t n, uint8_t skipped) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n && in[i] != skipped) out[i] = in[i];
}

__global__ void crash(int* nowhere) { *nowhere = 1; }

using In = const float* const*;

static void right(float* out, In in, int64_t n, cudaStream_t s) { twice(out, in[0], n, s); }
static float twice_of(const float* in, int64_t) { return 2 * in[0]; }

static float sum_of(const float* in, int64_t) {
    float sum = 0;
    for (int k = 0; k < width; k++) sum += in[k];
    return sum;
}

// What wrong launchers keep from one call to the next.
static std::vector<timing::Memory> memories;
static std::map<std::pair<const void*, int64_t>, std::pair<int, float*>> kept;

static float* new_memory(int64_t n) {
    memories.push_back(timing::device_memory(n * sizeof(float)));
    return static_cast<float*>(memories.back().get());
}

static void copy(float* out, const float* from, int64_t n, cudaStream_t s) {
    CHECK_CUDA(cudaMemcpyAsync(out, from, n * sizeof(float), cudaMemcpyDeviceToDevice, s));
}

// The result of the first `calls` calls is right; then it is the last of those, for the same pointer and n.
static void remember(int calls, float* out, const float* in, int64_t n, cudaStream_t s) {
    auto& [called, result] = kept[{in, n}];
    if (called++ == 0) result = new_memory(n);
    if (called <= calls) twice(result, in, n, s);
    copy(out, result, n, s);
}

static void stale(float* out, In in, int64_t n, cudaStream_t s) {
    auto& [called, result] = kept[{nullptr, n}];
    if (called++ == 0) twice(result = new_memory(n), in[0], n, s);
    copy(out, result, n, s);
    twice(result, in[0], n, s);
}

struct WrongLauncher {
    const char* name;
    const char* words;  // check_launch's; "" where it must let it pass, and only bench_launch can know
    std::function<void(float* out, In in, int64_t n, cudaStream_t s)> launch;
    int width = 1;
    double tolerance = 0;
};

#ifndef CUDA_ON_CPU
// A stream that goes on some 100 microseconds after `s` has come to this point.
static cudaStream_t after(cudaStream_t s) {
    static cudaStream_t other = nullptr;
    if (!other) CHECK_CUDA(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    cudaEvent_t ready = nullptr;
    CHECK_CUDA(cudaEventCreate(&ready));
    CHECK_CUDA(cudaEventRecord(ready, s));
    CHECK_CUDA(cudaStreamWaitEvent(other, ready, 0));
    CHECK_CUDA(cudaEventDestroy(ready));
    static const timing::Memory work = timing::device_memory(1 << 28);
    CHECK_CUDA(cudaMemsetAsync(work.get(), 0, 1 << 28, other));
    return other;
}
#endif

// clang-format off
static const std::vector<WrongLauncher> wrong_launchers = {
    {"NaN in the last element", "nan, expected", [](float* out, In in, int64_t n, cudaStream_t s) {
         right(out, in, n, s);
         write_at(out, n - 1, NAN, n, s);
     }},
    {"off by one in the last element", "wrong result", [](float* out, In in, int64_t n, cudaStream_t s) {
         right(out, in, n, s);
         write_at(out, n - 1, 1.125f, n, s);
     }},
    {"last partial block missing", "nan, expected", [](float* out, In in, int64_t n, cudaStream_t s) {
         right(out, in, n / 256 * 256, s);
     }},
    {"never launched", "nan, expected", [](float*, In, int64_t, cudaStream_t) {}},
    {"a refused launch, its error cleared", "nan, expected", [](float* out, In in, int64_t n, cudaStream_t s) {
         twice_kernel<<<1, 2048, 0, s>>>(out, in[0], n);
         (void)cudaGetLastError();
     }},
    {"an error is left for a later call", "left an error for a later call", [](float* out, In in, int64_t n, cudaStream_t s) {
         right(out, in, n, s);
         write<<<0, 1, 0, s>>>(out, 0, 0);
     }},
    {"stale output of the previous call", "wrong result", stale},
    {"right at multiples of 256 only", "wrong result", [](float* out, In in, int64_t n, cudaStream_t s) {
         right(out, in, n, s);
         if (n % 256 != 0) write_at(out, 0, 0.125f, n, s);
     }},
    {"right at check's own sizes only", "", [](float* out, In in, int64_t n, cudaStream_t s) {
         right(out, in, n, s);
         const bool known = std::find(check_sizes.begin(), check_sizes.end(), n) != check_sizes.end();
         if (!known) write_at(out, 0, 0.125f, n, s);
     }},
    {"writes one element past the end", "wrote past the end", [](float* out, In in, int64_t n, cudaStream_t s) {
         right(out, in, n, s);
         write_at(out, n, 0, n, s);
     }},
    {"goes one element too far", "wrote past the end", [](float* out, In in, int64_t n, cudaStream_t s) {
         right(out, in, n + 1, s);
     }},
    {"copies what lies after it", "wrote past the end", [](float* out, In in, int64_t n, cudaStream_t s) {
         right(out, in, n, s);
         copy(out + n, in[0] + n, 1, s);
     }},
    {"writes one element before the beginning", "wrote before the beginning", [](float* out, In in, int64_t n, cudaStream_t s) {
         right(out, in, n, s);
         write_at(out, -1, 0, n, s);
     }},
    {"input modified", "changed its input 0", [](float* out, In in, int64_t n, cudaStream_t s) {
         right(out, in, n, s);
         write_at(const_cast<float*>(in[0]), 0, 1e9f, n, s);
     }},
    {"output aliases the input", "changed its input 0", [](float* out, In in, int64_t n, cudaStream_t s) {
         twice(const_cast<float*>(in[0]), in[0], n, s);
         copy(out, in[0], n, s);
     }},
    {"cached result for the same pointer", "wrong result", [](float* out, In in, int64_t n, cudaStream_t s) {
         remember(1, out, in[0], n, s);
     }},
    {"cached result from the tenth call on", "", [](float* out, In in, int64_t n, cudaStream_t s) {
         remember(10, out, in[0], n, s);
     }},
    {"float16 arithmetic", "wrong result", [](float* out, In in, int64_t n, cudaStream_t s) {
         if (n > 0) float16_twice_kernel<<<blocks_for(n, 256), 256, 0, s>>>(out, in[0], n);
         CHECK_LAUNCH();
     }},
    {"float16 accumulation", "wrong result", [](float* out, In in, int64_t n, cudaStream_t s) {
         if (n > 0) sums_kernel<<<blocks_for(n, 256), 256, 0, s>>>(out, in[0], n);
         CHECK_LAUNCH();
     }, width, 1e-5},
#ifdef CUDA_ON_CPU
    {"wrong stream", "is on the default stream", [](float* out, In in, int64_t n, cudaStream_t) {
         right(out, in, n, nullptr);
     }},
#else
    {"wrong stream", "wrong result", [](float* out, In in, int64_t n, cudaStream_t) { right(out, in, n, nullptr); }},
    {"returns before another stream is done", "wrong result", [](float* out, In in, int64_t n, cudaStream_t s) {
         right(out, in, n, after(s));
     }},
    {"writes again when its stream has gone on", "wrote its output again", [](float* out, In in, int64_t n, cudaStream_t s) {
         right(out, in, n, s);
         write_at(out, n - 1, NAN, n, after(s));
     }},
    // The last: after it, this GPU does nothing more for the process.
    {"asynchronous error swallowed", "failed while it ran", [](float* out, In in, int64_t n, cudaStream_t s) {
         right(out, in, n, s);
         crash<<<1, 1, 0, s>>>(nullptr);
     }},
#endif
};
// clang-format on

static bool lost = false;  // after a crash the GPU does nothing more for this process

// words: what the exception of check() says; "nothing" where there must be none.
template <class Check>
static void expect_words(const std::string& name, const std::string& words, Check check) {
    std::string text = "nothing";
    kept.clear();
    try {
        check();
    } catch (const std::runtime_error& error) {
        text = error.what();
    }
    lost = text.find("failed while it ran") != std::string::npos;
    memories.clear();
    if (text.find(words) != std::string::npos) return;
    std::printf("%s: expected \"%s\", got: %s\n", name.c_str(), words.c_str(), text.c_str());
    failures++;
}

static void test_right_launchers(int64_t n) {
    check_launch<float>("right", 1, check_sizes, right, twice_of);
    bench_launch<float>("right", 1, n, right, twice_of);
    if (agree(0.0f, -0.0f, 0) || !agree(NAN, -NAN, 0)) std::printf("0 is not -0, and NaN is NaN\n"), failures++;
}

static void test_tolerance() {
    const auto near = [](float* out, In, int64_t n, cudaStream_t s) { write_at(out, 0, 1.0001f, n, s); };
    const auto none = [](float*, In, int64_t, cudaStream_t) {};
    const auto one = [](const float*, int64_t) { return 1.0f; };
    expect_words("near", "nothing", [&] { check_launch<float>("near", 1, {1}, near, one, 2e-4); });
    expect_words("not so near", "wrong result", [&] { check_launch<float>("near", 1, {1}, near, one, 1e-6); });
    expect_words("NaN", "nan, expected", [&] { check_launch<float>("none", 1, {1}, none, one, 1e9); });
}

// A byte that is not written may hold the right value by chance.
static void test_unwritten_bytes(int64_t n) {
    for (const uint8_t skipped : {0xFF, 0x00, 0xA5, 0x5A}) {
        const auto copy_but = [&](uint8_t* out, const uint8_t* const* in, int64_t n, cudaStream_t s) {
            copy_but_kernel<<<blocks_for(n, 256), 256, 0, s>>>(out, in[0], n, skipped);
            CHECK_LAUNCH();
        };
        const auto expected = [](const uint8_t* in, int64_t) { return in[0]; };
        expect_words("a byte is not written", ", expected " + std::to_string(skipped),
                     [&] { check_launch<uint8_t>("copy_but", 1, {n}, copy_but, expected); });
    }
}

static void test_wrong_launchers(int64_t n) {
    for (const WrongLauncher& wrong : wrong_launchers) {
        const auto expected = wrong.width == 1 ? twice_of : sum_of;
        expect_words(wrong.name, *wrong.words ? wrong.words : "nothing", [&] {
            std::vector<int64_t> sizes = check_sizes;
            if (wrong.width > 1) sizes.pop_back();  // a plain loop over 64 million values takes its time
            check_launch<float>(wrong.name, 1, sizes, wrong.launch, expected, wrong.tolerance, wrong.width);
        });
        if (lost) return;
        expect_words(std::string(wrong.name) + ", timed", *wrong.words ? wrong.words : "wrong result", [&] {
            bench_launch<float>(wrong.name, 1, n, wrong.launch, expected, wrong.tolerance, wrong.width);
        });
    }
}

int main() {
    const int64_t odd = (1 << 16) + 3;  // no multiple of anything, and no size of check_launch's
    test_right_launchers(odd);
    test_tolerance();
    test_unwritten_bytes(odd);
    test_wrong_launchers(odd);
    if (failures == 0) std::printf("ok\n");
    return failures;
}
