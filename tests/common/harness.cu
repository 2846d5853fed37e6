// check.h and bench.h, tested with calls and launches that fail. Prints ok, or what went wrong.
#include <cstring>

#include "common/bench.h"
#include "common/check.h"

static int failures = 0;

static void expect(bool holds, const char* what) {
    if (!holds) std::printf("failed: %s\n", what), failures++;
}

__global__ void fill(float* x, int n, float value) {
    const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) x[i] = value;
}

static void launch_fill(float* x, int n, float value, int blocks, int threads) {
    fill<<<blocks, threads>>>(x, n, value);
    CHECK_LAUNCH();
}

// The message of the exception that f throws, or "".
template <class F>
static std::string message(F&& f) {
    try {
        f();
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "";
}

static bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

int main() {
    const int n = 1000;
    const auto memory = bench::device_memory(n * sizeof(float));
    float* x = static_cast<float*>(memory.get());

    std::string text = message([&] { CHECK_CUDA(cudaMemcpy(nullptr, x, 8, cudaMemcpyDeviceToHost)); });
    expect(has(text, "cudaMemcpy(nullptr, x, 8, cudaMemcpyDeviceToHost) failed"), "a failed call is named");
    expect(has(text, "harness.cu:"), "... with its file and line");
    expect(message([&] { launch_fill(x, n, 1, 4, 256); }) == "", "a good launch is not blamed for an earlier call");

    text = message([&] { launch_fill(x, n, 1, 0, 256); });
    expect(has(text, "launch_fill failed"), "a launch of 0 blocks names its launcher");
    text = message([&] { launch_fill(x, n, 1, 1, 2048); });
    expect(has(text, "launch_fill failed"), "a launch of 2048 threads a block names its launcher");
    expect(message([&] { launch_fill(x, n, 7, 4, 256); }) == "", "a good launch after bad ones works");
    float host[n];
    CHECK_CUDA(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
    expect(host[0] == 7 && host[n - 1] == 7, "... and writes what it should");

    int runs = 0;
    const bench::Timing once = bench::measure([&] { launch_fill(x, n, 1, 4, 256), runs++; }, nullptr);
    const bench::Timing many = bench::measure(
        [&] {
            for (int i = 0; i < 100; i++) launch_fill(x, n, 1, 4, 256);
        },
        nullptr);
    expect(once.samples >= 10 && runs == 2 * once.samples + 8 + (bench::on_gpu ? 1000 : 0),
           "measure runs as often as it says");
    expect(once.kernel > 0 && once.call > 0 && once.spread >= 0, "a time is positive");
    expect(many.kernel > 5 * once.kernel, "100 launches take longer than one");
    expect(bench::text(0.0000089) == "8.9 us" && bench::text(0.00112) == "1.12 ms", "times are shown as Python's are");
    const bench::Limits limits = bench::limits(nullptr, 1 << 22);
    expect(limits.copy > 0 && limits.peak > limits.copy, "a copy has a bandwidth, below the peak");
    expect(limits.nothing >= 0 && limits.nothing < many.kernel, "nothing takes less time than 100 launches");

    // A GPU of 4000 GB/s, whose copy reaches 3600, and a clock that says what we want.
    const bench::Limits fake = {3.6e12, 4e12, 2e-6};
    const auto suspicion = [&](size_t bytes, double seconds) {
        return bench::suspicion({seconds, 0, 0, 10}, bytes, fake);
    };
    expect(suspicion(12 << 20, (12 << 20) / 3.9e12) == "", "above the copy and below the peak is possible");
    expect(suspicion(12 << 20, (12 << 20) / 4.1e12) == "suspect: the memory's peak is 4000 GB/s", "above it is not");
    expect(suspicion(64, 2.3e-6) == "", "a small kernel is slow enough");
    expect(suspicion(64, 2.1e-6) == "suspect: no work on this stream", "... unless it takes no longer than nothing");
    expect(suspicion(0, 2e-6) == "", "... and had something to do");

    if (failures == 0) std::printf("ok\n");
    return failures;
}
