// my_op.cpp: a tensor in, a tensor out, by torch's stable ABI.
// All checks are here, because a kernel cannot report a mistake.
#include "my_op.h"

#include "common/stable.h"

// factor * x. x: float32, float16 or bfloat16, contiguous, of any shape. Returns a new tensor.
static Tensor my_op_forward(const Tensor& x, double factor) {
    check_input(x, "x", FLOATS);
    const DeviceGuard guard(x.get_device_index());  // the launch goes to x's GPU, whichever is current
    const Tensor out = torch::stable::empty_like(x);
    with_type(x.scalar_type(), [&](auto of) {
        using T = decltype(of);
        launch_my_op(data<T>(out), data<const T>(x), x.numel(), float(factor), current_stream(x));
    });
    return out;
}

STABLE_TORCH_LIBRARY(chapter99, m) {
    // The schema: all that torch knows of the operator before it calls it.
    m.def("my_op(Tensor x, float factor) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(chapter99, KERNEL_DISPATCH_KEY, m) {
    // Called for tensors that lie where kernels run.
    m.impl("my_op", TORCH_BOX(&my_op_forward));
}
