// hello.cpp: what Python calls. load_inline calls this text cpp_sources and writes it to main.cpp, then adds a binding
// for every name in functions=[...].
#include "hello.h"

#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/Exceptions.h>  // for the binding that load_inline adds, and brings pybind11's gil_scoped_release

#include "common/check_input.h"

std::string hello() { return "Hello World!"; }

std::string hello_gpu() {
    const at::Tensor out = at::empty({hello_length}, at::device(kernel_device).dtype(at::kChar));  // memory of the GPU
    launch_hello(out.mutable_data_ptr<int8_t>(), c10::cuda::getCurrentCUDAStream());
    const pybind11::gil_scoped_release no_gil;  // other Python threads run while this one waits
    const at::Tensor host = out.cpu();  // queues a copy and waits for it, because the CPU cannot read the GPU's memory
    const int8_t* text = host.const_data_ptr<int8_t>();
    return std::string(text, text + hello_length);
}
