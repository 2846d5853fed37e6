// timing.h: times a launch from C++, by the method of common/timing.py. common/README.md gives the reasons.
//
//   const timing::Limits limits = timing::limits(stream);
//   timing::print_head(n, "float32");
//   const timing::Timing t = timing::measure([&] { launch_add2(c, a, b, n, stream); }, stream);
//   timing::print_row("add2", t, 3 * n * sizeof(float), limits);
//
// It sees the work of that one stream, and no result: bench_launch() in checking.h also checks what it times. It
// needs the CUDA runtime only, in a .cpp or a .cu. Built as CUDA on CPU, it times the CPU.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "cuda_check.h"

namespace timing {

#ifdef CUDA_ON_CPU
constexpr bool on_gpu = false;
#else
constexpr bool on_gpu = true;
#endif
constexpr size_t cache_bytes = on_gpu ? size_t(768) << 20 : 1;  // more than an L2 cache holds
constexpr size_t copy_bytes = size_t(1) << (on_gpu ? 30 : 20);  // the bandwidth of a CPU is never shown

// Seconds.
struct Timing {
    double kernel;  // the GPU's own time, see middle(); without a GPU, the time of the whole call
    double spread;  // the middle half of the samples lies in a band this wide, as a fraction of `kernel`
    double call;    // the host's time until the call returns; the GPU may still be at work
    int samples;
};

// Memory of the current device, freed at the end of the scope.
using Memory = std::unique_ptr<void, cudaError_t (*)(void*)>;
inline Memory device_memory(size_t bytes) {
    void* memory = nullptr;
    CHECK_CUDA(cudaMalloc(&memory, bytes));
    return {memory, [](void* p) { return cudaFree(p); }};
}

// This fraction of the times lies below the result.
inline double quantile(std::vector<double> times, double fraction) {
    std::sort(times.begin(), times.end());
    return times[size_t(fraction * double(times.size()))];
}

inline double median(const std::vector<double>& times) { return quantile(times, 0.5); }

// The mean of the middle half: where times fall into groups, the median jumps from one to the other (common/timing.py).
inline double middle(std::vector<double> times) {
    std::sort(times.begin(), times.end());
    const size_t quarter = times.size() / 4, half = times.size() - 2 * quarter;
    return std::accumulate(times.begin() + quarter, times.end() - quarter, 0.0) / double(half);
}

inline double spread(const std::vector<double>& times) {
    return (quantile(times, 0.75) - quantile(times, 0.25)) / middle(times);
}

// Seconds that the GPU spends in each of `repeats` runs. The memset replaces what the L2 cache holds, and takes so long
// that the host can queue events and run after it: the GPU never waits for the host between the two events.
template <class Run>
std::vector<double> event_times(Run& run, int repeats, cudaStream_t stream, void* cache) {
    std::vector<cudaEvent_t> starts(repeats), ends(repeats);
    std::vector<double> times(repeats);
    for (int i = 0; i < repeats; i++) {
        CHECK_CUDA(cudaEventCreate(&starts[i]));
        CHECK_CUDA(cudaEventCreate(&ends[i]));
    }
    for (int i = 0; i < repeats; i++) {
        // On an H200 each fourth launch takes up to 1 us longer. One more before every fourth sample has the samples
        // begin at each of the four places equally often, so that every operator has its average share of slow
        // launches.
        if (i % 4 == 3) CHECK_CUDA(cudaMemsetAsync(cache, 0, 1, stream));
        CHECK_CUDA(cudaMemsetAsync(cache, 0, cache_bytes, stream));
        CHECK_CUDA(cudaEventRecord(starts[i], stream));
        run();
        CHECK_CUDA(cudaEventRecord(ends[i], stream));
    }
    CHECK_CUDA(cudaStreamSynchronize(stream));
    for (int i = 0; i < repeats; i++) {
        float milliseconds = 0;
        CHECK_CUDA(cudaEventElapsedTime(&milliseconds, starts[i], ends[i]));
        times[i] = milliseconds / 1e3;
        CHECK_CUDA(cudaEventDestroy(starts[i]));
        CHECK_CUDA(cudaEventDestroy(ends[i]));
    }
    return times;
}

// The same of as many runs as fit into 0.2 s: 16 to 1008, a multiple of 16.
template <class Run>
std::vector<double> gpu_times(Run&& run, cudaStream_t stream) {
    const Memory cache = device_memory(cache_bytes);
    event_times(run, 4, stream, cache.get());  // warm-up: loads the kernel, raises the clocks
    const auto start = std::chrono::steady_clock::now();
    event_times(run, 4, stream, cache.get());
    const std::chrono::duration<double> four = std::chrono::steady_clock::now() - start;
    return event_times(run, 16 * int(std::clamp(0.05 / four.count(), 1.0, 63.0)), stream, cache.get());
}

// Seconds until run() returns, without waiting for the GPU. When the launch queue is full (about 1000 launches), a
// launch waits until the GPU has finished another. So rounds of 1, 2, 4, ... 64 calls begin with an empty queue, and
// the time is that of the fastest kind of round: its calls have not waited.
template <class Clock = std::chrono::steady_clock, class Run>
double call_time(Run&& run, cudaStream_t stream) {
    double fastest = std::numeric_limits<double>::infinity();
    for (int calls = 1; calls <= 64; calls *= 2) {
        std::vector<double> rounds(10);
        for (double& seconds : rounds) {
            CHECK_CUDA(cudaStreamSynchronize(stream));
            const auto start = Clock::now();
            for (int i = 0; i < calls; i++) run();
            seconds = std::chrono::duration<double>(Clock::now() - start).count() / calls;
        }
        if (median(rounds) > 2 * fastest) break;  // longer rounds only wait longer
        fastest = std::min(fastest, median(rounds));
    }
    return fastest;
}

// Times run(), which launches on `stream`.
template <class Run>
Timing measure(Run&& run, cudaStream_t stream) {
    const std::vector<double> times = gpu_times(run, stream);
    const double kernel = middle(times);
    const double call = on_gpu ? call_time(run, stream) : kernel;  // a CPU computes before the call returns
    return {kernel, spread(times), call, int(times.size())};
}

// What the GPU can do at most, for comparison.
struct Limits {
    double copy;     // bytes a second, read plus written, of a copy within the GPU's memory
    double peak;     // bytes a second that the memory cannot exceed
    double nothing;  // seconds between two events with no work between them
};

// peak: two transfers in each cycle of the memory's clock, over its whole bus, as in NVIDIA's sample deviceQuery. Some
// machines report no clock, or one that a copy exceeds. A copy reaches more than four fifths of the peak, so there the
// peak is taken to be a quarter more than the copy.
inline Limits limits(cudaStream_t stream, size_t bytes = copy_bytes) {
    const Memory source = device_memory(bytes), target = device_memory(bytes);
    CHECK_CUDA(cudaMemsetAsync(source.get(), 1, bytes, stream));
    const auto copy_all = [&] {
        CHECK_CUDA(cudaMemcpyAsync(target.get(), source.get(), bytes, cudaMemcpyDeviceToDevice, stream));
    };
    const double copy = 2.0 * double(bytes) / middle(gpu_times(copy_all, stream));
    const double nothing = middle(gpu_times([] {}, stream));
    int device = 0, clock = 0, bus = 0;  // kHz, bits
    CHECK_CUDA(cudaGetDevice(&device));
    CHECK_CUDA(cudaDeviceGetAttribute(&clock, cudaDevAttrMemoryClockRate, device));
    CHECK_CUDA(cudaDeviceGetAttribute(&bus, cudaDevAttrGlobalMemoryBusWidth, device));
    const double peak = 2.0 * clock * 1e3 * bus / 8;
    return {copy, peak > copy ? peak : 1.25 * copy, nothing};
}

// Why the GPU cannot have moved `bytes` in that time, or "". The L2 cache holds other data, all of it changed, when
// run() starts: run() reads from the memory, and what it writes to the cache drives that data out to the memory.
inline std::string suspicion(const Timing& t, size_t bytes, const Limits& limits) {
    if (bytes > 0 && t.kernel <= 1.4 * limits.nothing) return "suspect: no work on this stream";
    if (double(bytes) / t.kernel <= limits.peak) return "";
    char s[64];
    std::snprintf(s, sizeof s, "suspect: the memory's peak is %.0f GB/s", limits.peak / 1e9);
    return s;
}

// 0.0000089 as "8.9 us", 0.00112 as "1.12 ms".
inline std::string format_seconds(double seconds) {
    const bool us = seconds < 1e-3, ms = !us && seconds < 1;
    const double value = seconds * (us ? 1e6 : ms ? 1e3 : 1);
    const int digits = value >= 100 ? 0 : us || value >= 10 ? 1 : 2;
    char s[32];
    std::snprintf(s, sizeof s, "%.*f %s", digits, value, us ? "us" : (ms ? "ms" : "s"));
    return s;
}

// The table of common/timing.py, with the same columns.
inline void print_head(int64_t n, const char* type) {
    const std::string what = "n = " + std::to_string(n) + ", " + type;
    std::printf(on_gpu ? "time    %-33s    kernel    spread      GB/s   of copy      call\n"
                       : "time    %-33s  CPU time    spread\n",
                what.c_str());
}

// One line of it. bytes: every input read once and every output written once.
inline void print_row(const char* name, const Timing& t, size_t bytes, const Limits& limits) {
    std::printf("        %-33s%10s%9.0f%%", name, format_seconds(t.kernel).c_str(), t.spread * 100);
    if (on_gpu) {
        const double bandwidth = double(bytes) / t.kernel;
        std::printf("%10.0f%9.0f%%%10s", bandwidth / 1e9, bandwidth / limits.copy * 100,
                    format_seconds(t.call).c_str());
        const std::string suspect = suspicion(t, bytes, limits);
        if (!suspect.empty()) std::printf("  %s", suspect.c_str());
    }
    std::printf("\n");
}

}  // namespace timing
