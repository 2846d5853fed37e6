// tensor_cores.cpp: the operator for torch, by its stable ABI (chapter 10). Chapter 16's operands.h has the checks, its
// products.py the gradients and what torch.compile needs.
#include "tensor_cores.h"

#include <array>
#include <string>
#include <utility>

#include "../16_matmul/operands.h"

static TensorCoreStep step_of(const std::string& name) {
    static const std::array<std::pair<const char*, TensorCoreStep>, 7> steps = {
        {{"auto", TensorCoreStep::automatic},
         {"fragments", TensorCoreStep::fragments},
         {"ldmatrix", TensorCoreStep::ldmatrix},
         {"stages", TensorCoreStep::stages},
         {"large", TensorCoreStep::large},
         {"small", TensorCoreStep::small},
         {"divided", TensorCoreStep::divided}}};
    for (const auto& [known, step] : steps)
        if (name == known) return step;
    STD_TORCH_CHECK(false, "step must be auto, fragments, ldmatrix, stages, large, small or divided, got ", name);
}

// a: float16 or bfloat16, [m, k] or [batches, m, k]; b: the same dtype, [k, n] or [batches, k, n]; any strides. A new
// [m, n] or [batches, m, n].
Tensor matmul(const Tensor& a, const Tensor& b, const std::string& step) {
    check_product(a, b, {ScalarType::Half, ScalarType::BFloat16});
    const TensorCoreStep chosen = step_of(step);
    const DeviceGuard guard(a.get_device_index());
    const Product p = product_of(a, b);
    const auto launch = [&](auto of) {
        using T = decltype(of);
        const Matrix<T> x = p.a.matrix<T>(), y = p.b.matrix<T>();
        const int64_t bytes = workspace_bytes(x, y, p.batches, p.m, p.n, p.k, chosen);
        const Tensor workspace = bytes ? torch::stable::new_empty(p.out, {bytes}, ScalarType::Byte) : p.out;
        launch_tensor_cores(data<T>(p.out), x, y, p.batches, p.m, p.n, p.k, chosen, current_stream(a),
                            bytes ? workspace.mutable_data_ptr() : nullptr);
    };
    a.scalar_type() == ScalarType::Half ? launch(__half()) : launch(__nv_bfloat16());
    return p.out;
}

STABLE_TORCH_LIBRARY(chapter17, m) { m.def("matmul(Tensor a, Tensor b, *, str step='auto') -> Tensor"); }

STABLE_TORCH_LIBRARY_IMPL(chapter17, KERNEL_DISPATCH_KEY, m) { m.impl("matmul", TORCH_BOX(&matmul)); }
