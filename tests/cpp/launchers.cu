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
#include "chapters/08_image/image.h"
#include "common/check_launch.h"

using Floats = const float* const*;

// A launcher whose arrays have n elements; `width`: how many elements a row has, where it works on rows.
struct Row {
    const char* name;
    int inputs;
    std::function<void(float* out, Floats in, int64_t n, cudaStream_t stream)> launch;
    std::function<float(const float* in, int64_t i)> expected;
};

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
};

// The same for launchers with other types: these are checked, and not timed.
struct OtherRow {
    const char* name;
    std::function<void(const std::string& name)> check;
};

static unsigned thousandths_of_gray(const uint8_t* rgb) { return 299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2]; }

static const std::vector<OtherRow> other_rows = {
    {"launch_hello",  // no inputs, letters, and one size
     [](const std::string& name) {
         check_launch<char>(
             name, 0, {hello_length},
             [](char* out, const char* const*, int64_t, cudaStream_t s) { launch_hello(out, s); },
             [](const char*, int64_t i) { return "Hello World!"[i]; });
     }},
    {"launch_rgb_to_gray",  // an image one pixel wide: its rows are one long row
     [](const std::string& name) {
         check_launch<uint8_t, uint8_t>(
             name, 1, check_sizes,
             [](uint8_t* out, const uint8_t* const* in, int64_t n, cudaStream_t s) {
                 launch_rgb_to_gray(out, {in[0], 1, n, 1, 3 * n, 3}, false, s);
             },
             [](const uint8_t* in, int64_t) { return uint8_t((thousandths_of_gray(in) + 500) / 1000); }, 3);
     }},
    {"launch_rgb_to_gray, gaps",  // rows of a pixel, and every other one of another image: nothing to join
     [](const std::string& name) {
         check_launch<uint8_t, uint8_t>(
             name, 1, check_sizes,
             [](uint8_t* out, const uint8_t* const* in, int64_t n, cudaStream_t s) {
                 launch_rgb_to_gray(out, {in[0], 1, n, 1, 6 * n, 6}, true, s);
             },
             [](const uint8_t* in, int64_t) {
                 const uint8_t rgb[] = {in[2], in[1], in[0]};
                 return uint8_t((thousandths_of_gray(rgb) + 500) / 1000);
             },
             6);
     }},
    {"launch_rgb_to_gray_naive",
     [](const std::string& name) {
         check_launch<uint8_t, uint8_t>(
             name, 1, check_sizes,
             [](uint8_t* out, const uint8_t* const* in, int64_t n, cudaStream_t s) {
                 launch_rgb_to_gray_naive(out, {in[0], 1, n, 1, 3 * n, 3}, s);
             },
             [](const uint8_t* in, int64_t) {
                 return uint8_t(fmaf(0.114f, in[2], fmaf(0.587f, in[1], 0.299f * in[0])));
             },
             3);
     }},
    {"launch_normalize_volume",
     [](const std::string& name) {
         check_launch<float, uint16_t>(
             name, 1, check_sizes,
             [](float* out, const uint16_t* const* in, int64_t n, cudaStream_t s) {
                 launch_normalize_volume(out, in[0], n, 1000.0f, s);
             },
             [](const uint16_t* in, int64_t) { return in[0] / 1000.0f; });
     }},
    {"launch_normalize_volume_naive",
     [](const std::string& name) {
         check_launch<float, uint16_t>(
             name, 1, check_sizes,
             [](float* out, const uint16_t* const* in, int64_t n, cudaStream_t s) {
                 launch_normalize_volume_naive(out, in[0], n, 1000.0f, s);
             },
             [](const uint16_t* in, int64_t) { return in[0] / 1000.0f; });
     }},
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
        check_launch<float>(row.name, row.inputs, check_sizes, row.launch, row.expected);
        std::printf("check   %-50s  ok\n", row.name);
        if (!wanted.empty()) time(row);
    }
    for (const OtherRow& row : other_rows) {
        if (!is_wanted(row.name)) continue;
        row.check(row.name);
        std::printf("check   %-50s  ok\n", row.name);
    }
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
