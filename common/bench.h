// bench.h: times a launch from C++, by the method of common/timing.py, for programs with no Python.
//
//   const bench::Timing t = bench::measure([&] { launch_add2(c, a, b, n, stream); }, stream);
//   bench::print_row("add2", t, 3 * n * sizeof(float), bench::copy_bandwidth(stream));
//
// Each launch is timed by two CUDA events around it, with an L2 cache that holds nothing of its data; the median of
// many is reported. Only the CUDA runtime is used: include it in a .cpp or a .cu. Built as CUDA on CPU, it times the
// CPU.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <vector>

#include "check.h"

namespace bench {

struct Timing {
    double seconds;  // median of the samples
    double spread;   // half of the samples lie in a band this wide, as a fraction of the median
    int samples;
};

// Memory of the current device, freed at the end of the scope.
inline std::unique_ptr<void, cudaError_t (*)(void*)> device_memory(size_t bytes) {
    void* memory = nullptr;
    CHECK_CUDA(cudaMalloc(&memory, bytes));
    return {memory, [](void* p) { return cudaFree(p); }};
}

// Milliseconds of `repeats` runs, one by one. While the GPU overwrites `cache`, the host queues the events and the run
// behind it, so that no gap between the two events waits for the host.
template <class Run>
std::vector<double> run_times(Run&& run, int repeats, cudaStream_t stream, void* cache, size_t cache_bytes) {
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
        times[i] = milliseconds;
    }
    for (cudaEvent_t& event : events) CHECK_CUDA(cudaEventDestroy(event));
    std::sort(times.begin(), times.end());
    return times;
}

// Times run(), which launches on `stream`: at least 10 times, and as often as fits into about 0.2 s.
template <class Run>
Timing measure(Run&& run, cudaStream_t stream) {
    constexpr size_t cache_bytes = size_t(256) << 20;  // larger than any GPU's L2
    const auto cache = device_memory(cache_bytes);
    run_times(run, 3, stream, cache.get(), cache_bytes);  // warm-up: loads the kernel, raises the clocks
    const auto start = std::chrono::steady_clock::now();
    run_times(run, 5, stream, cache.get(), cache_bytes);
    const std::chrono::duration<double> once = (std::chrono::steady_clock::now() - start) / 5;
    const int repeats = int(std::clamp(0.2 / once.count(), 10.0, 1000.0));
    const std::vector<double> times = run_times(run, repeats, stream, cache.get(), cache_bytes);
    const double median = times[repeats / 2];
    return {median / 1e3, (times[repeats * 3 / 4] - times[repeats / 4]) / median, repeats};
}

// Bytes a second, read plus written, of a copy of `bytes` within the device: what its memory can do.
inline double copy_bandwidth(cudaStream_t stream, size_t bytes = size_t(1) << 30) {
    const auto source = device_memory(bytes), target = device_memory(bytes);
    CHECK_CUDA(cudaMemsetAsync(source.get(), 1, bytes, stream));
    const auto copy = [&] {
        CHECK_CUDA(cudaMemcpyAsync(target.get(), source.get(), bytes, cudaMemcpyDeviceToDevice, stream));
    };
    return 2.0 * double(bytes) / measure(copy, stream).seconds;
}

// One line of a table. bytes: what the operator must move, every input read once and every output written once.
inline void print_row(const char* name, const Timing& t, size_t bytes, double copy_bandwidth) {
    const double bandwidth = double(bytes) / t.seconds;
    std::printf("        %-33s%7.1f us%9.0f%%%10.0f%9.0f%%\n", name, t.seconds * 1e6, t.spread * 100, bandwidth / 1e9,
                bandwidth / copy_bandwidth * 100);
}

}  // namespace bench
