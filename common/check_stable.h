// check_stable.h: what check_input.h is for at::Tensor, for torch::stable::Tensor. Copy this file into a project of your
// own; it needs nothing else but torch, 2.11 or newer.
//
//   check_input(x, "x", {ScalarType::Float, ScalarType::Double});
//   check_input(y, "y", {x.scalar_type()});
//   check_same(x, "x", y, "y");
//
// The words are those of check_input.h. The exception is always std::runtime_error, in Python RuntimeError, because it
// is the only one that the stable ABI lets through; STD_TORCH_CHECK puts function, file and line in front of the words.
//
// There is less to check. These functions are for operators that torch's dispatcher calls. It resolves a lazy negation,
// unwraps what vmap and torch.func wrap, hands a subclass with __torch_dispatch__ to its Python code, and finds no
// implementation for sparse and nested tensors. The stable ABI cannot see whether a tensor requires grad, or has a
// tangent: that is left to a function for the key Autograd (chapter 10: src/bias_gelu/registration.py).
#pragma once
#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/util/Exception.h>

#include <algorithm>
#include <initializer_list>
#include <sstream>
#include <string>

using torch::headeronly::IntHeaderOnlyArrayRef;
using torch::headeronly::ScalarType;
using torch::stable::Tensor;

#ifdef CUDA_ON_CPU
constexpr auto kernel_device = torch::headeronly::DeviceType::CPU;  // CUDA on CPU: kernels read the host's memory
#else
constexpr auto kernel_device = torch::headeronly::DeviceType::CUDA;
#endif

// For messages: cuda:0, [2, 3], and Float or Double.
inline std::string to_text(const torch::stable::Device& device) {
    using torch::headeronly::DeviceType;
    const DeviceType type = device.type();
    const std::string name = type == DeviceType::CPU    ? "cpu"
                             : type == DeviceType::CUDA ? "cuda"
                             : type == DeviceType::Meta ? "meta"
                                                        : "a device of type " + std::to_string(int(type));
    return device.has_index() && !device.is_cpu() ? name + ":" + std::to_string(device.index()) : name;
}

template <class Items>
std::string to_text(const Items& items, const char* separator) {
    std::ostringstream text;
    const char* before = "";
    for (const auto& item : items) {
        text << before << item;
        before = separator;
    }
    return text.str();
}

inline std::string to_text(IntHeaderOnlyArrayRef numbers) { return "[" + to_text(numbers, ", ") + "]"; }

// A tensor of one of these dtypes and of any strides, on the kernel's device.
inline void check_tensor(const Tensor& x, const char* name, std::initializer_list<ScalarType> dtypes) {
    STD_TORCH_CHECK(x.defined(), name, " must be a tensor, got an undefined one");  // None, in Python
    STD_TORCH_CHECK(std::find(dtypes.begin(), dtypes.end(), x.scalar_type()) != dtypes.end(), name,
                    " must have dtype ", to_text(dtypes, " or "), ", got ", x.scalar_type());
    STD_TORCH_CHECK(x.device().type() == kernel_device, name, " must be on ", to_text({kernel_device}), ", got ",
                    to_text(x.device()));

    // untyped_storage().resize_() frees memory under tensors that live on.
    int64_t needs = x.storage_offset() + 1, has = 0;
    for (int64_t d = 0; d < x.dim(); d++) needs += (x.size(d) - 1) * x.stride(d);
    needs = x.numel() == 0 ? 0 : needs * int64_t(x.element_size());
    TORCH_ERROR_CODE_CHECK(aoti_torch_get_storage_size(x.get(), &has));
    STD_TORCH_CHECK(has >= needs, name, " must have ", needs, " bytes of memory, got a storage of ", has,
                    ": it was resized");
}

// A contiguous tensor: its elements lie one after another, without gaps.
inline void check_input(const Tensor& x, const char* name, std::initializer_list<ScalarType> dtypes) {
    check_tensor(x, name, dtypes);
    STD_TORCH_CHECK(x.is_contiguous(), name, " must be contiguous, got strides ", to_text(x.strides()), " for shape ",
                    to_text(x.sizes()), "; pass ", name, ".contiguous()");
}

inline void check_same_device(const Tensor& a, const char* a_name, const Tensor& b, const char* b_name) {
    STD_TORCH_CHECK(a.device() == b.device(), a_name, " and ", b_name, " must be on the same device, got ",
                    to_text(a.device()), " and ", to_text(b.device()));
}

// For an operator that writes to `out` while it reads `in`: all of `in` may be overwritten by its own results, a part of it
// may not. Both are contiguous.
inline void check_apart(const Tensor& out, const char* out_name, const Tensor& in, const char* in_name) {
    const auto* a = static_cast<const char*>(out.const_data_ptr());
    const auto* b = static_cast<const char*>(in.const_data_ptr());
    const auto *a_end = a + out.numel() * out.element_size(), *b_end = b + in.numel() * in.element_size();
    const bool same = a == b && a_end == b_end;
    STD_TORCH_CHECK(same || a_end <= b || b_end <= a || a == a_end || b == b_end, out_name,
                    " must not share a part of its memory with ", in_name);
}

// Elementwise operators: two tensors of the same shape, on the same GPU.
inline void check_same(const Tensor& a, const char* a_name, const Tensor& b, const char* b_name) {
    STD_TORCH_CHECK(a.sizes().equals(b.sizes()), a_name, " and ", b_name, " must have the same shape, got ",
                    to_text(a.sizes()), " and ", to_text(b.sizes()));
    check_same_device(a, a_name, b, b_name);
}
