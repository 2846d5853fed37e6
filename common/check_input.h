// check_input.h: what a binding demands of its tensors, in words that name the argument, the expectation and what came.
//
// TypeError: not the right kind of thing (no tensor, another dtype). ValueError: the right kind, but not usable
// (device, layout, shape). torch turns both into Python's.
#pragma once
#include <ATen/EmptyTensor.h>
#include <ATen/core/Tensor.h>
#include <c10/core/AutogradState.h>
#include <c10/core/GradMode.h>

#ifdef CUDA_ON_CPU
constexpr at::DeviceType kernel_device = at::kCPU;  // CUDA on CPU: the kernels of this build read the host's memory
#else
constexpr at::DeviceType kernel_device = at::kCUDA;
#endif

// Not every tensor has its elements in memory. vmap, torch.func and torch.compile wrap one that has none of its own, a
// subclass with __torch_dispatch__ may mean anything by its bytes, and untyped_storage().resize_() frees memory under
// tensors that live on.
inline void check_memory(const at::Tensor& x, const char* name) {
    const bool plain = x.has_storage() && !x.key_set().has(c10::DispatchKey::Python);
    auto* storage = plain ? x.storage().unsafeGetStorageImpl() : nullptr;
    const size_t has = plain ? storage->nbytes() : 0;
    TORCH_CHECK_VALUE(
        plain && (has == 0 || storage->_mutable_data_ptr_no_checks().get() != nullptr), name,
        " must be a plain tensor, got one that wraps another, as in torch.vmap, torch.func, torch.compile "
        "or a subclass with __torch_dispatch__: ",
        x.key_set());
    const size_t needs = at::detail::computeStorageNbytes(x.sizes(), x.strides(), x.itemsize(), x.storage_offset());
    TORCH_CHECK_VALUE(has >= needs, name, " must have ", needs, " bytes of memory, got a storage of ", has,
                      ": it was resized");
}

inline void check_dense(const at::Tensor& x, const char* name) {
    TORCH_CHECK_VALUE(x.layout() == at::kStrided && !x.is_nested(), name, " must be a dense tensor, got ",
                      x.is_nested() ? "a nested one of layout " : "layout ", x.layout());
}

// A kernel gets a bare pointer. It cannot see a wrong dtype or device; it would just compute nonsense or crash. Strides
// are left to the caller.
inline void check_tensor(const at::Tensor& x, const char* name, at::ScalarType dtype) {
    TORCH_CHECK_TYPE(x.defined(), name, " must be a tensor, got an undefined one");
    TORCH_CHECK_TYPE(x.scalar_type() == dtype, name, " must have dtype ", dtype, ", got ", x.scalar_type());
    TORCH_CHECK_VALUE(x.device().type() == kernel_device, name, " must be on ", kernel_device, ", got ", x.device());
    check_dense(x, name);
    check_memory(x, name);
    TORCH_CHECK_VALUE(!x.is_neg(), name, " is a lazily negated view (its memory holds the opposite sign); pass ", name,
                      ".resolve_neg()");
    TORCH_CHECK_VALUE(!x.requires_grad() || !at::GradMode::is_enabled(), name,
                      " requires grad, but this operator has no backward and would cut the graph in silence; pass ",
                      name, ".detach() or call it under torch.no_grad()");
    TORCH_CHECK_VALUE(!x._fw_grad(0).defined() || !c10::AutogradState::get_tls_state().get_fw_grad_mode(), name,
                      " has a forward-mode gradient, but this operator has no jvp and would drop it in silence; pass ",
                      name, ".detach()");
}

// The same for a kernel that expects the elements one after another, without gaps.
inline void check_input(const at::Tensor& x, const char* name, at::ScalarType dtype) {
    check_tensor(x, name, dtype);
    TORCH_CHECK_VALUE(x.is_contiguous(), name, " must be contiguous, got strides ", x.strides(), " for shape ",
                      x.sizes(), "; pass ", name, ".contiguous()");
}

// Elementwise operators: the same shape, and on several GPUs the same one.
inline void check_same(const at::Tensor& a, const char* a_name, const at::Tensor& b, const char* b_name) {
    TORCH_CHECK_VALUE(a.sizes() == b.sizes(), a_name, " and ", b_name, " must have the same shape, got ", a.sizes(),
                      " and ", b.sizes());
    TORCH_CHECK_VALUE(a.device() == b.device(), a_name, " and ", b_name, " must be on the same device, got ",
                      a.device(), " and ", b.device());
}
