// bench.h: times a launch from C++, by the method of common/timing.py, for programs with no Python.
//
//   const bench::Limits limits = bench::limits(stream);
//   bench::print_head(n, "float32");
//   const bench::Timing t = bench::measure([&] { launch_add2(c, a, b, n, stream); }, stream);
//   bench::print_row("add2", t, 3 * n * sizeof(float), limits);
//
// Each launch is timed by two CUDA events around it, with an L2 cache that holds nothing of its data; the median of
// many is reported. Only the CUDA runtime is used: include it in a .cpp or a .cu. Built as CUDA on CPU, it times the
// CPU. It sees no result, and only the work on that one stream: bench_launch() in check_launch.h checks what it times.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "check.h"

namespace bench {

#ifdef CUDA_ON_CPU
constexpr bool on_gpu = false;
constexpr size_t copy_bytes = size_t(1) << 20;  // nobody asks for the bandwidth of a CPU
#else
constexpr bool on_gpu = true;
constexpr size_t copy_bytes = size_t(1) << 30;
#endif

constexpr size_t cache_bytes = on_gpu ? size_t(768) << 20 : 1;  // why so much: common/timing.py

// Seconds.
struct Timing {
    double kernel;  // the GPU's own time, median of the samples; without a GPU, the time of the whole call
    double spread;  // half of the samples lie in a band this wide, as a fraction of the median
    double call;    // the host's time until the call returns; the GPU may still be at work
    int samples;
};

// Memory of the current device, freed at the end of the scope.
inline std::unique_ptr<void, cudaError_t (*)(void*)> device_memory(size_t bytes) {
    void* memory = nullptr;
    CHECK_CUDA(cudaMalloc(&memory, bytes));
    return {memory, [](void* p) { return cudaFree(p); }};
}

// Seconds of each of `repeats` runs. While the GPU overwrites `cache`, the host queues the events and the run behind
// it, so that no gap between the two events waits for the host.
template <class Run>
std::vector<double> run_times(Run&& run, int repeats, cudaStream_t stream, void* cache) {
    std::vector<cudaEvent_t> events(2 * repeats);
    for (cudaEvent_t& event : events) CHECK_CUDA(cudaEventCreate(&event));
    for (int i = 0; i < repeats; i++) {
        CHECK_CUDA(cudaMemsetAsync(cache, 0, cache_bytes, stream));
        CHECK_CUDA(cudaEventRecord(events[2 * i], stream));
        run();
        CHECK_CUDA(cudaEventRecord(events[2 * i + 1], stream));
    }
    CHECK_CUDA(cudaStreamSynchronize(stream));
    std::vector<double> times(repeats);
    for (int i = 0; i < repeats; i++) {
        float milliseconds = 0;
        CHECK_CUDA(cudaEventElapsedTime(&milliseconds, events[2 * i], events[2 * i + 1]));
        times[i] = milliseconds / 1e3;
    }
    for (cudaEvent_t& event : events) CHECK_CUDA(cudaEventDestroy(event));
    return times;
}

// Seconds of run(), which launches on `stream`: at least 10 samples, and as many as fit into about 0.1 s, sorted.
template <class Run>
std::vector<double> kernel_times(Run&& run, cudaStream_t stream) {
    const auto cache = device_memory(cache_bytes);
    run_times(run, 3, stream, cache.get());  // warm-up: loads the kernel, raises the clocks
    const auto start = std::chrono::steady_clock::now();
    run_times(run, 5, stream, cache.get());
    const std::chrono::duration<double> once = (std::chrono::steady_clock::now() - start) / 5;
    const int half = int(std::clamp(0.1 / once.count(), 10.0, 1000.0));
    // On an H200 each second launch takes 0.7 us longer between its events, and run() is always the second of two here,
    // or always the first, whatever was launched before. So do both, and take the half that was not unlucky.
    std::vector<double> halves[2];
    for (std::vector<double>& times : halves) {
        times = run_times(run, half, stream, cache.get());
        std::sort(times.begin(), times.end());
        CHECK_CUDA(cudaMemsetAsync(cache.get(), 0, cache_bytes, stream));
    }
    return halves[0][half / 2] <= halves[1][half / 2] ? halves[0] : halves[1];
}

// Seconds until run() returns, without waiting for the GPU; the median of ten rounds of 100 calls.
template <class Run>
double call_time(Run&& run, cudaStream_t stream) {
    constexpr int calls = 100;
    std::vector<double> rounds(10);
    for (double& seconds : rounds) {
        CHECK_CUDA(cudaStreamSynchronize(stream));  // an empty queue: a full one makes the host wait
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < calls; i++) run();
        seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / calls;
    }
    std::sort(rounds.begin(), rounds.end());
    return (rounds[4] + rounds[5]) / 2;
}

// Times run(), which launches on `stream`.
template <class Run>
Timing measure(Run&& run, cudaStream_t stream) {
    const std::vector<double> times = kernel_times(run, stream);
    const size_t count = times.size();
    const double median = times[count / 2];
    const double call = on_gpu ? call_time(run, stream) : median;  // nothing runs in the background of a CPU
    return {median, (times[count * 3 / 4] - times[count / 4]) / median, call, int(count)};
}

// Bytes a second, read plus written, of a copy of `bytes` within the device: what its memory can do.
inline double copy_bandwidth(cudaStream_t stream, size_t bytes = copy_bytes) {
    const auto source = device_memory(bytes), target = device_memory(bytes);
    CHECK_CUDA(cudaMemsetAsync(source.get(), 1, bytes, stream));
    const auto copy = [&] {
        CHECK_CUDA(cudaMemcpyAsync(target.get(), source.get(), bytes, cudaMemcpyDeviceToDevice, stream));
    };
    const std::vector<double> times = kernel_times(copy, stream);
    return 2.0 * double(bytes) / times[times.size() / 2];
}

// What a row is measured against.
struct Limits {
    double copy;     // bytes a second, see copy_bandwidth
    double peak;     // bytes a second that the memory cannot exceed
    double nothing;  // seconds between two events with no work between them
};

// The peak is that of NVIDIA's sample deviceQuery: the memory's bus, and two transfers in each cycle of its clock. Some
// machines do not tell their clock, or less than a copy reaches: then it is a quarter more than the copy, as a copy
// reaches more than four fifths of the peak.
inline Limits limits(cudaStream_t stream, size_t bytes = copy_bytes) {
    int device = 0, clock = 0, bus = 0;  // kHz, bits
    CHECK_CUDA(cudaGetDevice(&device));
    CHECK_CUDA(cudaDeviceGetAttribute(&clock, cudaDevAttrMemoryClockRate, device));
    CHECK_CUDA(cudaDeviceGetAttribute(&bus, cudaDevAttrGlobalMemoryBusWidth, device));
    const double copy = copy_bandwidth(stream, bytes), peak = 2.0 * clock * 1e3 * bus / 8;
    const std::vector<double> nothing = kernel_times([] {}, stream);
    return {copy, peak > copy ? peak : 1.25 * copy, nothing[nothing.size() / 2]};
}

// Why the GPU cannot have moved `bytes` in that time, or "". The L2 cache is no excuse: before each run it is filled
// with other data, all of it changed. What run() reads comes from the memory, and for what it writes to the cache, some
// of that data must go there.
inline std::string suspicion(const Timing& t, size_t bytes, const Limits& limits) {
    if (bytes > 0 && t.kernel <= 1.1 * limits.nothing) return "suspect: no work on this stream";
    if (double(bytes) / t.kernel <= limits.peak) return "";
    char s[64];
    std::snprintf(s, sizeof s, "suspect: the memory's peak is %.0f GB/s", limits.peak / 1e9);
    return s;
}

// 0.0000089 as "8.9 us", 0.00112 as "1.12 ms".
inline std::string text(double seconds) {
    const double us = seconds * 1e6, ms = seconds * 1e3;
    char s[32];
    if (us < 1000) {
        std::snprintf(s, sizeof s, "%.*f us", us >= 100 ? 0 : 1, us);
    } else if (ms < 1000) {
        std::snprintf(s, sizeof s, "%.*f ms", ms >= 100 ? 0 : ms >= 10 ? 1 : 2, ms);
    } else {
        std::snprintf(s, sizeof s, "%.2f s", seconds);
    }
    return s;
}

// The table of common/timing.py, with the same columns.
inline void print_head(int64_t n, const char* type) {
    const std::string what = "n = " + std::to_string(n) + ", " + type;
    std::printf(on_gpu ? "time    %-33s    kernel    spread      GB/s   of copy      call\n"
                       : "time    %-33s  CPU time    spread\n",
                what.c_str());
}

// One line of it. bytes: what the operator must move, every input read once and every output written once.
inline void print_row(const char* name, const Timing& t, size_t bytes, const Limits& limits) {
    std::printf("        %-33s%10s%9.0f%%", name, text(t.kernel).c_str(), t.spread * 100);
    if (on_gpu) {
        const double bandwidth = double(bytes) / t.kernel;
        std::printf("%10.0f%9.0f%%%10s", bandwidth / 1e9, bandwidth / limits.copy * 100, text(t.call).c_str());
        const std::string suspect = suspicion(t, bytes, limits);
        if (!suspect.empty()) std::printf("  %s", suspect.c_str());
    }
    std::printf("\n");
}

}  // namespace bench
