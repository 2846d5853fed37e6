// outer.cpp: torch.ops.exercise.outer(x, y), a matrix with the products x[i] * y[j].
#include "outer.h"

#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

#include "common/check_tensor.h"

// x, y: float32, one dimension, contiguous.
static at::Tensor outer(const at::Tensor& x, const at::Tensor& y) {
    check_input(x, "x", at::kFloat);
    check_input(y, "y", at::kFloat);
    TORCH_CHECK_VALUE(x.dim() == 1 && y.dim() == 1, "x and y must have 1 dimension, got ", x.dim(), " and ", y.dim());
    const c10::cuda::CUDAGuard guard(x.device());
    at::Tensor out = x.new_empty({x.size(0), y.size(0)});
    launch_outer(out.mutable_data_ptr<float>(), x.const_data_ptr<float>(), y.const_data_ptr<float>(), x.size(0),
                 y.size(0), c10::cuda::getCurrentCUDAStream());
    return out;
}

// your code
// What outer refuses, by what a tensor without memory has.
static void check_meta(const at::Tensor& x, const char* name) {
    TORCH_CHECK_TYPE(x.scalar_type() == at::kFloat, name, " must have dtype Float, got ", x.scalar_type());
    TORCH_CHECK_VALUE(x.dim() == 1, name, " must have 1 dimension, got ", x.dim());
    TORCH_CHECK_VALUE(x.is_contiguous(), name, " must be contiguous");
}

static at::Tensor outer_meta(const at::Tensor& x, const at::Tensor& y) {
    check_meta(x, "x");
    check_meta(y, "y");
    return x.new_empty_symint({x.sym_size(0), y.sym_size(0)});
}

TORCH_LIBRARY(exercise, m) {
    m.def("outer(Tensor x, Tensor y) -> Tensor");
    m.impl("outer", kernel_dispatch_key, TORCH_FN(outer));
    m.impl("outer", c10::DispatchKey::Meta, TORCH_FN(outer_meta));
}
// end of your code
