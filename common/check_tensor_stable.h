// check_tensor_stable.h: a binding by torch's stable ABI checks its tensors before a kernel gets their addresses. Copy
// this file into a project of your own; it needs only torch, 2.11 or newer.
//
//   check_input(x, "x", {ScalarType::Float, ScalarType::Double});
//   check_input(y, "y", {x.scalar_type()});
//   check_same(x, "x", y, "y");
//
// Each message names the argument, what is expected and what came. The exception is always std::runtime_error, in
// Python RuntimeError: torch has other kinds only in its C++ ABI. STD_TORCH_CHECK puts function, file and line first.
//
// These functions are for operators that torch's dispatcher calls, so there is less to check. The dispatcher carries
// out a lazy negation, unwraps what vmap and torch.func wrap, hands a subclass with __torch_dispatch__ to its Python
// code, and finds no implementation for sparse and nested tensors. The stable ABI does not tell whether a tensor
// requires grad or has a tangent.
#pragma once
#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/util/Exception.h>

#include <algorithm>
#include <initializer_list>
#include <sstream>
#include <string>

using torch::headeronly::ScalarType;
using torch::stable::Tensor;

// Where kernels run, and the key under which the dispatcher keeps them. The key is a word for
// STABLE_TORCH_LIBRARY_IMPL.
#ifdef CUDA_ON_CPU
constexpr auto kernel_device = torch::headeronly::DeviceType::CPU;  // CUDA on CPU: kernels read the host's memory
#define KERNEL_DISPATCH_KEY CPU
#else
constexpr auto kernel_device = torch::headeronly::DeviceType::CUDA;
#define KERNEL_DISPATCH_KEY CUDA
#endif

// For messages: "2, 3", or "Float or Double".
template <class Items>
std::string joined(const Items& items, const char* separator = ", ") {
    std::ostringstream text;
    const char* between = "";
    for (const auto& item : items) {
        text << between << item;
        between = separator;
    }
    return text.str();
}

// cuda:0. The stable ABI has no names of devices.
inline std::string name_of(const torch::stable::Device& device) {
    using torch::headeronly::DeviceType;
    const DeviceType type = device.type();
    const std::string name = type == DeviceType::CPU    ? "cpu"
                             : type == DeviceType::CUDA ? "cuda"
                             : type == DeviceType::Meta ? "meta"
                                                        : "device type " + std::to_string(int(type));
    return device.has_index() && !device.is_cpu() ? name + ":" + std::to_string(device.index()) : name;
}

// untyped_storage().resize_() frees memory under tensors that live on.
inline void check_memory(const Tensor& x, const char* name) {
    int64_t last = x.storage_offset(), has = 0;
    for (int64_t d = 0; d < x.dim(); d++) last += (x.size(d) - 1) * x.stride(d);
    const int64_t needs = x.numel() == 0 ? 0 : (last + 1) * int64_t(x.element_size());
    TORCH_ERROR_CODE_CHECK(aoti_torch_get_storage_size(x.get(), &has));
    STD_TORCH_CHECK(has >= needs, name, " must have ", needs, " bytes of memory, got a storage of ", has,
                    ": it was resized");
}

// A tensor of one of these dtypes and of any strides.
inline void check_tensor(const Tensor& x, const char* name, std::initializer_list<ScalarType> dtypes) {
    STD_TORCH_CHECK(x.defined(), name, " must be a tensor, got an undefined one");  // in Python: None
    const bool right = std::find(dtypes.begin(), dtypes.end(), x.scalar_type()) != dtypes.end();
    STD_TORCH_CHECK(right, name, " must have dtype ", joined(dtypes, " or "), ", got ", x.scalar_type());
    STD_TORCH_CHECK(x.device().type() == kernel_device, name, " must be on ", name_of(kernel_device), ", got ",
                    name_of(x.device()));
    check_memory(x, name);
}

// A contiguous tensor: its elements lie one after another, without gaps.
inline void check_input(const Tensor& x, const char* name, std::initializer_list<ScalarType> dtypes) {
    check_tensor(x, name, dtypes);
    STD_TORCH_CHECK(x.is_contiguous(), name, " must be contiguous, got strides [", joined(x.strides()), "] for shape [",
                    joined(x.sizes()), "]; pass ", name, ".contiguous()");
}

inline void check_same_device(const Tensor& a, const char* a_name, const Tensor& b, const char* b_name) {
    STD_TORCH_CHECK(a.device() == b.device(), a_name, " and ", b_name, " must be on the same device, got ",
                    name_of(a.device()), " and ", name_of(b.device()));
}

// Elementwise operators: two tensors of the same shape, on the same GPU.
inline void check_same(const Tensor& a, const char* a_name, const Tensor& b, const char* b_name) {
    STD_TORCH_CHECK(a.sizes().equals(b.sizes()), a_name, " and ", b_name, " must have the same shape, got [",
                    joined(a.sizes()), "] and [", joined(b.sizes()), "]");
    check_same_device(a, a_name, b, b_name);
}

// Two contiguous tensors without a common element: for an operator that writes to one while it reads the other.
inline void check_apart(const Tensor& a, const char* a_name, const Tensor& b, const char* b_name) {
    const auto *begin = static_cast<const char*>(a.const_data_ptr()),
               *other = static_cast<const char*>(b.const_data_ptr());
    const auto *end = begin + a.numel() * a.element_size(), *other_end = other + b.numel() * b.element_size();
    STD_TORCH_CHECK(end <= other || other_end <= begin, a_name, " must not share memory with ", b_name);
}
