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
// outer_meta: for tensors that have a shape and no memory. It refuses what outer refuses, with the same errors. Then
// TORCH_LIBRARY(exercise, m).
// end of your code
