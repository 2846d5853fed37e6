// binding.cpp: the operator as a Python module. Only this file needs Python.h, and pybind11, which comes with torch.
#include <torch/csrc/Exceptions.h>

#include "axpy.h"

// load() passes TORCH_EXTENSION_NAME to the compiler; here CMakeLists.txt does. The name must be that of the file, up
// to the first dot: `import axpy` looks for axpy.*.so, and in it for the function PyInit_axpy.
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("axpy", torch::wrap_pybind_function_no_gil(axpy), py::arg("x"), py::arg("y"), py::arg("alpha") = 1.0);
}
