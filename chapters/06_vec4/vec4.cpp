// vec4.cpp: tensors in, tensors out. All checks are here, all arithmetic is in vec4.cu.
#include "vec4.h"

#include <ATen/Dispatch.h>
#include <ATen/MemoryOverlap.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/Exceptions.h>  // brings pybind11 with torch's tensor type

#include <initializer_list>
#include <optional>

#include "common/check_tensor.h"
#include "common/cuda_type.h"

static void check_inputs(const at::Tensor& a, const at::Tensor& b,
                         std::initializer_list<at::ScalarType> dtypes = {at::kFloat}) {
    check_input(a, "a", dtypes);
    check_input(b, "b", a.scalar_type());
    check_same(a, "a", b, "b");  // no broadcasting
}

// float4 needs an aligned address. A new tensor has one, but a slice of it may not.
static void check_float4(const at::Tensor& x, const char* name) {
    TORCH_CHECK_VALUE(x.numel() % 4 == 0, name, " must have a multiple of 4 elements, got ", x.numel(),
                      "; add_forward takes any number");
    const auto beyond = reinterpret_cast<uintptr_t>(x.const_data_ptr()) % 16;
    TORCH_CHECK_VALUE(beyond == 0, name, " must begin at a multiple of 16 bytes, got an address that is ", beyond,
                      " bytes beyond one; pass ", name, ".clone(), or call add_forward, which takes any address");
}

// What all five have in common: the tensors' GPU becomes the current one, the result gets memory, and the kernel goes
// to torch's current stream.
template <class T = float, class Launch>
static at::Tensor run(const Launch& launch, const at::Tensor& a, const at::Tensor& b, at::Tensor c = {}) {
    const c10::cuda::CUDAGuard guard(a.device());
    if (!c.defined()) c = a.new_empty(a.sizes());
    launch(data<T>(c), data<const T>(a), data<const T>(b), a.numel(), c10::cuda::getCurrentCUDAStream());
    return c;
}

// The first four take a and b in float32, contiguous, of one shape and device. Their result is a new tensor.
at::Tensor add_scalar(const at::Tensor& a, const at::Tensor& b) {
    check_inputs(a, b);
    return run(launch_add_scalar, a, b);
}

at::Tensor add_grid_stride(const at::Tensor& a, const at::Tensor& b) {
    check_inputs(a, b);
    return run(launch_add_grid_stride, a, b);
}

static void check_unrolled(int64_t loads, int64_t width, int64_t reserved) {
    TORCH_CHECK_VALUE(loads == 1 || loads == 2 || loads == 4 || loads == 8, "loads must be 1, 2, 4 or 8, got ", loads);
    TORCH_CHECK_VALUE(width == 1 || width == 4, "width must be 1 or 4 floats, got ", width);
    TORCH_CHECK_VALUE(0 <= reserved && reserved <= 1 << 20, "reserved must be 0 to 1048576 bytes, got ", reserved);
}

// Each thread makes `loads` loads of `width` floats from each input before it stores. With width = 4, a and b must be
// as for add_vec4. Each block reserves `reserved` bytes of shared memory, so that fewer blocks fit on a multiprocessor.
at::Tensor add_unrolled(const at::Tensor& a, const at::Tensor& b, int64_t loads, int64_t width, int64_t reserved) {
    check_inputs(a, b);
    check_unrolled(loads, width, reserved);
    if (width == 4) check_float4(a, "a"), check_float4(b, "b");
    const auto launch = [=](float* c, const float* x, const float* y, int64_t n, cudaStream_t stream) {
        launch_add_unrolled(c, x, y, n, int(loads), int(width), int(reserved), stream);
    };
    return run(launch, a, b);
}

// Here a and b must also begin at a multiple of 16 bytes and have a multiple of 4 elements.
at::Tensor add_vec4(const at::Tensor& a, const at::Tensor& b) {
    check_inputs(a, b);
    check_float4(a, "a");
    check_float4(b, "b");
    return run(launch_add_vec4, a, b);
}

static void check_out(const at::Tensor& out, const at::Tensor& a, const at::Tensor& b) {
    check_input(out, "out", a.scalar_type());
    check_same(out, "out", a, "a");
    for (const at::Tensor& input : {a, b})  // shifted by one element, threads would read each other's results
        TORCH_CHECK_VALUE(
            at::get_overlap_status(out, input) != at::MemOverlapStatus::Partial,
            "out must not share a part of its memory with a or b; pass all of one of them, or other memory");
}

// a and b: float32, float64, float16 or bfloat16, contiguous, of one shape, dtype and device. out is like them,
// receives the result and is returned. It may be a or b.
at::Tensor add_forward(const at::Tensor& a, const at::Tensor& b, const std::optional<at::Tensor>& out) {
    check_inputs(a, b, {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16});
    if (out) {
        check_out(*out, a, b);
        // If autograd has kept out's old values, it will refuse to use them.
        out->unsafeGetTensorImpl()->bump_version();
    }
    // Calls the lambda with scalar_t as float, double, at::Half or at::BFloat16, whichever a holds.
    return AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, a.scalar_type(), "add_forward", [&] {
        using T = cuda_type<scalar_t>;
        return run<T>(launch_add_forward<T>, a, b, out.value_or(at::Tensor()));
    });
}

// --flight in main.py calculates the bytes in flight from this number.
int64_t resident_threads(int64_t loads, int64_t width, int64_t reserved) {
    check_unrolled(loads, width, reserved);
    return threads_per_sm(int(loads), int(width), int(reserved));
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    const auto a = py::arg("a"), b = py::arg("b");
    auto loads = py::arg("loads"), width = py::arg("width"), reserved = py::arg("reserved");
    loads.noconvert(), width.noconvert(), reserved.noconvert();  // or torch.tensor(2.7) would count as 2
    m.def("add_scalar", torch::wrap_pybind_function_no_gil(add_scalar), a, b);
    m.def("add_grid_stride", torch::wrap_pybind_function_no_gil(add_grid_stride), a, b);
    m.def("add_unrolled", torch::wrap_pybind_function_no_gil(add_unrolled), a, b, loads = 8, width = 1, reserved = 0);
    m.def("add_vec4", torch::wrap_pybind_function_no_gil(add_vec4), a, b);
    m.def("add_forward", torch::wrap_pybind_function_no_gil(add_forward), a, b, py::arg("out") = py::none());
    m.def("threads_per_sm", torch::wrap_pybind_function_no_gil(resident_threads), loads, width, reserved = 0);
}
