// main.cpp: a program without Python. It makes tensors, and compares the operator with at::add, or times it.
//
//   axpy_main          check
//   axpy_main 4 20     time 2^4 and 2^20 elements
#include <ATen/ops/add.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/rand.h>
#include <c10/cuda/CUDAStream.h>

#include <cstdlib>

#include "axpy.h"
#include "common/timing.h"
#include "common/check_tensor.h"

static at::Tensor random(int64_t n) { return at::rand({n}, at::device(kernel_device).dtype(at::kFloat)); }

static void check() {
    for (const int64_t n : {0, 1, 3, 255, 256, 257, (1 << 20) + 3}) {
        const at::Tensor x = random(n), y = random(n);
        for (const double alpha : {0.0, 1.0, -2.5}) {
            // NaN is not close to anything, not even to NaN, so a result that was never written does not pass.
            TORCH_CHECK(at::allclose(axpy(x, y, alpha), at::add(y, x, alpha)), "axpy is wrong: n = ", n,
                        ", alpha = ", alpha);
        }
    }
    std::printf("%-58s  ok\n", "check   axpy from C++: n = 0 1 3 255 256 257 1048579");
}

static void time(int64_t n, const timing::Limits& limits) {
    const at::Tensor x = random(n), y = random(n), z = random(n);
    const cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
    const size_t bytes = 3 * n * sizeof(float);
    const auto row = [&](const char* name, auto&& run) {
        timing::print_row(name, timing::measure(run, stream), bytes, limits);
    };
    timing::print_head(n, "float32");
    row("launch_axpy", [&] {
        launch_axpy(z.mutable_data_ptr<float>(), 2.0f, x.const_data_ptr<float>(), y.const_data_ptr<float>(), n, stream);
    });
    row("axpy from C++", [&] { axpy(x, y, 2.0); });
    row("at::add from C++", [&] { at::add(y, x, 2.0); });
}

int main(int argc, char** argv) try {
    if (argc == 1) check();
    const timing::Limits limits = argc > 1 ? timing::limits(nullptr) : timing::Limits();
    for (int i = 1; i < argc; i++) {
        char* end = nullptr;
        const long k = std::strtol(argv[i], &end, 10);
        TORCH_CHECK_VALUE(end != argv[i] && *end == 0 && 0 <= k && k <= 32,
                          "a size must be between 0 and 32, for 2^0 to 2^32 elements, got ", argv[i]);
        time(int64_t(1) << k, limits);
    }
} catch (const c10::Error& error) {  // otherwise the program would end with "terminate called" and a core dump
    std::fprintf(stderr, "%s\n", error.what_without_backtrace());  // what() adds a list of addresses
    return 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
