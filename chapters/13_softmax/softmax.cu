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
// makes results in v[0], with the thread's part and the part of the whole row.
template <class T>
struct Softmax {
    using N = Number<T>;
    using Part = MaxSum<N>;
    static constexpr int INPUTS = 1, PACKS = 4;  // of each input: four packs of 16 bytes in flight
    const T* in[INPUTS];                         // x
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
    static constexpr int INPUTS = 2, PACKS = 2;
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

// ---- a row in the registers of 1 to 32 lanes, or of a block ---------------------------------------------------------

// A thread has PACKS packs of a row, or fewer of each of several rows.
template <class Op, int packs, Layout layout, class T>
__global__ void __launch_bounds__(1024) registers_kernel(T* out, Op op, int64_t rows, int64_t n) {
    constexpr int each = Op::PACKS / packs;
    typename Op::N v[each][Op::INPUTS][packs * Pack<T>::SIZE];
    Section at[each];
    UNROLL for (int r = 0; r < each; r++) {
        const int64_t row = (int64_t(blockIdx.x) * each + r) * blockDim.y + threadIdx.y;
        at[r] = {row * n, 0, row < rows ? int(n) : 0};
        load<layout>(v[r], op.in, at[r], op.none());
    }
    UNROLL for (int r = 0; r < each; r++) {
        const auto mine = op.part(v[r]);
        op.finish(v[r], mine, over_row(mine));
        store<layout>(out, at[r], v[r][0]);
    }
}

// ---- a block loads many short rows as one long one into shared memory; a thread takes one of them -------------------

template <bool turned, class Op, class T>
__global__ void __launch_bounds__(256) strip_kernel(T* out, Op op, int64_t rows, int n, int each) {
    __shared__ Pack<T> strip[Op::INPUTS][Op::PACKS * 256];
    const auto element_of = [&](int a, int i) -> T& { return reinterpret_cast<T*>(strip[a])[i]; };
    const int64_t first = int64_t(blockIdx.x) * each, here = min(int64_t(each), rows - first);
    const int begin = shift_of(out), end = begin + int(here) * n, start = turned ? int(threadIdx.x) % n : 0;
    const Section strips = {first * n - begin, begin, end};
    Pack<T> packs[Op::PACKS];
    UNROLL for (int a = 0; a < Op::INPUTS; a++) {
        load_packs(packs, op.in[a], strips, op.none());
        UNROLL for (int k = 0; k < Op::PACKS; k++) strip[a][threadIdx.x + k * 256] = packs[k];
    }
    __syncthreads();
    for (int i = begin + int(threadIdx.x) * n; i < end; i += 256 * n) {
        const auto place = [&](int c) { return i + c + start - (c + start < n ? 0 : n); };
        typename Op::N v[Op::INPUTS][1];
        const auto part = [&](int c) {  // of one element. turned: each thread starts at another, for the banks
            UNROLL for (int a = 0; a < Op::INPUTS; a++) v[a][0] = number(element_of(a, place(c)));
            return op.part(v);
        };
        typename Op::Part all = {};
        for (int c = 0; c < n; c++) all = all + part(c);
        for (int c = 0; c < n; c++) {
            op.finish(v, part(c), all);
            element_of(0, place(c)) = T(v[0][0]);
        }
    }
    __syncthreads();
    UNROLL for (int k = 0; k < Op::PACKS; k++) store_pack(out, strips, k, strip[0][threadIdx.x + k * 256]);
}

// ---- a row of any length, read twice: by a block in one launch, or by several in two --------------------------------

enum class Launch { only, first, second };
// A row is split among `split` blocks, each of which takes every `split`-th piece. `parts` is what the first of two
// launches leaves to the second, which begins at the end: the L2 cache still has what was read last.
template <Launch launch, Layout layout, class Op, class T>
__global__ void __launch_bounds__(1024) twice_kernel(T* out, Op op, typename Op::Part* parts, int64_t n, int split) {
    const unsigned blocks = launch == Launch::only ? 1 : unsigned(split);
    const unsigned block = launch == Launch::second ? gridDim.x - 1 - blockIdx.x : blockIdx.x, row = block / blocks;
    const int64_t size = int64_t(blockDim.x) * Op::PACKS * Pack<T>::SIZE, first = block % blocks * size;
    const int shift = layout == Layout::shifted ? shift_of(out + row * n) : 0;
    const auto piece = [&](int64_t i) {
        return Section{row * n - shift + i, i == 0 ? shift : 0, int(min(n + shift - i, size))};
    };
    typename Op::N v[Op::INPUTS][Op::PACKS * Pack<T>::SIZE];
    typename Op::Part all = {};
    for (int64_t i = first; i < n + shift && launch != Launch::second; i += blocks * size) {
        load<layout>(v, op.in, piece(i), op.none());
        all = all + op.part(v);
    }
    for (unsigned i = threadIdx.x; i < blocks && launch == Launch::second; i += blockDim.x)
        all = all + parts[row * blocks + i];
    all = over_row(all);
    if (launch == Launch::first && threadIdx.x == 0) parts[block] = all;
    for (int64_t i = first; i < n + shift && launch != Launch::first; i += blocks * size) {
        load<layout, true>(v, op.in, piece(i), op.none());
        op.finish(v, op.part(v), all);
        store<layout>(out, piece(i), v[0]);
    }
}

// ---- which step for which row ---------------------------------------------------------------------------------------

// Several blocks share a row if rows are few, or too long for L2. REFERENCE.md says why these numbers ("Constants").
unsigned blocks_of_a_row(int64_t rows, int64_t bytes, Step step) {
    const bool few = rows < 128 && bytes > (32 << 10), far = bytes > (256 << 10);
    if (step != Step::split && !(step == Step::automatic && (few || far))) return 0;
    return unsigned(std::max<int64_t>(1, std::min(bytes >> 15, 2048 / std::max<int64_t>(rows, 1))));
}

template <class Op, class T>
static void launch(T* out, Op op, void* parts, int64_t rows, int64_t n, Step step, cudaStream_t stream) {
    if (rows == 0 || n == 0) return;  // CUDA refuses a grid of 0 blocks
    constexpr int size = Pack<T>::SIZE;
    const Layout layout = layout_of<T>(n, op.in, out), of_long = alike<T>(op.in, out) ? Layout::shifted : layout;
    const bool whole = layout == Layout::whole;
    const int64_t bytes = n * int64_t(sizeof(T)), packs = (n + size - 1) / size, most = packs + (whole ? 0 : 1);
    const unsigned blocks = blocks_of_a_row(rows, bytes, step);
    if (step == Step::automatic)
        step = !whole && bytes <= 256 && rows >= 16384     ? Step::strip
               : packs <= 128                              ? Step::warp
               : packs <= (whole ? 2048 : 512 * Op::PACKS) ? Step::block
               : blocks == 0                               ? Step::twice
                                                           : Step::split;
    if (step <= Step::block && packs > (step == Step::strip ? 64 : step == Step::warp ? 128 : 2048))
        throw std::runtime_error("no room for rows of " + std::to_string(n) + " elements; auto takes any");
    if (step == Step::strip) {
        const int each = int((Op::PACKS * 256 - 1) * size / n / size * size);  // all strips begin alike
        const auto kernel = n % size == 0 ? strip_kernel<true, Op, T> : strip_kernel<false, Op, T>;
        kernel<<<blocks_for(rows, each), 256, 0, stream>>>(out, op, rows, int(n), each);
    } else if (step == Step::warp || step == Step::block) {
        const int each = packs < (whole ? 8 : 33) ? 1 : !whole && packs <= 64 ? 2 : Op::PACKS;  // packs of a thread
        unsigned threads = whole ? 1 : 32;                                                      // of a row
        while (threads * each < packs) threads += std::min(threads, 32u);
        const dim3 block(threads, threads > 32 ? 1 : 256 / threads);
        with_layout<Layout::whole, T>(layout, [&](auto as) {
            const auto kernel = each == 1   ? registers_kernel<Op, 1, as(), T>
                                : each == 2 ? registers_kernel<Op, 2, as(), T>
                                            : registers_kernel<Op, Op::PACKS, as(), T>;
            kernel<<<blocks_for(rows, int(block.y) * Op::PACKS / each), block, 0, stream>>>(out, op, rows, n);
        });
    } else {  // fewer packs a round: more blocks at a time, if L2 can keep their rows (REFERENCE.md, "Constants")
        const int64_t of_two = Op::INPUTS == 1 ? 2048 : sizeof(T) == 4 ? 1536 : 1024;  // blocks on a multiprocessor
        const int64_t rounds = (most - 1) / (bytes <= (40 << 10) ? 1024 : bytes <= (80 << 10) ? of_two : 2048) + 1;
        const auto threads = step == Step::split ? (sizeof(T) == 8 ? 256 : 512)
                                                 : unsigned((most - 1) / (rounds * 32 * Op::PACKS) + 1) * 32;
        auto* const found = static_cast<typename Op::Part*>(parts);
        const unsigned grid = blocks_for(rows * std::max(blocks, 1u), 1);
        with_layout<Layout::shifted, T>(of_long, [&](auto as) {
            const auto one = twice_kernel<Launch::first, as(), Op, T>, two = twice_kernel<Launch::second, as(), Op, T>;
            if (step == Step::split) one<<<grid, threads, 0, stream>>>(out, op, found, n, int(blocks));
            CHECK_LAUNCH();
            const auto last = step == Step::split ? two : twice_kernel<Launch::only, as(), Op, T>;
            last<<<grid, threads, 0, stream>>>(out, op, found, n, int(blocks));
        });
    }
    CHECK_LAUNCH();
}

template <class T>
void launch_softmax(T* out, const T* x, void* parts, int64_t rows, int64_t n, Step step, cudaStream_t stream) {
    if (step != Step::three_passes) return launch(out, Softmax<T>{{x}}, parts, rows, n, step, stream);
    if (rows > 0 && n > 0) three_passes_kernel<<<blocks_for(rows, 1), 256, 0, stream>>>(out, x, n);
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
FOR_TYPE(float) FOR_TYPE(double) FOR_TYPE(__half) FOR_TYPE(__nv_bfloat16)
