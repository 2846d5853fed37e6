// attention.h: what the .cu files of this chapter offer, for T = __half and __nv_bfloat16. No torch.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>
#include <string>

// A tensor [batch, heads, rows, D] whose rows begin at multiples of 16 bytes. Elements of a row lie side by side, and
// rows, heads and batches lie anywhere: strides count elements, and may be 0.
template <class T>
struct Heads {
    T* data;
    int64_t batch_stride, head_stride, row_stride;

    __host__ __device__ T* row(int64_t batch, int64_t head, int64_t number) const {
        return data + batch * batch_stride + head * head_stride + number * row_stride;
    }
};

// q, its gradient and the result have `heads` heads of `queries` rows; k, v and their gradients heads / group heads of
// `keys` rows. A row has 64 or 128 elements. The scale is positive, and no number of rows is greater than 2^30.
struct Problem {
    int batches, heads, group, queries, keys, elements;
    bool causal;           // query i sees the keys 0 to i
    float scale, scale_2;  // scale_2 = scale * log2(e): exp(scale * x) is 2 to the power of scale_2 * x
};

enum class AttentionStep {
    automatic,
    simple,    // a warp a query, a lane a key, sums of float: any GPU
    portable,  // tensor cores by mma.sync: any GPU from compute capability 8.0 on
    first,     // by wgmma, in a warpgroup that waits for each product: compute capability 9.0, as all below
    two,       // two such warpgroups
    overlap,   // they compute the softmax while a product is under way
    hopper,    // and blocks stay until no work is left
    hopper_1,  // the same with one, two or three warpgroups that compute; `hopper` chooses
    hopper_2,
    hopper_3,  // D = 64 only
};
constexpr const char* STEP_NAMES[] = {"auto",    "simple", "portable", "first",    "two",
                                      "overlap", "hopper", "hopper 1", "hopper 2", "hopper 3"};

// Why the current device cannot run the steps from `first` to hopper, nor gradients by wgmma, or "".
std::string why_no_hopper();

// out = softmax(scale * q @ k^T) @ v, and lse[batch][head][query], the logarithm of the sum of exp(scale * q @ k^T). A
// query that sees no key gets zeros and -infinity. given_out: room for an int, which no other call uses meanwhile. All
// memory is that of the current device. Work is done in the order of `stream`. Throws std::runtime_error when a launch
// fails, or where this GPU lacks what the step needs.
template <class T>
void launch_attention(Heads<T> out, float* lse, Heads<const T> q, Heads<const T> k, Heads<const T> v, Problem p,
                      AttentionStep step, int* given_out, cudaStream_t stream);

// What launch_attention() calls for the step hopper if there are keys. groups: how many warpgroups of a block compute,
// or 0 for the fastest number.
template <class T>
void launch_hopper_forward(Heads<T> out, float* lse, Heads<const T> q, Heads<const T> k, Heads<const T> v, Problem p,
                           int groups, int* given_out, cudaStream_t stream);

// The same for the steps first, two and overlap.
template <class T>
void launch_attention_ladder(Heads<T> out, float* lse, Heads<const T> q, Heads<const T> k, Heads<const T> v, Problem p,
                             AttentionStep step, cudaStream_t stream);

// How many queries a head gets room for: whole tiles of every kernel.
__host__ __device__ constexpr int64_t room_for_queries(int64_t queries) { return (queries + 127) / 128 * 128; }

// The gradients of q, k and v, given that of out; `room` begins at a multiple of 16 bytes, and has
// room_for_queries(p.queries) float2 for each head of each batch. The same bits each time.
template <class T>
void launch_attention_backward(Heads<T> grad_q, Heads<T> grad_k, Heads<T> grad_v, Heads<const T> grad, Heads<const T> q,
                               Heads<const T> k, Heads<const T> v, Heads<const T> out, const float* lse, float2* room,
                               Problem p, cudaStream_t stream);

// The same by TMA and wgmma. No size is 0, and `room` has hopper_backward_floats(). Deterministic: the same bits each
// time. Otherwise the last bits of grad_q depend on the order in which blocks run, and five products do what otherwise
// takes seven.
template <class T>
void launch_hopper_backward(Heads<T> grad_q, Heads<T> grad_k, Heads<T> grad_v, Heads<const T> grad, Heads<const T> q,
                            Heads<const T> k, Heads<const T> v, Heads<const T> out, const float* lse, float* room,
                            Problem p, bool deterministic, cudaStream_t stream);
int64_t hopper_backward_floats(const Problem& p, bool deterministic);
