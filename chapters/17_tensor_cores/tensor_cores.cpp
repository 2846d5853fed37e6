// tensor_cores.cpp: the operator for torch, by its stable ABI (chapter 10). Chapter 16's operands.h has the checks, its
// products.py the gradients and what torch.compile needs.
#include "tensor_cores.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "../16_matmul/operands.h"

static TensorCoreStep step_of(const std::string& name) {
    static const std::array<std::pair<const char*, TensorCoreStep>, 6> steps = {
        {{"auto", TensorCoreStep::automatic},
         {"fragments", TensorCoreStep::fragments},
         {"ldmatrix", TensorCoreStep::ldmatrix},
         {"stages", TensorCoreStep::stages},
         {"large", TensorCoreStep::large},
         {"small", TensorCoreStep::small}}};
    for (const auto& [known, step] : steps)
        if (name == known) return step;
    STD_TORCH_CHECK(false, "step must be auto, fragments, ldmatrix, stages, large or small, got ", name);
}

// Where packs of 16 bytes cannot be copied, a large product is faster with padded copies of a and b, even though these
// take time. Short sides would grow too much.
static bool faster_with_padding(const Product& p) {
    const bool large = double(p.batches * p.m) * double(p.n) * double(p.k) > 1 << 28 && std::min({p.m, p.n, p.k}) >= 64;
    // Elements of half precision have two bytes in either dtype.
    return large && !(whole_packs(p.a.matrix<__half>(), p.m, p.k) && whole_packs(p.b.matrix<__half>(), p.k, p.n));
}

// A view of so many rows and columns.
static Tensor corner(Tensor x, int64_t rows, int64_t columns) {
    x = torch::stable::narrow(x, x.dim() - 2, 0, rows);
    return torch::stable::narrow(x, x.dim() - 1, 0, columns);
}

// A copy of x, in the same order in memory, with zeros after its last row and column up to multiples of 8.
static Tensor padded(const Tensor& x) {
    const int64_t d = x.dim(), rows = x.size(d - 2), columns = x.size(d - 1);
    const bool transposed = operand_of(x).transposed;
    std::vector<int64_t> shape(x.sizes().begin(), x.sizes().end());
    shape[d - 2] = (rows + 7) / 8 * 8, shape[d - 1] = (columns + 7) / 8 * 8;
    if (transposed) std::swap(shape[d - 2], shape[d - 1]);
    Tensor zeros = torch::stable::new_zeros(x, shape);
    if (transposed) zeros = torch::stable::transpose(zeros, d - 2, d - 1);
    Tensor place = corner(zeros, rows, columns);
    torch::stable::copy_(place, x);
    return zeros;
}

// a: float16 or bfloat16, [m, k] or [batches, m, k]; b: the same dtype, [k, n] or [batches, k, n]; any strides. A new
// [m, n] or [batches, m, n].
Tensor matmul(const Tensor& a, const Tensor& b, const std::string& step) {
    check_product(a, b, {ScalarType::Half, ScalarType::BFloat16});
    const TensorCoreStep chosen = step_of(step);
    const DeviceGuard guard(a.get_device_index());
    const Product p = product_of(a, b);
    if (chosen == TensorCoreStep::automatic && faster_with_padding(p)) {  // zeros add nothing to a sum
        const Tensor out = matmul(padded(a), padded(b), step);
        return torch::stable::contiguous(corner(out, a.size(a.dim() - 2), b.size(b.dim() - 1)));
    }
    const auto launch = [&](auto of) {
        using T = decltype(of);
        launch_tensor_cores(data<T>(p.out), p.a.matrix<T>(), p.b.matrix<T>(), p.batches, p.m, p.n, p.k, chosen,
                            current_stream(a));
    };
    a.scalar_type() == ScalarType::Half ? launch(__half()) : launch(__nv_bfloat16());
    return p.out;
}

STABLE_TORCH_LIBRARY(chapter17, m) { m.def("matmul(Tensor a, Tensor b, *, str step='auto') -> Tensor"); }

STABLE_TORCH_LIBRARY_IMPL(chapter17, KERNEL_DISPATCH_KEY, m) { m.impl("matmul", TORCH_BOX(&matmul)); }
