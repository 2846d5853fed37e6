// hello.cpp: what Python calls. load_inline() calls this text cpp_sources. It writes the text to main.cpp, and adds a
// binding for every name in functions=[...].
#include "hello.h"

#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/Exceptions.h>  // wrap_pybind_function, which the binding uses; it also brings pybind11

#include "common/check_tensor.h"

std::string hello() { return "Hello World!"; }

std::string hello_gpu() {
    const at::Tensor out = at::empty({hello_length}, at::device(kernel_device).dtype(at::kChar));
    launch_hello(out.mutable_data_ptr<int8_t>(), c10::cuda::getCurrentCUDAStream());
    const pybind11::gil_scoped_release no_gil;  // other Python threads run while this one waits
    const at::Tensor host = out.cpu();          // waits for the kernel, and for a copy of what it wrote
    const int8_t* text = host.const_data_ptr<int8_t>();
    return std::string(text, text + hello_length);
}
