// reduce.cpp: the operators of this chapter, by torch's stable ABI (chapter 10). main.py adds gradients and shapes.
#include "reduce.h"

#include <string>

#include "common/stable.h"
#include "histogram.h"

// A launcher that does not take the number of blocks, with the parameters of those that do.
template <class T, void (*launch)(T*, const T*, int64_t, void*, cudaStream_t)>
static void without_blocks(T* out, const T* x, int64_t n, void* scratch, int, cudaStream_t stream) {
    launch(out, x, n, scratch, stream);
}

template <class T>
static auto launcher_of(const std::string& step) {
    return step == "atomic"       ? without_blocks<T, launch_sum_atomic<T>>
           : step == "tree"       ? without_blocks<T, launch_sum_tree<T>>
           : step == "shuffle"    ? without_blocks<T, launch_sum_shuffle<T>>
           : step == "packs"      ? launch_sum_packs<T>
           : step == "last_block" ? launch_sum_last_block<T>
           : step == "chunks"     ? launch_sum_chunks<T>
                                  : nullptr;
}

// The sum by one step of the lesson. The last three steps take the number of blocks, and 0 stands for as many as suit
// the GPU. Room for partial sums comes from torch's allocator, so two calls never share it, on whatever streams they
// run.
Tensor sum_by(const Tensor& x, const std::string& step, int64_t blocks) {
    check_input(x, "x", FLOATS_AND_DOUBLE);
    STD_TORCH_CHECK(launcher_of<float>(step), "step must be atomic, tree, shuffle, packs, last_block or chunks, got ",
                    step);
    STD_TORCH_CHECK(0 <= blocks && blocks <= 1 << 16, "blocks must be 0 to 65536, got ", blocks);
    const DeviceGuard guard(x.get_device_index());
    const Tensor out = torch::stable::new_empty(x, {});
    with_type_or_double(x.scalar_type(), [&](auto of) {
        using T = decltype(of);
        const int64_t n = x.numel(), bytes = scratch_bytes<T>(n, int(blocks));
        const Tensor memory = torch::stable::new_empty(x, {bytes}, ScalarType::Byte);
        launcher_of<T>(step)(data<T>(out), data<const T>(x), n, data<void>(memory), int(blocks), current_stream(x));
    });
    return out;
}

// The sum of all elements of x: float32, float64, float16 or bfloat16, contiguous, of any shape.
Tensor sum(const Tensor& x, bool deterministic) { return sum_by(x, deterministic ? "chunks" : "last_block", 0); }

static Tensor histogram_step(const Tensor& x, int64_t bins, const std::string& step) {
    const Tensor out = torch::stable::new_empty(x, {bins}, ScalarType::Long);
    const auto launch = [&](auto of) {
        using T = decltype(of);
        int64_t* counts = data<int64_t>(out);
        const T* in = data<const T>(x);
        if (step == "global") return launch_histogram_global(counts, in, x.numel(), bins, current_stream(x));
        launch_histogram_shared(counts, in, x.numel(), bins, step == "shared" ? 1 : 0, current_stream(x));
    };
    x.scalar_type() == ScalarType::Byte ? launch(uint8_t()) : launch(int32_t());
    return out;
}

static void check_histogram(const Tensor& x, int64_t bins) {
    check_input(x, "x", {ScalarType::Byte, ScalarType::Int});
    STD_TORCH_CHECK(1 <= bins && bins <= INT32_MAX, "bins must be 1 to 2147483647, got ", bins);
}

// How often each of the values 0 to bins - 1 occurs in x: uint8 or int32, contiguous, of any shape. It ignores others.
Tensor histogram(const Tensor& x, int64_t bins) {
    check_histogram(x, bins);
    const DeviceGuard guard(x.get_device_index());
    return histogram_step(x, bins, bins <= shared_bins() ? "copies" : "global");
}

// The same by one step: global, shared (each block has one histogram) or copies (each block has several).
Tensor histogram_by(const Tensor& x, int64_t bins, const std::string& step) {
    check_histogram(x, bins);
    const bool known = step == "global" || step == "shared" || step == "copies";
    STD_TORCH_CHECK(known, "step must be global, shared or copies, got ", step);
    const DeviceGuard guard(x.get_device_index());
    const bool fits = step == "global" || bins <= shared_bins();
    STD_TORCH_CHECK(fits, "bins must be 1 to ", shared_bins(), " with step ", step, ", got ", bins);
    return histogram_step(x, bins, step);
}

STABLE_TORCH_LIBRARY(chapter12, m) {
    m.def("sum(Tensor x, *, bool deterministic=False) -> Tensor");
    m.def("sum_by(Tensor x, str step, *, int blocks=0) -> Tensor");
    m.def("histogram(Tensor x, int bins) -> Tensor");
    m.def("histogram_by(Tensor x, int bins, str step) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(chapter12, KERNEL_DISPATCH_KEY, m) {
    m.impl("sum", TORCH_BOX(&sum));
    m.impl("sum_by", TORCH_BOX(&sum_by));
    m.impl("histogram", TORCH_BOX(&histogram));
    m.impl("histogram_by", TORCH_BOX(&histogram_by));
}
