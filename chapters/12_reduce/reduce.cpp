// reduce.cpp: the operators of this chapter, by torch's stable ABI (chapter 10). main.py adds gradients and shapes.
#include "reduce.h"

#include <string>

#include "common/stable.h"
#include "histogram.h"

// Room for partial sums comes from torch's allocator: no two calls share it, on whatever streams they run.
static Tensor sum_step(const Tensor& x, const std::string& step, int64_t blocks) {
    check_input(x, "x", FLOATS);
    const bool known = step == "atomic" || step == "tree" || step == "shuffle" || step == "packs" ||
                       step == "last_block" || step == "chunks";
    STD_TORCH_CHECK(known, "step must be atomic, tree, shuffle, packs, last_block or chunks, got ", step);
    STD_TORCH_CHECK(0 <= blocks && blocks <= 1 << 16, "blocks must be 0 to 65536, got ", blocks);
    const DeviceGuard guard(x.get_device_index());
    const Tensor out = torch::stable::new_empty(x, {});
    with_type(x.scalar_type(), [&](auto of) {
        using T = decltype(of);
        const int64_t n = x.numel(), size = scratch_floats<T>(n, int(blocks));
        const Tensor memory = torch::stable::new_empty(x, {size}, ScalarType::Float);
        const T* in = data<const T>(x);
        T* sum = data<T>(out);
        float* scratch = data<float>(memory);
        const cudaStream_t stream = current_stream(x);
        if (step == "atomic") return launch_sum_atomic(sum, in, n, scratch, stream);
        if (step == "tree") return launch_sum_tree(sum, in, n, scratch, stream);
        if (step == "shuffle") return launch_sum_shuffle(sum, in, n, scratch, stream);
        if (step == "packs") return launch_sum_packs(sum, in, n, scratch, int(blocks), stream);
        if (step == "last_block") return launch_sum_last_block(sum, in, n, scratch, int(blocks), stream);
        launch_sum_chunks(sum, in, n, scratch, int(blocks), stream);
    });
    return out;
}

// The sum of all elements of x: float32, float16 or bfloat16, contiguous, of any shape.
Tensor sum(const Tensor& x, bool deterministic) { return sum_step(x, deterministic ? "chunks" : "last_block", 0); }

// One step of the ladder. blocks: of the grid, for the last three steps; 0 stands for as many as suit.
Tensor sum_by(const Tensor& x, const std::string& step, int64_t blocks) { return sum_step(x, step, blocks); }

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

// How often each of the values 0 to bins - 1 occurs in x: uint8 or int32, contiguous, of any shape. Others are ignored.
Tensor histogram(const Tensor& x, int64_t bins) {
    check_histogram(x, bins);
    const DeviceGuard guard(x.get_device_index());
    return histogram_step(x, bins, bins <= shared_bins() ? "copies" : "global");
}

// The same, by that step: global, shared (one histogram a block) or copies (several).
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
