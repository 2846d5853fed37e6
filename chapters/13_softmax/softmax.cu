// softmax.cu: the softmax of each row, from three passes over memory to one, and its gradient. No torch header in here.
#include "softmax.h"

#include <algorithm>
#include <stdexcept>

#include "common/cuda_check.h"
#include "common/grid.h"
#include "device/max_sum.h"
#include "device/over_row.h"
#include "device/row_packs.h"

// ---- a block reads a row three times --------------------------------------------------------------------------------

template <class T>
__global__ void three_passes_kernel(T* out, const T* x, int64_t n) {
    MaxSum<Number<T>> all;
    out += blockIdx.x * n, x += blockIdx.x * n;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) all.max = larger(all.max, number(x[i]));
    all.max = over_row(all).max;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) all.sum += fast_exp(number(x[i]) - all.max);
    all.sum = over_row(all.sum);
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) out[i] = T(fast_exp(number(x[i]) - all.max) / all.sum);
}

// ---- softmax and its gradient: all further kernels take one of these as Op -----------------------------------------

// v: a thread's elements of each input. part() reduces them to a part of the row, and may replace v[0]. finish() then
// makes results of v[0], with the thread's part and that of all threads of the row.
template <class T>
struct Softmax {
    using N = Number<T>;
    using Part = MaxSum<N>;
    static constexpr int INPUTS = 1, BLOCKS = 2;  // BLOCKS of 512 threads must fit on a multiprocessor at a time
    const T* in[INPUTS];                          // x
    static __device__ T none() { return T(-INFINITY); }

    template <int count>
    static __device__ Part part(N (&v)[INPUTS][count]) {
        Part all;
        UNROLL for (int i = 0; i < count; i++) all.max = larger(all.max, v[0][i]);
        UNROLL for (int i = 0; i < count; i++) all.sum += v[0][i] = fast_exp(v[0][i] - all.max);
        return all;
    }
    template <int count>
    static __device__ void finish(N (&v)[INPUTS][count], Part mine, Part all) {
        const N scale = fast_exp(mine.max - all.max) * (1 / all.sum);
        UNROLL for (int i = 0; i < count; i++) v[0][i] *= scale;
    }
};

template <class T>
struct Gradient {
    using N = Number<T>;
    using Part = N;  // the sum of grad * y
    static constexpr int INPUTS = 2, BLOCKS = 1;
    const T* in[INPUTS];  // grad and y
    static __device__ T none() { return T(0.f); }

    template <int count>
    static __device__ Part part(N (&v)[INPUTS][count]) {
        Part sum = 0;
        UNROLL for (int i = 0; i < count; i++) sum += v[0][i] * v[1][i];
        return sum;
    }
    template <int count>
    static __device__ void finish(N (&v)[INPUTS][count], Part, Part sum) {
        UNROLL for (int i = 0; i < count; i++) v[0][i] = v[1][i] * (v[0][i] - sum);
    }
};

constexpr int PACKS = 4;  // of each input that a thread has in flight

// ---- a row in the registers of 1 to 32 lanes, or of a block ---------------------------------------------------------

// A thread has four packs of a row, or one pack of each of four rows.
template <class Op, int packs, bool whole, class T>
__global__ void __launch_bounds__(512, Op::BLOCKS) registers_kernel(T* out, Op op, int64_t rows, int64_t n) {
    constexpr int each = PACKS / packs;
    typename Op::N v[each][Op::INPUTS][packs * Pack<T>::SIZE];
    Section at[each];
    UNROLL for (int r = 0; r < each; r++) {
        const int64_t row = (int64_t(blockIdx.x) * each + r) * blockDim.y + threadIdx.y;
        const int begin = whole ? 0 : shift_of(out + row * n);
        at[r] = {row * n - begin, begin, row < rows ? begin + int(n) : 0};
        load<whole>(v[r], op.in, at[r], op.none());
    }
    UNROLL for (int r = 0; r < each; r++) {
        const auto mine = op.part(v[r]);
        op.finish(v[r], mine, over_row(mine));
        store<whole>(out, at[r], v[r][0]);
    }
}

// ---- a block loads many short rows as one long one into shared memory; a thread takes one of them -------------------

template <class Op, class T>
__global__ void __launch_bounds__(256) strip_kernel(T* out, Op op, int64_t rows, int n, int each) {
    __shared__ alignas(16) T strip[Op::INPUTS][PACKS * 256 * Pack<T>::SIZE];
    const int64_t first = int64_t(blockIdx.x) * each;
    const int here = int(min(int64_t(each), rows - first)), begin = shift_of(out), end = begin + here * n;
    Pack<T> packs[PACKS];
    UNROLL for (int a = 0; a < Op::INPUTS; a++) {
        load_packs(packs, op.in[a] + first * n - begin, begin, end, op.none());
        UNROLL for (int k = 0; k < PACKS; k++) reinterpret_cast<Pack<T>*>(strip[a])[threadIdx.x + k * 256] = packs[k];
    }
    __syncthreads();
    for (int i = begin + int(threadIdx.x) * n; i < end; i += 256 * n) {
        typename Op::N v[Op::INPUTS][1];
        const auto part = [&](int j) {  // of element j alone
            UNROLL for (int a = 0; a < Op::INPUTS; a++) v[a][0] = number(strip[a][j]);
            return op.part(v);
        };
        typename Op::Part all = {};
        for (int j = i; j < i + n; j++) all = all + part(j);
        for (int j = i; j < i + n; j++) {
            op.finish(v, part(j), all);
            strip[0][j] = T(v[0][0]);
        }
    }
    __syncthreads();
    UNROLL for (int k = 0; k < PACKS; k++) packs[k] = reinterpret_cast<Pack<T>*>(strip[0])[threadIdx.x + k * 256];
    UNROLL for (int k = 0; k < PACKS; k++) store_pack(out + first * n - begin, begin, end, k, packs[k]);
}

// ---- a row of any length, read twice: by a block in one launch, or by several in two --------------------------------

enum class Launch { only, first, second };

// A block takes every `blocks`-th piece of its row. `parts` is what the first of two launches leaves to the second.
template <Launch launch, class Op, class T>
__global__ void __launch_bounds__(512, Op::BLOCKS)
    twice_kernel(T* out, Op op, typename Op::Part* parts, int64_t n, unsigned blocks_of_row) {
    const unsigned blocks = launch == Launch::only ? 1 : blocks_of_row, row = blockIdx.x / blocks;
    const int64_t size = int64_t(blockDim.x) * PACKS * Pack<T>::SIZE, first = blockIdx.x % blocks * size;
    const int shift = shift_of(out + row * n);
    const auto piece = [&](int64_t i) {
        return Section{row * n - shift + i, i == 0 ? shift : 0, int(min(n + shift - i, size))};
    };
    typename Op::N v[Op::INPUTS][PACKS * Pack<T>::SIZE];
    typename Op::Part all = {};
    for (int64_t i = first; i < n + shift && launch != Launch::second; i += blocks * size) {
        load(v, op.in, piece(i), op.none());
        all = all + op.part(v);
    }
    for (unsigned i = threadIdx.x; i < blocks && launch == Launch::second; i += blockDim.x)
        all = all + parts[row * blocks + i];
    all = over_row(all);
    if (launch == Launch::first && threadIdx.x == 0) parts[blockIdx.x] = all;
    if (launch == Launch::first) return;
    for (int64_t i = first; i < n + shift; i += blocks * size) {
        load<false, true>(v, op.in, piece(i), op.none());
        op.finish(v, op.part(v), all);
        store(out, piece(i), v[0]);
    }
}

// ---- which step for which row ---------------------------------------------------------------------------------------

// Few rows, and rows of which the L2 cache keeps too little. REFERENCE.md says why these numbers ("Constants").
unsigned blocks_of_a_row(int64_t rows, int64_t bytes, Step step) {
    const bool few = rows < 128 && bytes > (32 << 10), far = bytes > (256 << 10);
    if (step != Step::split && !(step == Step::automatic && (few || far))) return 0;
    return unsigned(std::max<int64_t>(1, std::min(bytes >> 15, 2048 / std::max<int64_t>(rows, 1))));
}

template <class Op, class T>
static void launch(T* out, Op op, void* parts, int64_t rows, int64_t n, Step step, cudaStream_t stream) {
    if (rows == 0 || n == 0) return;  // CUDA refuses a grid of 0 blocks
    constexpr int size = Pack<T>::SIZE;
    bool whole = n % size == 0 && aligned(out);
    for (const T* input : op.in) whole = whole && aligned(input);
    const int64_t packs = whole ? n / size : (n + 2 * size - 2) / size;  // of the row, or that it may touch
    const int64_t bytes = n * int64_t(sizeof(T));
    const unsigned blocks = blocks_of_a_row(rows, bytes, step);
    if (step == Step::automatic)
        step = n % size != 0 && bytes <= 256 && rows * bytes >= (2 << 20) ? Step::strip
               : packs <= 32 * PACKS                                      ? Step::warp
               : packs <= 512 * PACKS                                     ? Step::block
               : blocks == 0                                              ? Step::twice
                                                                          : Step::split;
    const int64_t room = step == Step::strip ? 64 : step == Step::warp ? 32 * PACKS : 512 * PACKS;  // packs
    if (step <= Step::block && packs > room)
        throw std::runtime_error("this step has no room for rows of " + std::to_string(n) +
                                 " elements; auto takes any");
    if (step == Step::strip) {
        const int each = int((PACKS * 256 - 1) * size / n / size * size);  // so that strips begin as the first row does
        strip_kernel<<<blocks_for(rows, each), 256, 0, stream>>>(out, op, rows, int(n), each);
    } else if (step == Step::warp || step == Step::block) {
        unsigned threads = 1;  // of a row
        while (threads * (packs < 8 ? 1 : PACKS) < packs) threads += std::min(threads, 32u);
        const dim3 block(threads, step == Step::warp ? 256 / threads : 1);
        const auto kernel = packs < 8 ? whole ? registers_kernel<Op, 1, true, T> : registers_kernel<Op, 1, false, T>
                            : whole   ? registers_kernel<Op, PACKS, true, T>
                                      : registers_kernel<Op, PACKS, false, T>;
        kernel<<<blocks_for(rows, int(block.y) * (packs < 8 ? PACKS : 1)), block, 0, stream>>>(out, op, rows, n);
    } else if (step == Step::twice) {
        const int threads = bytes > (40 << 10) ? 512 : 256;  // 256: more blocks at a time, if L2 can keep their rows
        twice_kernel<Launch::only><<<blocks_for(rows, 1), threads, 0, stream>>>(out, op, nullptr, n, 1);
    } else {
        auto* const of_blocks = static_cast<typename Op::Part*>(parts);
        const unsigned grid = blocks_for(rows * blocks, 1);
        twice_kernel<Launch::first><<<grid, 512, 0, stream>>>(out, op, of_blocks, n, blocks);
        CHECK_LAUNCH();
        twice_kernel<Launch::second><<<grid, 512, 0, stream>>>(out, op, of_blocks, n, blocks);
    }
    CHECK_LAUNCH();
}

template <class T>
void launch_softmax(T* out, const T* x, void* parts, int64_t rows, int64_t n, Step step, cudaStream_t stream) {
    if (step != Step::three_passes || rows == 0 || n == 0)
        return launch(out, Softmax<T>{{x}}, parts, rows, n, step, stream);
    three_passes_kernel<<<blocks_for(rows, 1), 256, 0, stream>>>(out, x, n);
    CHECK_LAUNCH();
}

template <class T>
void launch_softmax_backward(T* grad_x, const T* grad, const T* y, void* parts, int64_t rows, int64_t n, Step step,
                             cudaStream_t stream) {
    launch(grad_x, Gradient<T>{{grad, y}}, parts, rows, n, step, stream);
}

#define FOR_TYPE(T)                                                                          \
    template void launch_softmax(T*, const T*, void*, int64_t, int64_t, Step, cudaStream_t); \
    template void launch_softmax_backward(T*, const T*, const T*, void*, int64_t, int64_t, Step, cudaStream_t);
FOR_TYPE(float)
FOR_TYPE(double)
FOR_TYPE(__half)
FOR_TYPE(__nv_bfloat16)
