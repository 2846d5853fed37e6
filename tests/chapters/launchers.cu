// Every launcher of every chapter against a plain loop, in C++ and without torch. A new launcher adds a row.
//
//   launchers               all of them; prints a line each
//   launchers launch_add2   only those named, and how long their kernels take
#include <functional>

#include "chapters/00_threads/hierarchy.h"
#include "chapters/00_threads/threads.h"
#include "chapters/01_hello/hello.h"
#include "chapters/02_square/square.h"
#include "chapters/03_add2/add2.h"
#include "chapters/04_package/package.h"
#include "chapters/05_cmake/axpy.h"
#include "chapters/06_vec4/vec4.h"
#include "chapters/07_autograd/swiglu.h"
#include "chapters/08_image/image.h"
#include "chapters/09_library/bias_gelu.h"
#include "chapters/11_transpose/transpose.h"
#include "chapters/12_reduce/histogram.h"
#include "chapters/12_reduce/reduce.h"
#include "chapters/13_softmax/rms_norm.h"
#include "chapters/13_softmax/softmax.h"
#include "common/checking.h"

using Floats = const float* const*;

// A launcher whose arrays have n floats.
struct Row {
    const char* name;
    int inputs;
    std::function<void(float* out, Floats in, int64_t n, cudaStream_t stream)> launch;
    std::function<float(const float* in, int64_t i)> expected;
    double tolerance = 0;  // as a fraction; 0 asks for the same bits
};

static float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }
static float sum(const float* in, int64_t) { return in[0] + in[1]; }
static float twice(const float* in, int64_t) { return 2 * in[0]; }

// gelu() and its slope are differences close to 0 at some places. With something added, errors are fractions of the
// sum.
__global__ void add_kernel(float* out, const float* in, float plus, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] += in ? plus * in[i] : plus;
}

static void add(float* out, const float* in, float plus, int64_t n, cudaStream_t s) {
    if (n > 0) add_kernel<<<unsigned((n + 255) / 256), 256, 0, s>>>(out, in, plus, n);
}

static double slope_of_gelu(float u) {
    return 0.5 * (1 + std::erf(u * std::sqrt(0.5))) + u * std::exp(-0.5 * u * u) / std::sqrt(2 * std::acos(-1.0));
}

// Launchers with the arguments (out, in, n, stream) and (out, a, b, n, stream), as a Row calls them.
static auto unary(void (*launch)(float*, const float*, int64_t, cudaStream_t)) {
    return [=](float* out, Floats in, int64_t n, cudaStream_t s) { launch(out, in[0], n, s); };
}
static auto binary(void (*launch)(float*, const float*, const float*, int64_t, cudaStream_t)) {
    return [=](float* out, Floats in, int64_t n, cudaStream_t s) { launch(out, in[0], in[1], n, s); };
}

static const std::vector<Row> rows = {
    {"launch_square_matrix", 1,  // n rows of one element: more rows than the 65535 blocks that y may have
     [](float* out, Floats in, int64_t n, cudaStream_t s) { launch_square_matrix(out, in[0], n, 1, s); },
     [](const float* in, int64_t) { return in[0] * in[0]; }},
    {"launch_square_by_columns", 1,  // one row of n elements: here y runs over the columns
     [](float* out, Floats in, int64_t n, cudaStream_t s) { launch_square_by_columns(out, in[0], 1, n, s); },
     [](const float* in, int64_t) { return in[0] * in[0]; }},
    {"launch_custom_operation", 1, unary(launch_custom_operation), twice},
    {"launch_add", 2, binary(launch_add), sum},
    {"launch_add2", 2, binary(launch_add2), sum},
    {"launch_my_kernel", 1, unary(launch_my_kernel), twice},
    {"launch_axpy", 2,
     [](float* out, Floats in, int64_t n, cudaStream_t s) { launch_axpy(out, 0.1f, in[0], in[1], n, s); },
     [](const float* in, int64_t) { return std::fma(0.1f, in[0], in[1]); }},
    {"launch_add_scalar", 2, binary(launch_add_scalar), sum},
    {"launch_add_grid_stride", 2, binary(launch_add_grid_stride), sum},
    {"launch_add_unrolled", 2,
     [](float* out, Floats in, int64_t n, cudaStream_t s) { launch_add_unrolled(out, in[0], in[1], n, 8, 1, 0, s); },
     sum},
    {"launch_add_vec4", 2,  // it takes multiples of four; another launcher adds the rest
     [](float* out, Floats in, int64_t n, cudaStream_t s) {
         const int64_t whole = n - n % 4;
         launch_add_vec4(out, in[0], in[1], whole, s);
         launch_add_scalar(out + whole, in[0] + whole, in[1] + whole, n - whole, s);
     },
     sum},
    {"launch_add_forward", 2, binary(launch_add_forward), sum},
    {"launch_add_forward<float>", 2, binary(launch_add_forward<float>), sum},
    {"launch_swiglu_forward", 2, binary(launch_swiglu_forward<float>),
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
    {"launch_bias_gelu", 2,  // one row of n elements
     [](float* out, Floats in, int64_t n, cudaStream_t s) {
         launch_bias_gelu(out, in[0], in[1], 1, n, false, s);
         add(out, nullptr, 64, n, s);
     },
     [](const float* in, int64_t) {
         const double u = in[0] + in[1];
         return float(64 + 0.5 * u * (1 + std::erf(u * std::sqrt(0.5))));
     },
     2e-6},
};

// Launchers with other types: these are checked, and not timed.
struct OtherRow {
    const char* name;
    std::function<void(const char* name)> check;
};

using Bytes = const uint8_t* const*;

// Of chapter 00. What does not depend on when a thread ran: the first four columns, and where a chase ends.
__global__ void names_of_threads_kernel(int64_t* out, const Where* rows, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const Where& row = rows[i / 4];
    const int64_t names[] = {row.block, row.thread, row.warp, row.lane};
    out[i] = names[i % 4];
}

static void check_where_am_i(const char* name) {
    constexpr int threads = 70;
    check_launch<int64_t>(
        name, 0, {4 * threads, 3 * 4 * threads},
        [](int64_t* out, const int64_t* const*, int64_t n, cudaStream_t s) {
            const timing::Memory rows = timing::device_memory(n / 4 * sizeof(Where));
            launch_where_am_i(static_cast<Where*>(rows.get()), n / 4 / threads, threads, 1000, s);
            names_of_threads_kernel<<<unsigned(n), 1, 0, s>>>(out, static_cast<const Where*>(rows.get()), n);
            CHECK_CUDA(cudaStreamSynchronize(s));  // before the rows' memory is gone
        },
        [](const int64_t*, int64_t i) {
            const int64_t thread = i / 4 % threads, names[] = {i / 4 / threads, thread, thread / 32, thread % 32};
            return names[i % 4];
        });
}

static void check_number(const char* name) {
    check_launch<int64_t>(
        name, 0, check_sizes,
        [](int64_t* out, const int64_t* const*, int64_t n, cudaStream_t s) { launch_number(out, n, 256, true, s); },
        [](const int64_t*, int64_t i) { return i; });
}

static void check_wait(const char* name) {  // what comes behind it in the stream runs
    check_launch<int64_t>(
        name, 0, {1},
        [](int64_t* out, const int64_t* const*, int64_t n, cudaStream_t s) {
            launch_wait(1000, s);
            launch_number(out, n, 256, true, s);
        },
        [](const int64_t*, int64_t i) { return i; });
}

static void check_count(const char* name) {
    check_launch<unsigned>(
        name, 0, {1, 255, 256, 257, 1 << 20},
        [](unsigned* out, const unsigned* const*, int64_t n, cudaStream_t s) { launch_count(out, n, s); },
        [](const unsigned*, int64_t i) { return unsigned(i); });
}

// A ring leads from line 0 through all others back to it: the places of the lines, in the order of the ring.
__global__ void places_kernel(int64_t* out, const Line* ring, int64_t n) {
    const Line* at = ring;
    for (int64_t i = 0; i < n; i++, at = at->next) out[at - ring] = i;
}

static void check_ring(const char* name) {
    check_launch<int64_t>(
        name, 0, {16},
        [](int64_t* out, const int64_t* const*, int64_t n, cudaStream_t s) {
            const timing::Memory ring = timing::device_memory(n * sizeof(Line));
            launch_ring(static_cast<Line*>(ring.get()), n, s);
            places_kernel<<<1, 1, 0, s>>>(out, static_cast<const Line*>(ring.get()), n);
            CHECK_CUDA(cudaStreamSynchronize(s));
        },
        [](const int64_t*, int64_t i) {  // how many steps from line 0 to line i
            int64_t steps = 0;
            for (int64_t line = 0; line != i; steps++) line = (line * 1664525 + 1013904223) % 16;
            return steps;
        });
}

template <bool shared>
static void check_chase(const char* name) {  // 16 lines: after 8 and 16 more steps it stands where it started
    check_launch<int64_t>(
        name, 0, {1},
        [](int64_t* out, const int64_t* const*, int64_t, cudaStream_t s) {
            const timing::Memory ring = timing::device_memory(16 * sizeof(Line)), result = timing::device_memory(24);
            auto* values = static_cast<int64_t*>(result.get());
            launch_ring(static_cast<Line*>(ring.get()), 16, s);
            if (shared)
                launch_chase_shared(values, 16, 16, 32, s);
            else
                launch_chase(values, static_cast<Line*>(ring.get()), 16, 32, s);
            CHECK_CUDA(cudaMemcpyAsync(out, values + 2, sizeof *out, cudaMemcpyDeviceToDevice, s));
            CHECK_CUDA(cudaStreamSynchronize(s));
        },
        [](const int64_t*, int64_t) { return 0; });
}

template <bool shared>
static void check_read(const char* name) {  // a sum for each thread of three blocks, of one piece or of two
    constexpr int64_t numbers = reading_threads * loads * 4;
    constexpr int pieces = shared ? 1 : 2;
    check_launch<unsigned>(
        name, 0, {3 * reading_threads},
        [](unsigned* out, const unsigned* const*, int64_t, cudaStream_t s) {
            const timing::Memory array = timing::device_memory(pieces * numbers * sizeof(unsigned));
            auto* count = static_cast<unsigned*>(array.get());
            launch_count(count, pieces * numbers, s);
            if (shared)
                launch_read_shared(out, count, 3, 3, s);
            else
                launch_read(out, count, pieces, 3, 3, s);
            CHECK_CUDA(cudaStreamSynchronize(s));
        },
        [](const unsigned*, int64_t i) {
            unsigned sum = 0;
            for (int64_t read = 0; read < 3; read++) {
                const int64_t piece = (i / reading_threads * 3 + read) % pieces;
                for (int k = 0; k < loads; k++)
                    for (int j = 0; j < 4; j++)
                        sum += unsigned(piece * numbers + 4 * (k * reading_threads + i % reading_threads) + j);
            }
            return sum;
        });
}

static void check_hello(const char* name) {  // no inputs, letters, and one size
    check_launch<int8_t>(
        name, 0, {hello_length},
        [](int8_t* out, const int8_t* const*, int64_t, cudaStream_t s) { launch_hello(out, s); },
        [](const int8_t*, int64_t i) { return int8_t("Hello World!"[i]); });
}

static uint8_t gray(int r, int g, int b) { return uint8_t((299 * r + 587 * g + 114 * b + 500) / 1000); }

static void check_gray(const char* name) {  // an image one pixel wide: its rows are one long row
    check_launch<uint8_t>(
        name, 1, check_sizes,
        [](uint8_t* out, Bytes in, int64_t n, cudaStream_t s) {
            launch_rgb_to_gray(out, {in[0], 1, n, 1, 3 * n, 3}, false, s);
        },
        [](const uint8_t* in, int64_t) { return gray(in[0], in[1], in[2]); }, 0, 3);
}

static void check_bgr_with_gaps(const char* name) {  // a pixel in every 6 bytes: no rows to join
    check_launch<uint8_t>(
        name, 1, check_sizes,
        [](uint8_t* out, Bytes in, int64_t n, cudaStream_t s) {
            launch_rgb_to_gray(out, {in[0], 1, n, 1, 6 * n, 6}, true, s);
        },
        [](const uint8_t* in, int64_t) { return gray(in[2], in[1], in[0]); }, 0, 6);
}

static void check_gray_naive(const char* name) {
    check_launch<uint8_t>(
        name, 1, check_sizes,
        [](uint8_t* out, Bytes in, int64_t n, cudaStream_t s) {
            launch_rgb_to_gray_naive(out, {in[0], 1, n, 1, 3 * n, 3}, s);
        },
        [](const uint8_t* in, int64_t) {
            return uint8_t(
                fmaf(0.114f, in[2], fmaf(0.587f, in[1], 0.299f * in[0])));  // std::fma of a byte is in double
        },
        0, 3);
}

// A row that is repeated 700 times: grad_x of the last row, or grad_bias, which is the sum of so many partial sums.
template <bool of_bias>
static void check_bias_gelu_backward(const char* name) {
    constexpr int64_t rows = 700;
    check_launch<float>(
        name, 3, {1, 3, 64, 255, 257, 1028},
        [](float* out, Floats in, int64_t n, cudaStream_t s) {
            const timing::Memory memory = timing::device_memory((3 * rows + partial_rows<float>(rows, n) + 1) * n * 4);
            float *grad = static_cast<float*>(memory.get()), *x = grad + rows * n, *grad_x = x + rows * n;
            float *grad_bias = grad_x + rows * n, *partial = grad_bias + n;
            for (int64_t row = 0; row < rows; row++) {
                CHECK_CUDA(cudaMemcpyAsync(grad + row * n, in[0], n * 4, cudaMemcpyDeviceToDevice, s));
                CHECK_CUDA(cudaMemcpyAsync(x + row * n, in[1], n * 4, cudaMemcpyDeviceToDevice, s));
            }
            launch_bias_gelu_backward(grad_x, grad_bias, partial, grad, x, in[2], rows, n, false, s);
            const float* result = of_bias ? grad_bias : grad_x + (rows - 1) * n;
            CHECK_CUDA(cudaMemcpyAsync(out, result, n * 4, cudaMemcpyDeviceToDevice, s));
            add(out, in[0], of_bias ? 2 * rows : 2, n, s);
            CHECK_CUDA(cudaStreamSynchronize(s));  // before the memory is gone
        },
        [](const float* in, int64_t) {
            return float((of_bias ? rows : 1) * (in[0] * (slope_of_gelu(in[1] + in[2]) + 2)));
        },
        of_bias ? 2e-5 : 2e-6);
}

template <auto launch_normalize>
static void check_volume(const char* name) {
    check_launch<float, uint16_t>(
        name, 1, check_sizes,
        [](float* out, const uint16_t* const* in, int64_t n, cudaStream_t s) {
            launch_normalize(out, in[0], n, 1000.0f, s);
        },
        [](const uint16_t* in, int64_t) { return in[0] / 1000.0f; });
}

// Of numbered elements: where each of the result comes from. With whole tiles, with packs and without.
template <auto launch>
static void check_transpose(const char* name) {
    const std::pair<int64_t, int64_t> shapes[] = {{1, 1}, {1, 300}, {33, 65}, {64, 128}, {260, 36}};
    for (const auto& [rows, columns] : shapes) {
        const int64_t down = rows, across = columns;  // C++17 captures no structured bindings
        check_launch<unsigned>(
            name, 0, {0, down * across},
            [=](unsigned* out, const unsigned* const*, int64_t n, cudaStream_t s) {
                const timing::Memory memory = timing::device_memory(n * sizeof(unsigned));
                auto* numbers = static_cast<unsigned*>(memory.get());
                if (n > 0) launch_count(numbers, n, s);
                launch(out, numbers, 1, n == 0 ? 0 : down, across, s);
                CHECK_CUDA(cudaStreamSynchronize(s));  // before the memory is gone
            },
            [=](const unsigned*, int64_t i) { return unsigned(i % down * across + i / down); });
    }
}

// One result of many elements: the "width" of check_launch().
constexpr int64_t SUMMED = 200'003;

template <auto launch_sum>
static void check_sum(const char* name) {
    check_launch<float>(
        name, 1, {1},
        [](float* out, Floats in, int64_t, cudaStream_t s) {
            const timing::Memory scratch = timing::device_memory(scratch_floats<float>(SUMMED, 0) * sizeof(float));
            auto* memory = static_cast<float*>(scratch.get());
            if constexpr (std::is_invocable_v<decltype(launch_sum), float*, const float*, int64_t, float*, int,
                                              cudaStream_t>)
                launch_sum(out, in[0], SUMMED, memory, 0, s);
            else
                launch_sum(out, in[0], SUMMED, memory, s);
            CHECK_CUDA(cudaStreamSynchronize(s));
        },
        [](const float* in, int64_t) {
            double sum = 0;
            for (int64_t i = 0; i < SUMMED; i++) sum += in[i];
            return float(sum);
        },
        1e-4, SUMMED);
}

template <auto launch_histogram>
static void check_histogram(const char* name) {  // how often 77 occurs
    check_launch<int64_t, uint8_t>(
        name, 1, {1},
        [](int64_t* out, Bytes in, int64_t, cudaStream_t s) {
            const timing::Memory memory = timing::device_memory(256 * sizeof(int64_t));
            auto* counts = static_cast<int64_t*>(memory.get());
            launch_histogram(counts, in[0], SUMMED, 256, s);
            CHECK_CUDA(cudaMemcpyAsync(out, counts + 77, sizeof *out, cudaMemcpyDeviceToDevice, s));
            CHECK_CUDA(cudaStreamSynchronize(s));
        },
        [](const uint8_t* in, int64_t) { return int64_t(std::count(in, in + SUMMED, 77)); }, 0, SUMMED);
}

static void launch_histogram_of_copies(int64_t* counts, const uint8_t* x, int64_t n, int64_t bins, cudaStream_t s) {
    launch_histogram_shared(counts, x, n, bins, 0, s);
}

// Rows of ROW elements: the first element of each row's result, plus 8.
constexpr int ROW = 6;

template <class Launch>
static void check_rows(const char* name, Launch launch, float (*expected)(const float*, int64_t)) {
    check_launch<float>(
        name, 1, {1, 3, 255, 257, 5000},
        [=](float* out, Floats in, int64_t n, cudaStream_t s) {
            const timing::Memory memory = timing::device_memory((n + 1) * ROW * sizeof(float));
            auto *result = static_cast<float*>(memory.get()), *ones = result + n * ROW;
            CHECK_CUDA(cudaMemsetAsync(ones, 0, ROW * sizeof(float), s));
            add(ones, nullptr, 1, ROW, s);
            launch(result, in, ones, n, s);
            CHECK_CUDA(cudaMemcpy2DAsync(out, sizeof(float), result, ROW * sizeof(float), sizeof(float), size_t(n),
                                         cudaMemcpyDeviceToDevice, s));
            add(out, nullptr, 8, n, s);
            CHECK_CUDA(cudaStreamSynchronize(s));  // before the memory is gone
        },
        expected, 5e-6, ROW);
}

static void check_softmax(const char* name) {
    check_rows(
        name,
        [](float* result, Floats in, const float*, int64_t n, cudaStream_t s) {
            launch_softmax(result, in[0], n, ROW, Step::automatic, s);
        },
        [](const float* in, int64_t) {
            double sum = 0;
            for (int i = 0; i < ROW; i++) sum += std::exp(double(in[i]) - in[0]);
            return float(8 + 1 / sum);
        });
}

static void check_softmax_backward(const char* name) {  // of y = grad
    check_rows(
        name,
        [](float* result, Floats in, const float*, int64_t n, cudaStream_t s) {
            launch_softmax_backward(result, in[0], in[0], n, ROW, Step::automatic, s);
        },
        [](const float* in, int64_t) {
            double sum = 0;
            for (int i = 0; i < ROW; i++) sum += double(in[i]) * in[i];
            return float(8 + in[0] * (in[0] - sum));
        });
}

static double scale_of(const float* in) {
    double sum = 0;
    for (int i = 0; i < ROW; i++) sum += double(in[i]) * in[i];
    return 1 / std::sqrt(sum / ROW + 0.5);
}

static void check_rms_norm(const char* name) {
    check_rows(
        name,
        [](float* result, Floats in, const float* ones, int64_t n, cudaStream_t s) {
            launch_rms_norm(result, in[0], ones, n, ROW, 0.5f, Step::automatic, s);
        },
        [](const float* in, int64_t) { return float(8 + in[0] * scale_of(in)); });
}

static void check_rms_norm_backward(const char* name) {  // of grad = x: x * s^3 * eps
    check_rows(
        name,
        [](float* result, Floats in, const float* ones, int64_t n, cudaStream_t s) {
            const int64_t rows = partial_rows<float>(n, ROW, Step::automatic);
            const timing::Memory memory = timing::device_memory((rows + 1) * ROW * sizeof(float));
            auto *grad_weight = static_cast<float*>(memory.get()), *partial = grad_weight + ROW;
            launch_rms_norm_backward(result, grad_weight, partial, in[0], in[0], ones, n, ROW, 0.5f, Step::automatic,
                                     s);
            CHECK_CUDA(cudaStreamSynchronize(s));
        },
        [](const float* in, int64_t) {
            const double s = scale_of(in);
            return float(8 + in[0] * s * s * s * 0.5);
        });
}

static const std::vector<OtherRow> other_rows = {
    {"launch_where_am_i", check_where_am_i},
    {"launch_wait", check_wait},
    {"launch_number", check_number},
    {"launch_count", check_count},
    {"launch_ring", check_ring},
    {"launch_chase", check_chase<false>},
    {"launch_chase_shared", check_chase<true>},
    {"launch_read", check_read<false>},
    {"launch_read_shared", check_read<true>},
    {"launch_hello", check_hello},
    {"launch_rgb_to_gray", check_gray},
    {"launch_rgb_to_gray, BGR with gaps", check_bgr_with_gaps},
    {"launch_rgb_to_gray_naive", check_gray_naive},
    {"launch_bias_gelu_backward", check_bias_gelu_backward<false>},
    {"launch_bias_gelu_backward, for the bias", check_bias_gelu_backward<true>},
    {"launch_transpose_naive", check_transpose<launch_transpose_naive<uint32_t>>},
    {"launch_transpose_tile", check_transpose<launch_transpose_tile<uint32_t>>},
    {"launch_transpose_padded", check_transpose<launch_transpose_padded<uint32_t>>},
    {"launch_transpose_swizzled", check_transpose<launch_transpose_swizzled<uint32_t>>},
    {"launch_transpose_rows", check_transpose<launch_transpose_rows<uint32_t>>},
    {"launch_transpose", check_transpose<launch_transpose<uint32_t>>},
    {"launch_softmax", check_softmax},
    {"launch_softmax_backward", check_softmax_backward},
    {"launch_rms_norm", check_rms_norm},
    {"launch_rms_norm_backward", check_rms_norm_backward},
    {"launch_normalize_volume", check_volume<launch_normalize_volume>},
    {"launch_normalize_volume_naive", check_volume<launch_normalize_volume_naive>},
    {"launch_sum_atomic", check_sum<launch_sum_atomic<float>>},
    {"launch_sum_tree", check_sum<launch_sum_tree<float>>},
    {"launch_sum_shuffle", check_sum<launch_sum_shuffle<float>>},
    {"launch_sum_packs", check_sum<launch_sum_packs<float>>},
    {"launch_sum_last_block", check_sum<launch_sum_last_block<float>>},
    {"launch_sum_chunks", check_sum<launch_sum_chunks<float>>},
    {"launch_histogram_global", check_histogram<launch_histogram_global<uint8_t>>},
    {"launch_histogram_shared", check_histogram<launch_histogram_of_copies>},
};

static void time(const Row& row) {
    const int64_t n = 1 << 20;
    const timing::Timing t = bench_launch<float>(row.name, row.inputs, n, row.launch, row.expected, row.tolerance);
    timing::print_head(n, "float32");
    timing::print_row(row.name, t, (row.inputs + 1) * n * sizeof(float), timing::limits(nullptr));
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
    for (const OtherRow& row : other_rows) {
        if (!is_wanted(row.name)) continue;
        row.check(row.name);
        std::printf("check   %-50s  ok\n", row.name);
    }
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
