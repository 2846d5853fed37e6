// model.cpp: a program without Python that runs the model exported by model.py.
//
//   bias_gelu_model bias_gelu.pt2
#include <ATen/ops/add.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/div.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/relu.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

#include <cstdio>

#include "common/check_tensor.h"

static void check(const char* package) {
    torch::inductor::AOTIModelPackageLoader model(package);
    const auto options = at::device(kernel_device).dtype(at::kFloat);
    const at::Tensor weight = at::arange(1, 9, options), bias = at::div(at::arange(8, options), 8);  // as in model.py
    for (const int64_t rows : {0, 1, 3, 255, 256, 257, (1 << 17) + 3}) {
        const at::Tensor x = at::randn({rows, 8}, options);
        const at::Tensor expected = at::gelu(at::add(at::relu(at::mul(x, weight)), bias), "tanh");
        TORCH_CHECK(at::allclose(model.run({x}).at(0), expected, 1e-5, 1e-6), "wrong result for ", rows, " rows");
    }
    std::printf("%-58s  ok\n", "check   bias_gelu.pt2 from C++: rows = 0 1 3 255 256 257 131075");
}

int main(int count, char** arguments) try {
    TORCH_CHECK_VALUE(count == 2, "expected one argument, the path of bias_gelu.pt2");
    check(arguments[1]);
} catch (const c10::Error& error) {
    std::fprintf(stderr, "%s: %s\n", arguments[count - 1], error.what_without_backtrace());
    return 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", arguments[count - 1], error.what());
    return 1;
}
