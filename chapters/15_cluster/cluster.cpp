// cluster.cpp: the operators for torch, by its stable ABI (chapter 10): every check before a kernel sees a pointer.
// Gradients and what torch.compile needs are in chapter 13's gradients.py.
#include "cluster.h"

#include <array>
#include <utility>

#include "../13_softmax/softmax.h"
#include "common/stable.h"

static int64_t columns_of(const Tensor& x) { return x.size(x.dim() - 1); }
static int64_t rows_of(const Tensor& x) { return x.numel() == 0 ? 0 : x.numel() / columns_of(x); }

static void check_rows(const Tensor& x, const char* name) {
    check_input(x, name, FLOATS_AND_DOUBLE);
    STD_TORCH_CHECK(x.dim() >= 1, name, " must have 1 dimension or more, got 0");
}

static void check_step(const std::string& step) {
    for (const char* known : {"auto", "barrier", "mbarrier", "pipeline", "fallback"})
        if (step == known) return;
    STD_TORCH_CHECK(false, "step must be auto, barrier, mbarrier, pipeline or fallback, got ", step);
}

// by_cluster(step) launches a kernel for the rows of x, or returns why it does not. Then chapter 13's launcher takes
// the rows, in by_chapter_13(memory for parts of rows), unless the caller has asked for a cluster.
template <class ByCluster, class ByChapter13>
static void launch(const Tensor& x, const std::string& step, ByCluster by_cluster, ByChapter13 by_chapter_13) {
    const bool is_double = x.scalar_type() == ScalarType::Double;
    if (step != "fallback" && x.numel() > 0) {  // CUDA refuses a grid of 0 blocks; chapter 13 launches none
        const ClusterStep rung = step == "barrier"    ? ClusterStep::barrier
                                 : step == "mbarrier" ? ClusterStep::mbarrier
                                 : step == "pipeline" ? ClusterStep::pipeline
                                                      : ClusterStep::automatic;
        const std::string why = by_cluster(rung);
        if (why.empty()) return;
        STD_TORCH_CHECK(step == "auto", "step ", step, " does not take rows of ", columns_of(x), " elements: ", why,
                        "; auto takes any");
    }
    const unsigned blocks = blocks_of_a_row(rows_of(x), columns_of(x) * int64_t(x.element_size()), Step::automatic);
    const Tensor parts =
        torch::stable::new_empty(x, {2 * rows_of(x) * blocks}, is_double ? ScalarType::Double : ScalarType::Float);
    by_chapter_13(parts.mutable_data_ptr());
}

// x: float32, float64, float16 or bfloat16, contiguous, one dimension or more; rows are along the last.
Tensor softmax(const Tensor& x, const std::string& step) {
    check_rows(x, "x");
    check_step(step);
    const DeviceGuard guard(x.get_device_index());
    const Tensor out = torch::stable::empty_like(x);
    with_type_or_double(x.scalar_type(), [&](auto of) {
        using T = decltype(of);
        const int64_t rows = rows_of(x), n = x.dim() ? columns_of(x) : 0;
        const auto by_cluster = [&](ClusterStep rung) -> std::string {
            if constexpr (std::is_same_v<T, double>)
                return "no cluster takes float64";
            else
                return launch_cluster_softmax(data<T>(out), data<const T>(x), rows, n, rung, current_stream(x));
        };
        launch(x, step, by_cluster, [&](void* parts) {
            launch_softmax(data<T>(out), data<const T>(x), parts, rows, n, Step::automatic, current_stream(x));
        });
    });
    return out;
}

// The gradient of x, given that of the result y.
Tensor softmax_backward(const Tensor& grad, const Tensor& y, const std::string& step) {
    check_rows(grad, "grad");
    check_input(y, "y", {grad.scalar_type()});
    check_same(grad, "grad", y, "y");
    check_step(step);
    const DeviceGuard guard(y.get_device_index());
    const Tensor grad_x = torch::stable::empty_like(y);
    with_type_or_double(y.scalar_type(), [&](auto of) {
        using T = decltype(of);
        const int64_t rows = rows_of(y), n = columns_of(y);
        const auto by_cluster = [&](ClusterStep rung) -> std::string {
            if constexpr (std::is_same_v<T, double>)
                return "no cluster takes float64";
            else
                return launch_cluster_softmax_backward(data<T>(grad_x), data<const T>(grad), data<const T>(y), rows, n,
                                                       rung, current_stream(y));
        };
        launch(y, step, by_cluster, [&](void* parts) {
            launch_softmax_backward(data<T>(grad_x), data<const T>(grad), data<const T>(y), parts, rows, n,
                                    Step::automatic, current_stream(y));
        });
    });
    return grad_x;
}

STABLE_TORCH_LIBRARY(chapter15, m) {
    m.def("softmax(Tensor x, *, str step='auto') -> Tensor");
    m.def("softmax_backward(Tensor grad, Tensor y, *, str step='auto') -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(chapter15, KERNEL_DISPATCH_KEY, m) {
    m.impl("softmax", TORCH_BOX(&softmax));
    m.impl("softmax_backward", TORCH_BOX(&softmax_backward));
}
