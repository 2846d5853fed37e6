// check_tensor.h: a binding checks its tensors before a kernel gets their addresses. A kernel sees no dtype, device or
// shape: given a wrong one, it computes nonsense or crashes. Copy this file into a project of your own: it needs only
// torch.
//
//   check_input(a, "a", at::kFloat);
//   check_input(b, "b", at::kFloat);
//   check_same(a, "a", b, "b");
//
// Each message names the argument, what is expected and what came. TypeError: the argument is not a tensor, or has the
// wrong dtype. ValueError: the dtype is right, but the kernel cannot use the tensor (device, layout, shape). In Python
// they arrive as TypeError and ValueError. check_tensor_stable.h has the same words for torch::stable::Tensor.
#pragma once
#include <ATen/EmptyTensor.h>
#include <ATen/core/Tensor.h>
#include <c10/core/AutogradState.h>
#include <c10/core/DispatchKey.h>
#include <c10/core/GradMode.h>
#include <c10/util/ArrayRef.h>
#include <c10/util/StringUtil.h>

#include <algorithm>

// Where kernels run, and the key under which the dispatcher keeps them (chapter 09).
#ifdef CUDA_ON_CPU
constexpr at::DeviceType kernel_device = at::kCPU;  // CUDA on CPU: kernels read the host's memory
constexpr c10::DispatchKey kernel_dispatch_key = c10::DispatchKey::CPU;
#else
constexpr at::DeviceType kernel_device = at::kCUDA;
constexpr c10::DispatchKey kernel_dispatch_key = c10::DispatchKey::CUDA;
#endif

inline void check_dense(const at::Tensor& x, const char* name) {
    TORCH_CHECK_VALUE(x.layout() == at::kStrided && !x.is_nested(), name, " must be a dense tensor, got ",
                      x.is_nested() ? "a nested one of layout " : "layout ", x.layout());
}

inline void check_no_grad(const at::Tensor& x, const char* name) {
    TORCH_CHECK_VALUE(!x.requires_grad() || !at::GradMode::is_enabled(), name,
                      " requires grad, but this operator has no backward and would silently cut the graph; pass ", name,
                      ".detach() or call it under torch.no_grad()");
}

// untyped_storage().resize_() frees memory that other tensors still use.
inline void check_memory(const at::Tensor& x, const char* name) {
    const size_t has = x.storage().nbytes();
    const size_t needs = at::detail::computeStorageNbytes(x.sizes(), x.strides(), x.itemsize(), x.storage_offset());
    TORCH_CHECK_VALUE(has >= needs, name, " must have ", needs, " bytes of memory, got a storage of ", has,
                      ": it was resized");
}

// torch.func.jvp and torch.autograd.forward_ad keep a second tensor, the tangent, beside x.
inline void check_no_tangent(const at::Tensor& x, const char* name) {
    TORCH_CHECK_VALUE(!x._fw_grad(0).defined() || !c10::AutogradState::get_tls_state().get_fw_grad_mode(), name,
                      " has a forward-mode gradient, but this operator has no jvp and would silently drop it; pass ",
                      name, ".detach()");
}

inline void check_plain(const at::Tensor& x, const char* name);  // below: rare faults

// A tensor of any strides, and of one of these dtypes: at::kFloat, or {at::kFloat, at::kDouble}.
inline void check_tensor(const at::Tensor& x, const char* name, at::ArrayRef<at::ScalarType> dtypes) {
    TORCH_CHECK_TYPE(x.defined(), name, " must be a tensor, got an undefined one");
    const bool right = std::find(dtypes.begin(), dtypes.end(), x.scalar_type()) != dtypes.end();
    TORCH_CHECK_TYPE(right, name, " must have dtype ", c10::Join(" or ", dtypes), ", got ", x.scalar_type());
    TORCH_CHECK_VALUE(x.device().type() == kernel_device, name, " must be on ", kernel_device, ", got ", x.device());
    check_dense(x, name);
    check_plain(x, name);
    check_no_grad(x, name);
}

// A contiguous tensor: its elements lie one after another, without gaps.
inline void check_input(const at::Tensor& x, const char* name, at::ArrayRef<at::ScalarType> dtypes) {
    check_tensor(x, name, dtypes);
    TORCH_CHECK_VALUE(x.is_contiguous(), name, " must be contiguous, got strides ", x.strides(), " for shape ",
                      x.sizes(), "; pass ", name, ".contiguous()");
}

// Elementwise operators: two tensors of the same shape, on the same GPU.
inline void check_same(const at::Tensor& a, const char* a_name, const at::Tensor& b, const char* b_name) {
    TORCH_CHECK_VALUE(a.sizes() == b.sizes(), a_name, " and ", b_name, " must have the same shape, got ", a.sizes(),
                      " and ", b.sizes());
    TORCH_CHECK_VALUE(a.device() == b.device(), a_name, " and ", b_name, " must be on the same device, got ",
                      a.device(), " and ", b.device());
}

// Rare faults. Keep this check if callers may
//   - use torch.vmap, torch.func, torch.compile or forward-mode gradients,
//   - pass a subclass of Tensor, or the imaginary part of a conjugate,
//   - pass a tensor whose storage was freed or shrunk.
// Without it, such calls crash or silently give wrong results. It uses torch's internals. To leave it out, also delete
// its declaration and its call in check_tensor.
inline void check_plain(const at::Tensor& x, const char* name) {
    // A wrapper (of vmap, torch.func, torch.compile) has no elements of its own. A subclass with __torch_dispatch__ may
    // have some, with a meaning that only its Python code knows.
    const bool plain = x.has_storage() && !x.key_set().has(c10::DispatchKey::Python);
    auto* storage = plain ? x.storage().unsafeGetStorageImpl() : nullptr;
    const size_t has = plain ? storage->nbytes() : 0;
    TORCH_CHECK_VALUE(
        plain && (has == 0 || storage->_mutable_data_ptr_no_checks().get() != nullptr), name,
        " must be a plain tensor, got one that wraps another, as in torch.vmap, torch.func, torch.compile "
        "or a subclass with __torch_dispatch__: ",
        x.key_set());
    check_memory(x, name);

    // x.conj().imag shares the memory of x.imag and has the opposite sign: torch negates when it reads.
    TORCH_CHECK_VALUE(!x.is_neg(), name, " is a lazily negated view (its memory holds the opposite sign); pass ", name,
                      ".resolve_neg()");

    check_no_tangent(x, name);
}
