// softmax.cu: the softmax of each row, step by step from three passes over memory to one, and its gradient. No torch
// header in here.
#include "softmax.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "common/cuda_check.h"
#include "common/grid.h"
#include "device/number.h"
#include "device/over_row.h"
#include "device/row_packs.h"

// The largest of some elements, and the sum of exp(element - largest). Of no element, the largest is the lowest number,
// not -infinity: -infinity - -infinity is NaN.
template <class N>
struct MaxSum {
    N max = -std::numeric_limits<N>::max(), sum = 0;
};

// Two parts of a row together: the sum whose maximum is smaller shrinks.
template <class N>
__device__ MaxSum<N> operator+(MaxSum<N> a, MaxSum<N> b) {
    const N shrink = fast_exp(-fabs(a.max - b.max));
    if (a.max > b.max) return {a.max, a.sum + b.sum * shrink};
    return {b.max, b.sum + a.sum * shrink};
}

template <class N>
__device__ MaxSum<N> from_lane(MaxSum<N> part, int apart) {
    return {from_lane(part.max, apart), from_lane(part.sum, apart)};
}

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
template <class Type>
struct Softmax {
    using T = Type;
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

template <class Type>
struct Gradient {
    using T = Type;
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
    int64_t base[each];
    int begin[each], end[each];
    UNROLL for (int r = 0; r < each; r++) {
        const int64_t row = (int64_t(blockIdx.x) * each + r) * blockDim.y + threadIdx.y;
        begin[r] = whole ? 0 : shift_of(out + row * n);
        end[r] = row < rows ? begin[r] + int(n) : 0;
        base[r] = row * n - begin[r];
        UNROLL for (int a = 0; a < Op::INPUTS; a++)
            load<whole>(v[r][a], op.in[a] + base[r], begin[r], end[r], op.none());
    }
    UNROLL for (int r = 0; r < each; r++) {
        const auto mine = op.part(v[r]);
        op.finish(v[r], mine, over_row(mine));
        store<whole>(out + base[r], begin[r], end[r], v[r][0]);
    }
}

// ---- a block loads many short rows as one long one into shared memory; a thread takes one of them -------------------

template <class Op, class T>
__global__ void __launch_bounds__(256) strip_kernel(T* out, Op op, int64_t rows, int n, int each) {
    __shared__ alignas(16) T strip[Op::INPUTS][PACKS * 256 * Pack<T>::SIZE];
    const int64_t first = int64_t(blockIdx.x) * each;
    const int here = int(min(int64_t(each), rows - first)), begin = shift_of(out), end = begin + here * n;
    Pack<T> part[PACKS];
    UNROLL for (int a = 0; a < Op::INPUTS; a++) {
        load_packs(part, op.in[a] + first * n - begin, begin, end, op.none());
        UNROLL for (int k = 0; k < PACKS; k++) reinterpret_cast<Pack<T>*>(strip[a])[threadIdx.x + k * 256] = part[k];
    }
    __syncthreads();
    for (int i = begin + int(threadIdx.x) * n; i < end; i += 256 * n) {
        typename Op::N v[Op::INPUTS][1];
        typename Op::Part all = {};
        for (int j = i; j < i + n; j++) {
            UNROLL for (int a = 0; a < Op::INPUTS; a++) v[a][0] = number(strip[a][j]);
            all = all + op.part(v);
        }
        for (int j = i; j < i + n; j++) {
            UNROLL for (int a = 0; a < Op::INPUTS; a++) v[a][0] = number(strip[a][j]);
            op.finish(v, op.part(v), all);
            strip[0][j] = T(v[0][0]);
        }
    }
    __syncthreads();
    UNROLL for (int k = 0; k < PACKS; k++) part[k] = reinterpret_cast<Pack<T>*>(strip[0])[threadIdx.x + k * 256];
    UNROLL for (int k = 0; k < PACKS; k++) store_pack(out + first * n - begin, begin, end, k, part[k]);
}

// ---- a row of any length, read twice: by a block, or by several -----------------------------------------------------

// Reads every `blocks`-th piece of a row, from piece `block` on, and returns what the whole block has found.
template <class Op, class T>
__device__ typename Op::Part read(const T* out, Op op, int64_t row, int64_t n, unsigned block, unsigned blocks) {
    const int64_t step = int64_t(blockDim.x) * PACKS * Pack<T>::SIZE;
    const int begin = shift_of(out + row * n);
    typename Op::N v[Op::INPUTS][PACKS * Pack<T>::SIZE];
    typename Op::Part all = {};
    for (int64_t i = block * step; i < n + begin; i += blocks * step) {
        const int from = i == 0 ? begin : 0, to = int(min(n + begin - i, step));
        UNROLL for (int a = 0; a < Op::INPUTS; a++) load(v[a], op.in[a] + row * n - begin + i, from, to, op.none());
        all = all + op.part(v);
    }
    return over_row(all);
}

// Reads the same pieces again, and writes their results.
template <class Op, class T>
__device__ void write(T* out, Op op, int64_t row, int64_t n, unsigned block, unsigned blocks, typename Op::Part all) {
    const int64_t step = int64_t(blockDim.x) * PACKS * Pack<T>::SIZE;
    const int begin = shift_of(out + row * n);
    typename Op::N v[Op::INPUTS][PACKS * Pack<T>::SIZE];
    for (int64_t i = block * step; i < n + begin; i += blocks * step) {
        const int from = i == 0 ? begin : 0, to = int(min(n + begin - i, step));
        UNROLL for (int a = 0; a < Op::INPUTS; a++)
            load<false, true>(v[a], op.in[a] + row * n - begin + i, from, to, op.none());
        op.finish(v, op.part(v), all);
        store(out + row * n - begin + i, from, to, v[0]);
    }
}

template <class Op, class T>
__global__ void __launch_bounds__(512, Op::BLOCKS) twice_kernel(T* out, Op op, int64_t n) {
    write(out, op, blockIdx.x, n, 0, 1, read(out, op, blockIdx.x, n, 0, 1));
}

template <class Op, class T>
__global__ void __launch_bounds__(512, Op::BLOCKS)
    parts_kernel(typename Op::Part* parts, const T* out, Op op, int64_t n, unsigned blocks) {
    const auto all = read(out, op, blockIdx.x / blocks, n, blockIdx.x % blocks, blocks);
    if (threadIdx.x == 0) parts[blockIdx.x] = all;
}

// The next launch: each block puts the parts of its row together.
template <class Op, class T>
__global__ void __launch_bounds__(512, Op::BLOCKS)
    split_kernel(T* out, Op op, const typename Op::Part* parts, int64_t n, unsigned blocks) {
    const unsigned row = blockIdx.x / blocks;
    typename Op::Part all = {};
    for (unsigned i = threadIdx.x; i < blocks; i += blockDim.x) all = all + parts[row * blocks + i];
    write(out, op, row, n, blockIdx.x % blocks, blocks, over_row(all));
}

// ---- which step for which row ---------------------------------------------------------------------------------------

// With 128 rows or more, nearly every multiprocessor has a block. Up to 256 KiB of a row, its second reading finds much
// in the L2 cache. Otherwise up to 2048 blocks work, 16 for each multiprocessor: small ones leave little to wait for.
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
        step = n % size != 0 && bytes <= 256 ? Step::strip
               : packs <= 32 * PACKS         ? Step::warp
               : packs <= 512 * PACKS        ? Step::block
               : blocks == 0                 ? Step::twice
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
        twice_kernel<<<blocks_for(rows, 1), threads, 0, stream>>>(out, op, n);
    } else {
        auto* const of_blocks = static_cast<typename Op::Part*>(parts);
        parts_kernel<<<blocks_for(rows * blocks, 1), 512, 0, stream>>>(of_blocks, out, op, n, blocks);
        CHECK_LAUNCH();
        split_kernel<<<blocks_for(rows * blocks, 1), 512, 0, stream>>>(out, op, of_blocks, n, blocks);
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

// The compiler makes code of a template only for a T that it is asked for.
#define FOR_TYPE(T)                                                                          \
    template void launch_softmax(T*, const T*, void*, int64_t, int64_t, Step, cudaStream_t); \
    template void launch_softmax_backward(T*, const T*, const T*, void*, int64_t, int64_t, Step, cudaStream_t);
FOR_TYPE(float)
FOR_TYPE(double)
FOR_TYPE(__half)
FOR_TYPE(__nv_bfloat16)
