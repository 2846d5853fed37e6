// attention.cpp: the operators for torch, by its stable ABI (chapter 10): every check before a kernel sees a pointer.
// rules.py has the gradients and what torch.compile needs.
#include "attention.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "common/stable.h"
#include "device/pack.h"

constexpr std::initializer_list<ScalarType> HALVES = {ScalarType::Half, ScalarType::BFloat16};

static AttentionStep step_of(const std::string& name) {
    const auto* const found = std::find(std::begin(STEP_NAMES), std::end(STEP_NAMES), name);
    const std::vector<std::string> but_the_last(std::begin(STEP_NAMES), std::end(STEP_NAMES) - 1);
    STD_TORCH_CHECK(found != std::end(STEP_NAMES), "step must be ", joined(but_the_last), " or ",
                    *(std::end(STEP_NAMES) - 1), ", got ", name);
    return AttentionStep(found - STEP_NAMES);
}

// Whether the gradients are hopper_backward.cu's, or else backward.cu's.
static bool hopper_makes_gradients(const std::string& step) {
    STD_TORCH_CHECK(step == "auto" || step == "portable" || step == "hopper",
                    "step must be auto, portable or hopper, got ", step);
    if (step == "portable") return false;
    const std::string why_not = why_no_hopper();
    STD_TORCH_CHECK(why_not.empty() || step == "auto", "step hopper is not possible: ", why_not,
                    "; auto takes step portable");
    return why_not.empty();
}

// ---- checks --------------------------------------------------------------------------------------------------------

static void check_heads(const Tensor& x, const char* name, std::initializer_list<ScalarType> dtypes) {
    check_tensor(x, name, dtypes);
    STD_TORCH_CHECK(x.dim() == 4, name, " must have 4 dimensions, got ", x.dim());
    for (int64_t size : x.sizes())
        STD_TORCH_CHECK(size <= 1 << 30, name, " must have at most 2^30 rows, heads and batches, got the shape [",
                        joined(x.sizes()), "]");
}

static void check_like(const Tensor& x, const char* name, const Tensor& q, const char* q_name) {
    check_tensor(x, name, {q.scalar_type()});
    check_same(x, name, q, q_name);
}

static Problem problem_of(const Tensor& q, const Tensor& k, const Tensor& v, bool causal, std::optional<double> scale) {
    check_heads(q, "q", HALVES);
    const int64_t d = q.size(3), heads = q.size(1);
    STD_TORCH_CHECK(d == 64 || d == 128, "q must have rows of 64 or 128 elements, got ", d);
    check_heads(k, "k", {q.scalar_type()});
    STD_TORCH_CHECK(k.size(0) == q.size(0) && k.size(3) == d, "k must have the shape [", q.size(0), ", heads, keys, ",
                    d, "], as q has the shape [", joined(q.sizes()), "], got [", joined(k.sizes()), "]");
    const int64_t key_heads = k.size(1);
    STD_TORCH_CHECK(key_heads == 0 ? heads == 0 : heads % key_heads == 0, "q must have a multiple of k's heads, got ",
                    heads, " and ", key_heads);
    check_same_device(q, "q", k, "k");
    check_like(v, "v", k, "k");
    const double factor = scale.value_or(1 / std::sqrt(double(d)));
    STD_TORCH_CHECK(factor > 0 && factor <= std::numeric_limits<float>::max(),
                    "scale must be positive, and fit into float32, got ", factor);
    return {int(q.size(0)), int(heads),     int(key_heads == 0 ? 1 : heads / key_heads),
            int(q.size(2)), int(k.size(2)), int(d),
            causal,         float(factor),  float(factor * 1.4426950408889634)};
}

// ---- memory --------------------------------------------------------------------------------------------------------

// The same tensor if the kernels can read its rows as they lie, or else a contiguous copy.
static Tensor with_whole_rows(const Tensor& x) {
    bool whole = aligned(x.const_data_ptr()) && x.stride(3) == 1;
    for (int64_t d = 0; d < 3; d++) whole = whole && (x.size(d) == 1 || x.stride(d) % 8 == 0);
    if (whole || x.numel() == 0) return x;
    Tensor copy = torch::stable::new_empty(x, x.sizes());
    torch::stable::copy_(copy, x);
    return copy;
}

// A tensor of that shape. Its rows lie in the order in which those of x lie: with x of a projection [batch, rows,
// heads, D], the result can go into the next projection without a copy.
static Tensor new_like(const Tensor& x) {
    const Tensor out = torch::stable::empty_like(x);
    return out.stride(3) == 1 ? out : torch::stable::new_empty(x, x.sizes());
}

template <class T>
static Heads<T> heads_of(const Tensor& x) {
    return {data<T>(x), x.stride(0), x.stride(1), x.stride(2)};
}

template <class F>
static void with_half(ScalarType dtype, F f) {
    dtype == ScalarType::Half ? f(__half()) : f(__nv_bfloat16());
}

// ---- operators -----------------------------------------------------------------------------------------------------

// q: [batch, heads, rows, D]; k and v: [batch, a divisor of heads, any rows, D]; D is 64 or 128. Returns the result,
// and for backward, in float32, the logarithm of each row's sum of exponentials.
std::tuple<Tensor, Tensor> attention_forward(const Tensor& q, const Tensor& k, const Tensor& v, bool causal,
                                             std::optional<double> scale, const std::string& step) {
    const Problem p = problem_of(q, k, v, causal, scale);
    const AttentionStep chosen = step_of(step);
    STD_TORCH_CHECK(chosen != AttentionStep::hopper_3 || p.elements == 64,
                    "step hopper 3 takes rows of 64 elements, got ", p.elements);
    const DeviceGuard guard(q.get_device_index());
    const Tensor out = new_like(q), rows[] = {with_whole_rows(q), with_whole_rows(k), with_whole_rows(v)};
    const Tensor lse = torch::stable::new_empty(q, {q.size(0), q.size(1), q.size(2)}, ScalarType::Float);
    const Tensor given_out = torch::stable::new_empty(q, {1}, ScalarType::Int);
    with_half(q.scalar_type(), [&](auto of) {
        using T = decltype(of);
        launch_attention(heads_of<T>(out), data<float>(lse), heads_of<const T>(rows[0]), heads_of<const T>(rows[1]),
                         heads_of<const T>(rows[2]), p, chosen, data<int>(given_out), current_stream(q));
    });
    return {out, lse};
}

// The gradients of q, k and v, given that of out. deterministic: the same bits each time.
std::tuple<Tensor, Tensor, Tensor> attention_backward(const Tensor& grad, const Tensor& q, const Tensor& k,
                                                      const Tensor& v, const Tensor& out, const Tensor& lse,
                                                      bool causal, std::optional<double> scale, bool deterministic,
                                                      const std::string& step) {
    const Problem p = problem_of(q, k, v, causal, scale);
    check_like(grad, "grad", q, "q");
    check_like(out, "out", q, "q");
    check_input(lse, "lse", {ScalarType::Float});
    STD_TORCH_CHECK(lse.dim() == 3 && lse.size(0) == q.size(0) && lse.size(1) == q.size(1) && lse.size(2) == q.size(2),
                    "lse must have the shape of q without its last dimension, got [", joined(lse.sizes()), "]");
    check_same_device(lse, "lse", q, "q");
    const DeviceGuard guard(q.get_device_index());
    const bool hopper = hopper_makes_gradients(step) && q.numel() > 0 && k.numel() > 0;
    const Tensor grad_q = new_like(q), grad_k = new_like(k), grad_v = new_like(v);
    const Tensor rows[] = {with_whole_rows(grad), with_whole_rows(q), with_whole_rows(k), with_whole_rows(v),
                           with_whole_rows(out)};
    const int64_t floats =
        hopper ? hopper_backward_floats(p, deterministic) : 2 * q.size(0) * q.size(1) * room_for_queries(q.size(2));
    const Tensor room = torch::stable::new_empty(q, {floats}, ScalarType::Float);
    with_half(q.scalar_type(), [&](auto of) {
        using T = decltype(of);
        const Heads<T> grads[] = {heads_of<T>(grad_q), heads_of<T>(grad_k), heads_of<T>(grad_v)};
        Heads<const T> in[5];
        for (int i = 0; i < 5; i++) in[i] = heads_of<const T>(rows[i]);
        if (hopper)
            launch_hopper_backward(grads[0], grads[1], grads[2], in[0], in[1], in[2], in[3], in[4],
                                   data<const float>(lse), data<float>(room), p, deterministic, current_stream(q));
        else
            launch_attention_backward(grads[0], grads[1], grads[2], in[0], in[1], in[2], in[3], in[4],
                                      data<const float>(lse), static_cast<float2*>(room.mutable_data_ptr()), p,
                                      current_stream(q));
    });
    return {grad_q, grad_k, grad_v};
}

STABLE_TORCH_LIBRARY(chapter19, m) {
    m.def(
        "attention(Tensor q, Tensor k, Tensor v, *, bool causal=False, float? scale=None, str step='auto') -> Tensor");
    m.def(
        "attention_forward(Tensor q, Tensor k, Tensor v, *, bool causal=False, float? scale=None, str step='auto') "
        "-> (Tensor, Tensor)");
    m.def(
        "attention_backward(Tensor grad, Tensor q, Tensor k, Tensor v, Tensor out, Tensor lse, *, bool causal=False, "
        "float? scale=None, bool deterministic=False, str step='auto') -> (Tensor, Tensor, Tensor)");
}

STABLE_TORCH_LIBRARY_IMPL(chapter19, KERNEL_DISPATCH_KEY, m) {
    m.impl("attention_forward", TORCH_BOX(&attention_forward));
    m.impl("attention_backward", TORCH_BOX(&attention_backward));
}
