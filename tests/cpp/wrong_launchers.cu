// check_launch.h, tested with launchers that are wrong: it must reject each, and say why. Prints ok, or what went
// wrong.
#include "common/check_launch.h"

static int failures = 0;

__global__ void twice_kernel(float* out, const float* in, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2 * in[i];
}

static void twice(float* out, const float* in, int64_t n, cudaStream_t stream) {
    if (n > 0) twice_kernel<<<unsigned((n + 255) / 256), 256, 0, stream>>>(out, in, n);
    CHECK_LAUNCH();
}

static void zero_blocks(float* out, const float* in, int64_t n, cudaStream_t stream) {
    twice_kernel<<<unsigned((n + 255) / 256), 256, 0, stream>>>(out, in, n);  // 0 blocks when n is 0
    CHECK_LAUNCH();
}

__global__ void write(float* out, int64_t i, float value) { out[i] = value; }

// check_launch must throw, with these words.
template <class Launch>
static void rejected(const char* name, const char* words, Launch launch) {
    std::string said = "nothing";
    try {
        check_launch<float>(name, 1, check_sizes, launch, [](const float* in, int64_t) { return 2 * in[0]; });
    } catch (const std::runtime_error& error) {
        said = error.what();
    }
    if (said.find(words) != std::string::npos) return;
    std::printf("%s: expected an error with \"%s\", got: %s\n", name, words, said.c_str());
    failures++;
}

using In = const float* const*;

int main() {
    check_launch<float>(
        "right", 1, check_sizes, [](float* out, In in, int64_t n, cudaStream_t s) { twice(out, in[0], n, s); },
        [](const float* in, int64_t) { return 2 * in[0]; });

    rejected("never launched", "element 0 is ", [](float*, In, int64_t, cudaStream_t) {});
    rejected("leaves out the last", "nan, expected", [](float* out, In in, int64_t n, cudaStream_t s) {
        if (n > 1)
            twice(out, in[0], n - 1, s);
        else
            twice(out, in[0], n, s);
    });
    rejected("NaN in the last", "nan, expected", [](float* out, In in, int64_t n, cudaStream_t s) {
        twice(out, in[0], n, s);
        if (n > 0) write<<<1, 1, 0, s>>>(out, n - 1, NAN);
    });
    rejected("off by one in the last", "expected", [](float* out, In in, int64_t n, cudaStream_t s) {
        twice(out, in[0], n, s);
        if (n > 0) write<<<1, 1, 0, s>>>(out, n - 1, 1e9f);
    });
    rejected("goes one too far", "wrote behind the end",
             [](float* out, In in, int64_t n, cudaStream_t s) { twice(out, in[0], n + 1, s); });
    rejected("copies what lies behind", "wrote behind the end", [](float* out, In in, int64_t n, cudaStream_t s) {
        twice(out, in[0], n, s);
        CHECK_CUDA(cudaMemcpyAsync(out + n, in[0] + n, sizeof(float), cudaMemcpyDeviceToDevice, s));
    });
    rejected("writes behind the end", "wrote behind the end", [](float* out, In in, int64_t n, cudaStream_t s) {
        twice(out, in[0], n, s);
        write<<<1, 1, 0, s>>>(out, n, 0);
    });
    rejected("writes in front", "wrote in front", [](float* out, In in, int64_t n, cudaStream_t s) {
        twice(out, in[0], n, s);
        write<<<1, 1, 0, s>>>(out, -1, 0);
    });
    rejected("changes its input", "changed its input 0", [](float* out, In in, int64_t n, cudaStream_t s) {
        twice(out, in[0], n, s);
        if (n > 0) write<<<1, 1, 0, s>>>(const_cast<float*>(in[0]), 0, 1e9f);
    });
    rejected("launches 0 blocks", "zero_blocks failed",
             [](float* out, In in, int64_t n, cudaStream_t s) { zero_blocks(out, in[0], n, s); });
    const auto old = bench::device_memory(check_sizes.back() * sizeof(float));
    int64_t known = -1;
    rejected("gives an old result", "expected", [&](float* out, In in, int64_t n, cudaStream_t s) {
        const auto kept = static_cast<float*>(old.get());
        if (known != n) twice(kept, in[0], n, s);
        known = n;
        CHECK_CUDA(cudaMemcpyAsync(out, kept, n * sizeof(float), cudaMemcpyDeviceToDevice, s));
    });
#ifndef CUDA_ON_CPU
    rejected("launches on the default stream", "nan, expected",
             [](float* out, In in, int64_t n, cudaStream_t) { twice(out, in[0], n, nullptr); });
#endif

    if (same(0.0f, -0.0f) || !same(NAN, -NAN)) std::printf("same: 0 is not -0, and NaN is NaN\n"), failures++;
    if (failures == 0) std::printf("ok\n");
    return failures;
}
