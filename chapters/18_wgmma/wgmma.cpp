// wgmma.cpp: the operators for torch, by its stable ABI (chapter 10). Checks of a product are chapter 16's. Gradients
// and what torch.compile needs: linear_gelu.py, and chapter 16's products.py.
#include "wgmma.h"

#include "../16_matmul/operands.h"
#include "../17_tensor_cores/tensor_cores.h"
#include "plan.h"

constexpr std::initializer_list<ScalarType> HALVES = {ScalarType::Half, ScalarType::BFloat16};
const std::vector<std::string> STEPS = [] {
    std::vector<std::string> steps = {"auto", "fallback", "direct", "first", "larger", "ring"};
    for (const Tile& tile : TILES) steps.push_back(tile.name);
    for (const Tile& tile : TILES)
        for (const int parts : {2, 4, 8})
            if (tile.divisible) steps.push_back(divided_name(tile, parts));
    return steps;
}();

static void check_step(const std::string& step) {
    if (std::find(STEPS.begin(), STEPS.end(), step) != STEPS.end()) return;
    const std::vector<std::string> but_the_last(STEPS.begin(), STEPS.end() - 1);
    STD_TORCH_CHECK(false, "step must be ", joined(but_the_last), " or ", STEPS.back(), ", got ", step);
}

// out = f(a b + bias), by the kernels of this chapter, or by chapter 17's where the GPU has no wgmma.
template <class T>
static void launch(const Product& p, const Tensor* bias, Activation f, const std::string& step) {
    const cudaStream_t stream = current_stream(p.out);
    const WgmmaProduct<T> product = {data<T>(p.out),
                                     p.a.matrix<T>(),
                                     p.b.matrix<T>(),
                                     p.batches,
                                     p.m,
                                     p.n,
                                     p.k,
                                     bias ? data<const T>(*bias) : nullptr,
                                     f};
    const std::string why_not = step == "fallback" ? "asked for" : why_no_wgmma();
    STD_TORCH_CHECK(why_not.empty() || step == "auto" || step == "fallback", "step ", step,
                    " is not possible: ", why_not, "; auto takes chapter 17's kernel");
    if (!why_not.empty()) {
        const auto fallback = TensorCoreStep::automatic;
        const int64_t bytes = workspace_bytes(product.a, product.b, p.batches, p.m, p.n, p.k, fallback);
        const Tensor workspace = torch::stable::new_empty(p.out, {bytes}, ScalarType::Byte);
        launch_tensor_cores(product.out, product.a, product.b, p.batches, p.m, p.n, p.k, fallback, stream,
                            workspace.mutable_data_ptr());
        if (bias) launch_bias_and_f(product.out, product.bias, f, p.batches * p.m, p.n, stream);
        return;
    }
    const Tensor workspace = torch::stable::new_empty(p.out, {workspace_bytes(product, step)}, ScalarType::Byte);
    launch_wgmma(product, step, workspace.mutable_data_ptr(), stream);
}

static void launch(const Product& p, const Tensor* bias, Activation f, const std::string& step) {
    if (p.out.scalar_type() == ScalarType::Half)
        launch<__half>(p, bias, f, step);
    else
        launch<__nv_bfloat16>(p, bias, f, step);
}

// a: float16 or bfloat16, [m, k] or [batches, m, k]; b: [k, n] or [batches, k, n]; any strides.
Tensor matmul(const Tensor& a, const Tensor& b, const std::string& step) {
    check_product(a, b, HALVES);
    check_step(step);
    const DeviceGuard guard(a.get_device_index());
    const Product p = product_of(a, b);
    launch(p, nullptr, Activation::none, step);
    return p.out;
}

// gelu(x @ weight.T + bias). x: float16 or bfloat16, [rows, k] or [batches, rows, k]; weight: [n, k]; bias: [n]; any
// strides.
Tensor linear_gelu(const Tensor& x, const Tensor& weight, const Tensor& bias, const std::string& approximate,
                   const std::string& step) {
    check_tensor(x, "x", HALVES);
    check_tensor(weight, "weight", {x.scalar_type()});
    check_tensor(bias, "bias", {x.scalar_type()});
    STD_TORCH_CHECK(x.dim() == 2 || x.dim() == 3, "x must have 2 or 3 dimensions, got ", x.dim());
    const int64_t k = x.size(x.dim() - 1);
    STD_TORCH_CHECK(weight.dim() == 2 && weight.size(1) == k, "weight must have the shape [n, ", k,
                    "], as x has the shape [", joined(x.sizes()), "], got [", joined(weight.sizes()), "]");
    const int64_t n = weight.size(0);
    STD_TORCH_CHECK(bias.dim() == 1 && bias.size(0) == n, "bias must have the shape [", n,
                    "], as weight has the shape [", joined(weight.sizes()), "], got [", joined(bias.sizes()), "]");
    check_sides(x, "x");
    check_sides(weight, "weight");
    check_same_device(x, "x", weight, "weight");
    check_same_device(x, "x", bias, "bias");
    STD_TORCH_CHECK(approximate == "none" || approximate == "tanh", "approximate must be none or tanh, got ",
                    approximate);
    check_step(step);
    STD_TORCH_CHECK(step != "first" && step != "larger" && step != "ring" && step != "direct",
                    "step must be auto, fallback or a tile, as the others know no bias, got ", step);
    const DeviceGuard guard(x.get_device_index());
    // The kernel that applies GELU reads both along k; other views are copied.
    const auto along_k = [](const Tensor& t) { return t.stride(t.dim() - 1) == 1 ? t : torch::stable::contiguous(t); };
    const Tensor w = along_k(weight);
    Product p = product_of(along_k(x), torch::stable::transpose(w, 0, 1));
    p.b = {w, w.stride(0), 0, true};                             // also where n or k is 1
    if (p.a.transposed) p.a.stride = 1, p.a.transposed = false;  // k is 1: rows of one number
    const Tensor dense = torch::stable::contiguous(bias);
    launch(p, &dense, approximate == "tanh" ? Activation::gelu_tanh : Activation::gelu, step);
    return p.out;
}

STABLE_TORCH_LIBRARY(chapter18, m) {
    m.def("matmul(Tensor a, Tensor b, *, str step='auto') -> Tensor");
    m.def(
        "linear_gelu(Tensor x, Tensor weight, Tensor bias, *, str approximate='none', str step='auto') "
        "-> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(chapter18, KERNEL_DISPATCH_KEY, m) {
    m.impl("matmul", TORCH_BOX(&matmul));
    m.impl("linear_gelu", TORCH_BOX(&linear_gelu));
}
