// Tests of cuda_check.h, grid.h and timing.h. Prints ok, or what does not hold.
#include <cmath>
#include <vector>

#include "common/cuda_check.h"
#include "common/grid.h"

// What timing.h asks of a stream, between it and CUDA: m for a memset, e for an event; and how often it waits.
static std::string asked;
static int runs_since_wait = 0;

static cudaError_t record(cudaEvent_t event, cudaStream_t stream) {
    asked += 'e';
    return cudaEventRecord(event, stream);
}

static cudaError_t set(void* to, int value, size_t bytes, cudaStream_t stream) {
    asked += 'm';
    return cudaMemsetAsync(to, value, bytes, stream);
}

static cudaError_t wait_for(cudaStream_t stream) {
    runs_since_wait = 0;
    return cudaStreamSynchronize(stream);
}

#define cudaEventRecord record
#define cudaMemsetAsync set
#define cudaStreamSynchronize wait_for
#include "common/timing.h"
#undef cudaEventRecord
#undef cudaMemsetAsync
#undef cudaStreamSynchronize

static int failures = 0;

static void expect(bool holds, const char* what) {
    if (!holds) std::printf("does not hold: %s\n", what), failures++;
}

// The message of the exception that f throws, or "".
template <class F>
static std::string message(F&& f) {
    try {
        f();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "";
}

static bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

__global__ void fill(float* x, int n, float value) {
    const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) x[i] = value;
}

static void launch_fill(float* x, int n, float value, int blocks, int threads) {
    fill<<<blocks, threads>>>(x, n, value);
    CHECK_LAUNCH();
}

static void test_check(float* x, int n) {
    std::string text = message([&] { CHECK_CUDA(cudaMemcpy(nullptr, x, 8, cudaMemcpyDeviceToHost)); });
    expect(has(text, "cudaMemcpy(nullptr, x, 8, cudaMemcpyDeviceToHost) failed"), "a failed call is named");
    expect(has(text, "harness.cu:"), "... with its file and line");
    expect(message([&] { launch_fill(x, n, 1, 4, 256); }) == "", "a good launch is not blamed for an earlier call");

    text = message([&] { launch_fill(x, n, 1, 0, 256); });
    expect(has(text, "launch_fill failed"), "a launch of 0 blocks names its launcher");
    text = message([&] { launch_fill(x, n, 1, 1, 2048); });
    expect(has(text, "launch_fill failed"), "a launch of 2048 threads a block names its launcher");
    expect(message([&] { launch_fill(x, n, 7, 4, 256); }) == "", "a good launch after bad ones works");
    std::vector<float> host(n);
    CHECK_CUDA(cudaMemcpy(host.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost));
    expect(host[0] == 7 && host[n - 1] == 7, "... and writes what it should");
}

static void test_grid() {
    expect(blocks_for(0, 256) == 0, "nothing needs no block");
    expect(blocks_for(1, 256) == 1 && blocks_for(255, 256) == 1 && blocks_for(256, 256) == 1, "one block");
    expect(blocks_for(257, 256) == 2 && blocks_for(512, 256) == 2 && blocks_for(513, 256) == 3,
           "one more for the rest");
    const int64_t most = INT32_MAX;
    expect(blocks_for(256 * most, 256) == most, "the largest grid");
    for (const int64_t n : {256 * most + 1, INT64_MAX, int64_t(-1)})
        expect(has(message([&] { blocks_for(n, 256); }), "a grid has at most 2^31 - 1 blocks"), "no such grid");
}

static void test_times(float* x, int n) {
    int runs = 0;
    const auto launch = [&] { launch_fill(x, n, 1, 4, 256), runs++, runs_since_wait++; };
    const timing::Timing once = timing::measure(launch, nullptr);
    expect(once.samples >= 16 && once.samples % 16 == 0 && runs >= once.samples + 8,
           "measure runs as often as it says");
    expect(once.kernel > 0 && once.call > 0 && once.spread >= 0, "a time is positive");

    const auto many = [&] {
        for (int i = 0; i < 100; i++) launch();
    };
    const timing::Memory cache = timing::device_memory(timing::cache_bytes);
    const std::vector<double> times = timing::event_times(many, 16, nullptr, cache.get());
    expect(timing::middle(times) > 5 * once.kernel, "100 launches take longer than one");

    asked.clear();
    timing::event_times(launch, 8, nullptr, cache.get());
    expect(asked == "meemeemeemmeemeemeemeemmee", "every fourth sample has one more launch in front of it");

    const std::vector<double> samples = {5, 1, 4, 2, 80, 3, 6, 7};
    expect(timing::median(samples) == 5 && timing::middle(samples) == 4.5 && timing::spread(samples) == 4 / 4.5,
           "the middle half of all samples");
}

// A clock that the test sets. A call takes 3 us; where `room` calls are in the queue, it waits for the GPU, 50 us more.
static std::chrono::nanoseconds elapsed;
struct Clock {
    static std::chrono::nanoseconds now() { return elapsed; }
};

static void test_call_time() {
    int room = 20, most = 0;
    const auto run = [&] {
        most = std::max(most, ++runs_since_wait);
        elapsed += std::chrono::microseconds(runs_since_wait <= room ? 3 : 53);
    };
    const double full = timing::call_time<Clock>(run, nullptr);
    expect(std::abs(full - 3e-6) < 1e-9 && most == 32, "calls that wait for room in the queue do not count");
    room = 1000;
    const double empty = timing::call_time<Clock>(run, nullptr);
    expect(std::abs(empty - 3e-6) < 1e-9 && most == 64, "... nor does a round have more than 64 calls");
}

static void test_limits() {
    const timing::Limits limits = timing::limits(nullptr, 1 << 22);
    expect(limits.copy > 0 && limits.peak > limits.copy && limits.nothing >= 0,
           "a copy has a bandwidth below the peak");

    // A GPU of 4000 GB/s, whose copy reaches 3600, and a clock that says what we want.
    const timing::Limits fake = {3.6e12, 4e12, 2e-6};
    const auto suspicion = [&](size_t bytes, double seconds) {
        return timing::suspicion({seconds, 0, 0, 10}, bytes, fake);
    };
    expect(suspicion(12 << 20, (12 << 20) / 3.9e12) == "", "above the copy and below the peak is possible");
    expect(suspicion(12 << 20, (12 << 20) / 4.1e12) == "suspect: the memory's peak is 4000 GB/s", "above it is not");
    expect(suspicion(64, 2.9e-6) == "", "a small kernel is slow enough");
    expect(suspicion(64, 2.1e-6) == "suspect: no work on this stream", "... unless it takes no longer than nothing");
    expect(suspicion(0, 2e-6) == "", "... and had something to do");
}

static void test_text() {
    expect(timing::format_seconds(0.0000089) == "8.9 us" && timing::format_seconds(0.000123) == "123 us",
           "microseconds, as Python shows them");
    expect(timing::format_seconds(0.00112) == "1.12 ms" && timing::format_seconds(0.0112) == "11.2 ms", "milliseconds");
    expect(timing::format_seconds(0.112) == "112 ms" && timing::format_seconds(1.5) == "1.50 s", "seconds");
}

int main() {
    const int n = 1000;
    const timing::Memory memory = timing::device_memory(n * sizeof(float));
    test_check(static_cast<float*>(memory.get()), n);
    test_grid();
    test_times(static_cast<float*>(memory.get()), n);
    test_call_time();
    test_limits();
    test_text();
    if (failures == 0) std::printf("ok\n");
    return failures;
}
