// Every launcher of every chapter against a plain loop, in C++ and without torch. A new launcher adds a row.
//
//   launchers               all of them; prints a line each
//   launchers launch_add2   only those named, and how long their kernels take
#include <functional>

#include "chapters/01_hello/hello.h"
#include "chapters/02_square/square.h"
#include "chapters/03_add2/add2.h"
#include "chapters/04_package/package.h"
#include "chapters/05_cmake/axpy.h"
#include "chapters/06_vec4/vec4.h"
#include "chapters/07_autograd/swiglu.h"
#include "common/check_launch.h"

using Floats = const float* const*;

// A launcher whose arrays have n elements; `width`: how many elements a row has, where it works on rows.
struct Row {
    const char* name;
    int inputs;
    std::function<void(float* out, Floats in, int64_t n, cudaStream_t stream)> launch;
    std::function<float(const float* in, int64_t i)> expected;
    double tolerance = 0;  // as a fraction; 0 asks for the same bits
};

static float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

static const std::vector<Row> rows = {
    {"launch_square_matrix", 1,  // n rows of one element: more rows than the 65535 blocks that y may have
     [](float* out, Floats in, int64_t n, cudaStream_t s) { launch_square_matrix(out, in[0], n, 1, s); },
     [](const float* in, int64_t) { return in[0] * in[0]; }},
    {"launch_custom_operation", 1,
     [](float* out, Floats in, int64_t n, cudaStream_t s) { launch_custom_operation(out, in[0], n, s); },
     [](const float* in, int64_t) { return 2 * in[0]; }},
    {"launch_add", 2, [](float* out, Floats in, int64_t n, cudaStream_t s) { launch_add(out, in[0], in[1], n, s); },
     [](const float* in, int64_t) { return in[0] + in[1]; }},
    {"launch_add2", 2, [](float* out, Floats in, int64_t n, cudaStream_t s) { launch_add2(out, in[0], in[1], n, s); },
     [](const float* in, int64_t) { return in[0] + in[1]; }},
    {"launch_my_kernel", 1,
     [](float* out, Floats in, int64_t n, cudaStream_t s) { launch_my_kernel(out, in[0], n, s); },
     [](const float* in, int64_t) { return 2 * in[0]; }},
    {"launch_axpy", 2,
     [](float* out, Floats in, int64_t n, cudaStream_t s) { launch_axpy(out, 0.1f, in[0], in[1], n, s); },
     [](const float* in, int64_t) { return std::fma(0.1f, in[0], in[1]); }},
    {"launch_add_scalar", 2,
     [](float* out, Floats in, int64_t n, cudaStream_t s) { launch_add_scalar(out, in[0], in[1], n, s); },
     [](const float* in, int64_t) { return in[0] + in[1]; }},
    {"launch_add_grid_stride", 2,
     [](float* out, Floats in, int64_t n, cudaStream_t s) { launch_add_grid_stride(out, in[0], in[1], n, s); },
     [](const float* in, int64_t) { return in[0] + in[1]; }},
    {"launch_add_unrolled", 2,
     [](float* out, Floats in, int64_t n, cudaStream_t s) { launch_add_unrolled(out, in[0], in[1], n, 8, 1, s); },
     [](const float* in, int64_t) { return in[0] + in[1]; }},
    {"launch_add_vec4", 2,  // it takes multiples of four; another launcher adds the rest
     [](float* out, Floats in, int64_t n, cudaStream_t s) {
         const int64_t whole = n - n % 4;
         launch_add_vec4(out, in[0], in[1], whole, s);
         launch_add_scalar(out + whole, in[0] + whole, in[1] + whole, n - whole, s);
     },
     [](const float* in, int64_t) { return in[0] + in[1]; }},
    {"launch_add_forward", 2,
     [](float* out, Floats in, int64_t n, cudaStream_t s) { launch_add_forward(out, in[0], in[1], n, s); },
     [](const float* in, int64_t) { return in[0] + in[1]; }},
    {"launch_plain_add", 2,
     [](float* out, Floats in, int64_t n, cudaStream_t s) { launch_plain_add(out, in[0], in[1], n, s); },
     [](const float* in, int64_t) { return in[0] + in[1]; }},
    {"launch_swiglu_forward", 2,
     [](float* out, Floats in, int64_t n, cudaStream_t s) { launch_swiglu_forward(out, in[0], in[1], n, s); },
     [](const float* in, int64_t) { return in[0] * sigmoid(in[0]) * in[1]; }, 2e-6},
    {"launch_swiglu_backward", 3,  // for a; 1 + a * (1 - s) is a difference close to 0 where a is -1.25
     [](float* out, Floats in, int64_t n, cudaStream_t s) {
         launch_swiglu_backward<float>(out, nullptr, in[0], in[1], in[2], n, s);
     },
     [](const float* in, int64_t) {
         const float s = sigmoid(in[1]);
         return in[0] * in[2] * s * (1 + in[1] * (1 - s));
     },
     3e-5},
    {"launch_swiglu_backward, for b", 2,
     [](float* out, Floats in, int64_t n, cudaStream_t s) {
         launch_swiglu_backward<float>(nullptr, out, in[0], in[1], nullptr, n, s);
     },
     [](const float* in, int64_t) { return in[0] * in[1] * sigmoid(in[1]); }, 2e-6},
};

static void time(const Row& row) {
    const int64_t n = 1 << 20;
    const GuardedArray<float> out(n, 0xA5), in(n, 0x5A);
    in.set(std::vector<float>(n, 1.0f));
    const std::vector<const float*> pointers(row.inputs, in.data());
    const bench::Timing t = bench::measure([&] { row.launch(out.data(), pointers.data(), n, nullptr); }, nullptr);
    bench::print_head(n, "float32");
    bench::print_row(row.name, t, (row.inputs + 1) * n * sizeof(float), bench::copy_bandwidth(nullptr));
}

int main(int count, char** arguments) try {
    const std::vector<std::string> wanted(arguments + 1, arguments + count);
    const auto is_wanted = [&](const char* name) {
        return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
    };
    for (const Row& row : rows) {
        if (!is_wanted(row.name)) continue;
        check_launch<float>(row.name, row.inputs, check_sizes, row.launch, row.expected, row.tolerance);
        std::printf("check   %-50s  ok\n", row.name);
        if (!wanted.empty()) time(row);
    }
    if (is_wanted("launch_hello")) {  // no inputs, letters, and one size
        check_launch<char>(
            "launch_hello", 0, {hello_length},
            [](char* out, const char* const*, int64_t, cudaStream_t s) { launch_hello(out, s); },
            [](const char*, int64_t i) { return "Hello World!"[i]; });
        std::printf("check   %-50s  ok\n", "launch_hello");
    }
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
