// rms_norm.cu: each row divided by the root of its mean square, times a weight for each column. Also with an addition
// in front of it, and the gradients of both, each in one pass over memory. No torch header in here.
#include "rms_norm.h"

#include <algorithm>
#include <cstring>

#include "common/cuda_check.h"
#include "common/grid.h"
#include "device/over_row.h"
#include "device/row_packs.h"
#include "formulas.h"
#include "long_rows.h"
#include "row_part.h"
#include "weight_gradient.h"

// ---- a row in the registers of 1 to 32 lanes, or of a block ---------------------------------------------------------

// Rows of which a thread has `packs` packs at a time: with fewer than PACKS, several. An addition loads twice as much.
template <class Op, Layout layout, int packs>
constexpr int ROWS = std::max(1, PACKS<Op, layout> / packs / (Op::ADDS ? 2 : 1));

// With a gradient of weight: how many THREADS a multiprocessor has at a time, and whether a block loads its next rows
// AHEAD, while it works on some. The limit is registers.
template <class Op, Layout layout>
constexpr int THREADS =
    Op::OF_WEIGHT && Op::INPUTS == 2 && sizeof(typename Op::T) == 2 && layout != Layout::single ? 640 : 512;
template <class Op, Layout layout>
constexpr bool AHEAD = Op::OF_WEIGHT && (Op::INPUTS == 2 || (sizeof(typename Op::T) == 2 && layout != Layout::single));

// A block of a small grid goes on to further rows.
template <class Op, int packs, Layout layout>
__global__ void __launch_bounds__(THREADS<Op, layout>, BLOCKS<Op>) registers_kernel(Op op, typename Op::N* partial) {
    using T = typename Op::T;
    constexpr int each = ROWS<Op, layout, packs>, count = packs * Pack<T>::SIZE;
    constexpr bool one_pack = packs == 1;  // of weights, the same for all rows
    const int n = int(op.n);
    const int64_t step = int64_t(gridDim.x) * each * blockDim.y;
    typename Op::N of_weight[count] = {};
    Pack<T> w[packs], v[each][Op::INPUTS][packs], next[each][Op::INPUTS][packs];
    const auto load_rows = [&](int64_t first) {
        UNROLL for (int r = 0; r < each; r++) {
            const int64_t row = first + r * blockDim.y;
            load_inputs<layout, Pass::only>(next[r], op, {row * n, 0, row < op.rows ? n : 0});
        }
    };
    int64_t first = int64_t(blockIdx.x) * each * blockDim.y + threadIdx.y;
    if (Op::OF_WEIGHT) load_packs<layout>(w, op.weight, {0, 0, n}, T(0.f));
    if (AHEAD<Op, layout>) load_rows(first);
    for (; first - threadIdx.y < op.rows; first += step) {
        if (!AHEAD<Op, layout>) load_rows(first);
        memcpy(v, next, sizeof v);
        if (AHEAD<Op, layout>) load_rows(first + step);
        typename Op::Factors factors[each];
        UNROLL for (int r = 0; r < each; r++) factors[r] = op.factors(over_row(part_of(op, v[r], w)));
        if (one_pack && !Op::OF_WEIGHT)
            load_packs<layout>(w, op.weight, {0, 0, n}, T(0.f));  // as late as possible: registers
        UNROLL for (int r = 0; r < each; r++) {
            const int64_t row = first + r * blockDim.y;
            if (row < op.rows) {
                const Section s = {row * n, 0, n};
                if constexpr (Op::OF_WEIGHT || one_pack)
                    write<layout>(op, s, v[r], w, factors[r], of_weight);
                else
                    write<layout>(op, s, {0, 0, n}, v[r], factors[r]);
            }
        }
        if (Op::OF_WEIGHT && blockDim.y == 1) __syncthreads();  // before the next over_row()
    }
    if constexpr (Op::OF_WEIGHT)
        write_sums<layout>(partial + int64_t(blockIdx.x) * n, gridDim.x == 1 ? op.of_weight : nullptr, n, of_weight);
}

// ---- short rows: a block loads `each` of them as one long one, into its shared memory -------------------------------

constexpr int STRIP = 2 * 256;  // packs
template <class T>
constexpr int MOST_ROWS = sizeof(T) == 8 ? 1022 : 1360;  // of one double, or of three halves, fill a strip

template <class Op>
__global__ void __launch_bounds__(256) strip_kernel(Op op, typename Op::N* partial, int each) {
    using T = typename Op::T;
    __shared__ Pack<T> strip[Op::INPUTS][STRIP];
    __shared__ typename Op::Factors factors[MOST_ROWS<T>];
    const int n = int(op.n), groups = 256 / n, t = int(threadIdx.x), begin = shift_of(op.out);
    const auto element_of = [&](int a, int i) -> T& { return reinterpret_cast<T*>(strip[a])[i]; };
    typename Op::N of_weight[1] = {}, v[Op::INPUTS];
    const auto w = number(op.weight[t % n]);
    for (int64_t first = int64_t(blockIdx.x) * each; first < op.rows; first += int64_t(gridDim.x) * each) {
        const int here = int(min(int64_t(each), op.rows - first)), end = begin + here * n;
        const Section rows = {first * n - begin, begin, end};
        Pack<T> part[Op::INPUTS][STRIP / 256];
        UNROLL for (int a = 0; a < Op::INPUTS; a++) load_packs<Layout::shifted, true>(part[a], op.in[a], rows, T(0.f));
        UNROLL for (int k = 0; k < STRIP / 256; k++) {
            if constexpr (Op::ADDS) {
                add_second_to_first(part, k);
                store_pack(op.sum, rows, k, part[0][k]);
            }
            UNROLL for (int a = 0; a < Op::INPUTS; a++) strip[a][t + k * 256] = part[a][k];
        }
        __syncthreads();
        for (int row = t; row < here; row += 256) {  // a thread for each row
            typename Op::Part all = {};
            // In rows as long as whole packs, a column lies in few of the 32 banks. So each thread starts in another.
            int c = n % Pack<T>::SIZE == 0 ? t % n : 0;
            for (int i = 0; i < n; i++) {
                UNROLL for (int a = 0; a < Op::INPUTS; a++) v[a] = number(element_of(a, begin + row * n + c));
                all = all + op.part(v, number(op.weight[c]));
                if (++c == n) c = 0;
            }
            factors[row] = op.factors(all);
        }
        __syncthreads();
        for (int row = t / n; t < groups * n && row < here; row += groups) {  // a thread stays in its column
            const int i = begin + row * n + t % n;
            UNROLL for (int a = 0; a < Op::INPUTS; a++) v[a] = number(element_of(a, i));
            element_of(0, i) = T(op.result(v, w, factors[row], of_weight[0]));
        }
        __syncthreads();
        UNROLL for (int k = 0; k < STRIP / 256; k++) store_pack(op.out, rows, k, strip[0][t + k * 256]);
    }
    if constexpr (Op::OF_WEIGHT) {
        const auto sum = over_column(of_weight[0], n, groups);
        if (t < n) partial[int64_t(blockIdx.x) * n + t] = sum;
    }
}

// ---- which kernel for which rows ------------------------------------------------------------------------------------

// Returns how many rows of partial sums it leaves.
template <class Op, Layout layout>
static int64_t launch_in(Op op, Layout of_long, typename Op::N* partial, cudaStream_t stream) {
    using T = typename Op::T;
    constexpr int size = Pack<T>::SIZE, most = PACKS<Op, layout>;
    constexpr bool whole = layout == Layout::whole;
    const Plan<Op, layout> plan(op.rows, op.n);
    const int64_t fit = std::min<int64_t>((STRIP - 1) * size / op.n, MOST_ROWS<T>);
    const int each = std::max(int(fit / size * size), 1);  // rows of a strip, so that all begin as the first row does
    const int64_t strips = blocks_for(op.rows, each);
    // A warp for each of so many rows would need two rounds: a multiprocessor has room for 64 warps. A single strip
    // would have to write the gradient of weight.
    if (!whole && plan.bytes <= 256 && strips > 1 && op.rows >= 128 * multiprocessors()) {
        const unsigned blocks = unsigned(std::min(strips, plan.most_blocks));
        strip_kernel<<<blocks, 256, 0, stream>>>(op, partial, each);
        CHECK_LAUNCH();
        return blocks;
    }
    if (plan.in_registers) {
        const int packs = op.n <= 32 * size ? 1 : !whole && op.n <= 64 * size ? 2 : most;  // of a thread
        unsigned threads = whole ? 1 : 32;                                                 // of a row
        while (int64_t(threads) * packs * size < op.n) threads += std::min(threads, 32u);
        dim3 block(threads);  // of whole warps, for over_row(), and no higher than there are rows
        while (block.x * block.y < 32 || (block.x * block.y < 256 && threads <= 32 && block.y < op.rows)) block.y *= 2;
        const int of_thread = packs == 1 ? ROWS<Op, layout, 1> : packs == 2 ? ROWS<Op, layout, 2> : 1;  // rows
        const int64_t of_block = int64_t(block.y) * of_thread, at_once = THREADS<Op, layout> / (block.x * block.y);
        int64_t blocks = blocks_for(op.rows, int(of_block));
        if (Op::OF_WEIGHT) blocks = std::min({blocks, plan.most_blocks, multiprocessors() * at_once});
        const auto kernel = packs == 1   ? registers_kernel<Op, 1, layout>
                            : packs == 2 ? registers_kernel<Op, 2, layout>
                                         : registers_kernel<Op, most, layout>;
        kernel<<<unsigned(blocks), block, 0, stream>>>(op, partial);
        CHECK_LAUNCH();
        return blocks;
    }
    return launch_long<Op, layout>(op, of_long, plan, partial, stream);
}

template <class Op>
static int64_t launch(Op op, typename Op::N* partial, cudaStream_t stream) {
    using T = typename Op::T;
    if (op.rows == 0 || op.n == 0) return 0;  // CUDA refuses a grid of 0 blocks
    const Layout layout = layout_of<T>(op.n, op.in, op.out, op.weight);
    const Layout of_long = layout != Layout::whole && alike<T>(op.in, op.out) ? Layout::shifted : layout;
    int64_t left = 0;
    with_layout<Layout::whole, T>(layout, [&](auto as) { left = launch_in<Op, as()>(op, of_long, partial, stream); });
    return left;
}

template <class T>
int64_t forward_scratch(int64_t rows, int64_t n) {
    return Plan<Forward<T, true>, Layout::single>(rows, n).scratch(rows, n);
}

template <class T>
int64_t backward_scratch(int64_t rows, int64_t n) {
    return Plan<Backward<T, false>, Layout::single>(rows, n).scratch(rows, n);
}

template <class T>
void launch_rms_norm(T* y, const T* x, const T* weight, void* scratch, int64_t rows, int64_t n, double eps,
                     cudaStream_t stream) {
    using N = Number<T>;
    launch(Forward<T, false>{{x}, weight, y, nullptr, rows, n, N(eps)}, static_cast<N*>(scratch), stream);
}

template <class T>
void launch_add_rms_norm(T* y, T* sum, const T* x, const T* residual, const T* weight, void* scratch, int64_t rows,
                         int64_t n, double eps, cudaStream_t stream) {
    using N = Number<T>;
    launch(Forward<T, true>{{x, residual}, weight, y, sum, rows, n, N(eps)}, static_cast<N*>(scratch), stream);
}

template <class Op>
static void launch_backward(Op op, void* scratch, cudaStream_t stream) {
    auto* const partial = static_cast<typename Op::N*>(scratch);
    const int64_t rows = launch(op, partial, stream);
    if (op.n == 0 || rows == 1) return;  // one block has written its sums to of_weight
    int groups = 1;  // of 8 columns or more, a sector of 32 bytes; no more than keep all multiprocessors busy
    while (groups < rows && groups < 64 && groups * op.n < 1024 * multiprocessors()) groups *= 2;
    const dim3 block(512u / groups, unsigned(groups));
    sum_kernel<<<blocks_for(op.n, int(block.x)), block, 0, stream>>>(op.of_weight, partial, rows, op.n);
    CHECK_LAUNCH();
}

template <class T>
void launch_rms_norm_backward(T* grad_x, T* grad_weight, const T* grad, const T* x, const T* weight, void* scratch,
                              int64_t rows, int64_t n, double eps, cudaStream_t stream) {
    launch_backward(Backward<T, false>{{grad, x}, weight, grad_x, grad_weight, rows, n, Number<T>(eps)}, scratch,
                    stream);
}

template <class T>
void launch_add_rms_norm_backward(T* grad_x, T* grad_weight, const T* grad, const T* grad_sum, const T* sum,
                                  const T* weight, void* scratch, int64_t rows, int64_t n, double eps,
                                  cudaStream_t stream) {
    launch_backward(Backward<T, true>{{grad, sum, grad_sum}, weight, grad_x, grad_weight, rows, n, Number<T>(eps)},
                    scratch, stream);
}

// The compiler makes code of a template only for a T that it is asked for.
#define FOR_TYPE(T)                                                                                               \
    template int64_t forward_scratch<T>(int64_t, int64_t);                                                        \
    template int64_t backward_scratch<T>(int64_t, int64_t);                                                       \
    template void launch_rms_norm(T*, const T*, const T*, void*, int64_t, int64_t, double, cudaStream_t);         \
    template void launch_add_rms_norm(T*, T*, const T*, const T*, const T*, void*, int64_t, int64_t, double,      \
                                      cudaStream_t);                                                              \
    template void launch_rms_norm_backward(T*, T*, const T*, const T*, const T*, void*, int64_t, int64_t, double, \
                                           cudaStream_t);                                                         \
    template void launch_add_rms_norm_backward(T*, T*, const T*, const T*, const T*, const T*, void*, int64_t,    \
                                               int64_t, double, cudaStream_t);
FOR_TYPE(float)
FOR_TYPE(double)
FOR_TYPE(__half)
FOR_TYPE(__nv_bfloat16)
