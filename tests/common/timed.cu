// How long one kernel takes by timing.h. tests/common/test_harness_gpu.py compares it with what ncu measures.
//
//   timed 28    2^28 elements; prints seconds
#include <cstdlib>

#include "common/timing.h"
#include "common/grid.h"

__global__ void timed_kernel(float* out, const float* in, int64_t n) {
    const int64_t stride = int64_t(gridDim.x) * blockDim.x;
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) out[i] = 2 * in[i];
}

static void launch_timed(float* out, const float* in, int64_t n) {
    timed_kernel<<<blocks_for(n, 256), 256>>>(out, in, n);
    CHECK_LAUNCH();
}

int main(int count, char** arguments) {
    const int64_t n = int64_t(1) << std::atoi(count > 1 ? arguments[1] : "20");
    const timing::Memory out = timing::device_memory(n * sizeof(float)), in = timing::device_memory(n * sizeof(float));
    CHECK_CUDA(cudaMemset(in.get(), 0, n * sizeof(float)));
    const auto run = [&] { launch_timed(static_cast<float*>(out.get()), static_cast<const float*>(in.get()), n); };
    std::printf("%g\n", timing::measure(run, nullptr).kernel);
}
