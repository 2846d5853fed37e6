// Stands in for torch's header, without CUDA_tensor_apply2() and its relatives: use at::TensorIterator, or a kernel.
// Many include it for what it includes.
#pragma once

#include <ATen/ceil_div.h>
#include <ATen/cuda/ApplyGridUtils.cuh>
#include <ATen/cuda/Atomic.cuh>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/detail/IndexUtils.cuh>
