// matmul.cpp: the operator for torch, by its stable ABI (chapter 10). operands.h has the checks, products.py the
// gradients and what torch.compile needs.
#include "matmul.h"

#include <array>
#include <string>
#include <utility>

#include "operands.h"

static MatmulStep step_of(const std::string& name) {
    static const std::array<std::pair<const char*, MatmulStep>, 9> steps = {{{"auto", MatmulStep::automatic},
                                                                             {"naive", MatmulStep::naive},
                                                                             {"tile", MatmulStep::tile},
                                                                             {"registers", MatmulStep::registers},
                                                                             {"stages", MatmulStep::stages},
                                                                             {"large", MatmulStep::large},
                                                                             {"small", MatmulStep::small},
                                                                             {"tall", MatmulStep::tall},
                                                                             {"divided", MatmulStep::divided}}};
    for (const auto& [known, step] : steps)
        if (name == known) return step;
    STD_TORCH_CHECK(false, "step must be auto, naive, tile, registers, stages, large, small, tall or divided, got ",
                    name);
}

// a: float32, [m, k] or [batches, m, k]; b: float32, [k, n] or [batches, k, n]; any strides. A new [m, n] or
// [batches, m, n].
Tensor matmul(const Tensor& a, const Tensor& b, const std::string& step) {
    check_product(a, b, {ScalarType::Float});
    const MatmulStep chosen = step_of(step);
    const DeviceGuard guard(a.get_device_index());
    const Product p = product_of(a, b);
    const int64_t floats = workspace_floats(p.batches, p.m, p.n, p.k, chosen);
    const Tensor workspace = floats ? torch::stable::new_empty(p.out, {floats}) : p.out;
    launch_matmul(data<float>(p.out), p.a.matrix<float>(), p.b.matrix<float>(), p.batches, p.m, p.n, p.k, chosen,
                  data<float>(workspace), current_stream(a));
    return p.out;
}

STABLE_TORCH_LIBRARY(chapter16, m) { m.def("matmul(Tensor a, Tensor b, *, str step='auto') -> Tensor"); }

STABLE_TORCH_LIBRARY_IMPL(chapter16, KERNEL_DISPATCH_KEY, m) { m.impl("matmul", TORCH_BOX(&matmul)); }
