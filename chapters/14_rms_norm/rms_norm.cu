// rms_norm.cu: each row divided by the root of its mean square, times a weight for each column. Also with an addition
// in front of it, and the gradients of both, each in one pass over memory. No torch header in here.
#include "rms_norm.h"

#include <algorithm>

#include "common/cuda_check.h"
#include "common/grid.h"
#include "device/number.h"
#include "device/over_row.h"
#include "device/row_packs.h"

// ---- the operators: kernels take any of them as Op -----------------------------------------------------------------

// part() is what one element adds to the row's sums. factors() turns the sums into what all results of the row need.
// result() is the element that is written; it may add to the thread's sum for the gradient of weight.
template <class Type, bool add>
struct Forward {
    using T = Type;
    using N = Number<T>;
    using Part = N;
    using Factors = N;
    static constexpr int INPUTS = add ? 2 : 1;
    static constexpr bool ADDS = add, OF_WEIGHT = false;
    const T* in[INPUTS];  // x, and residual: where kernels load both, x becomes their sum
    const T* weight;
    T *out, *sum;
    int64_t rows, n;
    N eps;

    static __device__ Part part(const N (&v)[INPUTS], N) { return v[0] * v[0]; }
    __device__ Factors factors(Part squares) const { return rsqrt(squares / N(n) + eps); }
    static __device__ N result(const N (&v)[INPUTS], N w, Factors scale, N&) { return v[0] * scale * w; }
};

// The sums over a row of x * x and of grad * weight * x.
template <class N>
struct Sums {
    N squares = 0, products = 0;
};
template <class N>
__device__ Sums<N> operator+(Sums<N> a, Sums<N> b) {
    return {a.squares + b.squares, a.products + b.products};
}
template <class N>
__device__ Sums<N> from_lane(Sums<N> sums, int apart) {
    return {from_lane(sums.squares, apart), from_lane(sums.products, apart)};
}

template <class Type, bool add>
struct Backward {
    using T = Type;
    using N = Number<T>;
    using Part = Sums<N>;
    struct Factors {
        N scale, times_x;
    };
    static constexpr int INPUTS = add ? 3 : 2;
    static constexpr bool ADDS = false, OF_WEIGHT = true;
    const T* in[INPUTS];  // grad, x, and the gradient of sum
    const T* weight;
    T *out, *of_weight;
    int64_t rows, n;
    N eps;

    static __device__ Part part(const N (&v)[INPUTS], N w) {
        const N grad = v[0], x = v[1];
        return {x * x, grad * w * x};
    }
    __device__ Factors factors(Part sums) const {
        const N scale = rsqrt(sums.squares / N(n) + eps);
        return {scale, scale * scale * scale * (sums.products / N(n))};
    }
    static __device__ N result(const N (&v)[INPUTS], N w, Factors f, N& of_weight) {
        const N grad = v[0], x = v[1], of_sum = add ? v[INPUTS - 1] : N(0);
        of_weight += grad * f.scale * x;
        return grad * f.scale * w - f.times_x * x + of_sum;
    }
};

// ---- a thread's part of a row --------------------------------------------------------------------------------------

// Element i of a thread has the same column in all rows, so a thread can add up what its columns get. The part consists
// of packs if all rows consist of packs. Otherwise it consists of single elements, and neighbours read neighbours.
template <bool whole, int size>
__device__ int column_of(int i) {
    return whole ? int(threadIdx.x + i / size * blockDim.x) * size + i % size : int(threadIdx.x + i * blockDim.x);
}

template <bool whole, bool last = false, class T, int packs>
__device__ void load_part(Pack<T> (&v)[packs], const T* row, int n) {
    constexpr int size = Pack<T>::SIZE;
    if constexpr (whole) {
        load_packs<true, last>(v, row, 0, n, T(0.f));
    } else {
        UNROLL for (int i = 0; i < packs * size; i++) {
            const int c = column_of<false, size>(i);
            v[i / size].values[i % size] = c < n ? row[c] : T(0.f);
        }
    }
}

template <bool whole, class T, int packs>
__device__ void store_part(T* row, int n, const Pack<T> (&v)[packs]) {
    constexpr int size = Pack<T>::SIZE;
    if constexpr (whole) {
        UNROLL for (int k = 0; k < packs; k++) store_pack<true>(row, 0, n, k, v[k]);
    } else {
        UNROLL for (int i = 0; i < packs * size; i++) {
            const int c = column_of<false, size>(i);
            if (c < n) row[c] = v[i / size].values[i % size];
        }
    }
}

template <int inputs, class T, int packs>
__device__ void element(Number<T> (&of)[inputs], const Pack<T> (&v)[inputs][packs], int i) {
    UNROLL for (int a = 0; a < inputs; a++) of[a] = number(v[a][i / Pack<T>::SIZE].values[i % Pack<T>::SIZE]);
}

// add_rms_norm: x becomes the sum, rounded.
template <int inputs, class T, int packs>
__device__ void add_second_to_first(Pack<T> (&v)[inputs][packs]) {
    UNROLL for (int k = 0; k < packs; k++) UNROLL for (int j = 0; j < Pack<T>::SIZE; j++) v[0][k].values[j] =
        T(number(v[0][k].values[j]) + number(v[inputs - 1][k].values[j]));
}

// PACKS of each array a thread has in flight, and BLOCKS of 512 threads must fit on a multiprocessor at a time. The
// limit is registers: with two blocks a thread has 64, with one it has 128. A single element of half precision takes a
// register, and so does a sum for the gradient of weight.
template <class Op, bool whole>
constexpr int PACKS = sizeof(typename Op::T) == 2 && (Op::OF_WEIGHT || !whole) ? 2 : 4;
template <class Op, bool whole>
constexpr int BLOCKS = whole && !Op::OF_WEIGHT ? 2 : 1;

enum class Pass { only, first, second };  // over the row

// The inputs from index `at` on. The second pass finds the sum that the first one has stored.
template <bool whole, Pass pass, class Op, class T, int packs>
__device__ void load_inputs(Pack<T> (&v)[Op::INPUTS][packs], const Op& op, int64_t at, int n) {
    if constexpr (Op::ADDS && pass == Pass::second) {
        load_part<whole, true>(v[0], op.sum + at, n);
    } else {
        UNROLL for (int a = 0; a < Op::INPUTS; a++)
            load_part<whole, Op::ADDS || pass != Pass::first>(v[a], op.in[a] + at, n);
        if constexpr (Op::ADDS) {
            add_second_to_first(v);
            store_part<whole>(op.sum + at, n, v[0]);
        }
    }
}

template <class Op, class T, int packs>
__device__ typename Op::Part part_of(const Op&, const Pack<T> (&v)[Op::INPUTS][packs], const Pack<T> (&w)[packs]) {
    typename Op::Part all = {};
    UNROLL for (int i = 0; i < packs * Pack<T>::SIZE; i++) {
        Number<T> of[Op::INPUTS];
        element(of, v, i);
        all = all + Op::part(of, number(w[i / Pack<T>::SIZE].values[i % Pack<T>::SIZE]));
    }
    return all;
}

// of_weight: what the thread has added up for its columns, one element each.
template <bool whole, class Op, class T, int packs, int count>
__device__ void write(const Op& op, int64_t at, int n, Pack<T> (&v)[Op::INPUTS][packs], const Pack<T> (&w)[packs],
                      typename Op::Factors factors, Number<T> (&of_weight)[count]) {
    UNROLL for (int i = 0; i < count; i++) {
        Number<T> of[Op::INPUTS];
        element(of, v, i);
        T& result = v[0][i / Pack<T>::SIZE].values[i % Pack<T>::SIZE];
        result = T(Op::result(of, number(w[i / Pack<T>::SIZE].values[i % Pack<T>::SIZE]), factors, of_weight[i]));
    }
    store_part<whole>(op.out + at, n, v[0]);
}

// ---- the gradient of weight: a sum over all rows, in the same order each time --------------------------------------

// The sum over threads t, t + columns, t + 2 * columns ... of a block, for threads t < columns.
template <class N>
__device__ N over_column(N mine, int columns, int groups) {
    __shared__ N sums[512];
    const int t = int(threadIdx.y * blockDim.x + threadIdx.x);
    __syncthreads();  // an earlier call's sums have been read
    sums[t] = mine;
    while (groups > 1) {
        const int half = (groups + 1) / 2;
        __syncthreads();
        if (t < (groups - half) * columns) sums[t] += sums[t + half * columns];
        groups = half;
    }
    return sums[t];
}

// Each block writes what its rows add, as one row of `partial`.
template <bool whole, class Op, class N, int count>
__device__ void write_partial(N* row, const Op&, int n, const N (&of_weight)[count]) {
    UNROLL for (int i = 0; i < count; i++) {
        const N sum = over_column(of_weight[i], int(blockDim.x), int(blockDim.y));
        const int c = column_of<whole, Pack<typename Op::T>::SIZE>(i);
        if (threadIdx.y == 0 && c < n) row[c] = sum;
    }
}

template <class T>
__global__ void __launch_bounds__(512) sum_kernel(T* sum, const Number<T>* partial, int64_t rows, int64_t n) {
    const int64_t c = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    Number<T> mine = 0;
    for (int64_t row = threadIdx.y; c < n && row < rows; row += blockDim.y) mine += partial[row * n + c];
    mine = over_column(mine, int(blockDim.x), int(blockDim.y));
    if (threadIdx.y == 0 && c < n) sum[c] = T(mine);
}

// ---- a row in the registers of 1 to 32 lanes, or of a block --------------------------------------------------------

// A thread has four packs of a row, or one pack of each of four rows. A block of a small grid goes on to further rows.
template <class Op, int packs, bool whole>
__global__ void __launch_bounds__(512, BLOCKS<Op, whole>) registers_kernel(Op op, typename Op::N* partial) {
    using T = typename Op::T;
    constexpr int each = PACKS<Op, whole> / packs, count = packs * Pack<T>::SIZE;
    const int n = int(op.n);
    const int64_t step = int64_t(gridDim.x) * each * blockDim.y;
    typename Op::N of_weight[count] = {};
    Pack<T> w[packs];
    if (Op::OF_WEIGHT) load_part<whole>(w, op.weight, n);
    for (int64_t first = int64_t(blockIdx.x) * each * blockDim.y + threadIdx.y; first - threadIdx.y < op.rows;
         first += step) {
        Pack<T> v[each][Op::INPUTS][packs];
        typename Op::Factors factors[each];
        UNROLL for (int r = 0; r < each; r++) {
            const int64_t row = first + r * blockDim.y;
            load_inputs<whole, Pass::only>(v[r], op, row * n, row < op.rows ? n : 0);
        }
        UNROLL for (int r = 0; r < each; r++) factors[r] = op.factors(over_row(part_of(op, v[r], w)));
        if (!Op::OF_WEIGHT) load_part<whole>(w, op.weight, n);  // as late as possible: it needs registers
        UNROLL for (int r = 0; r < each; r++) {
            const int64_t row = first + r * blockDim.y;
            if (row < op.rows) write<whole>(op, row * n, n, v[r], w, factors[r], of_weight);
        }
        if (Op::OF_WEIGHT && blockDim.y == 1) __syncthreads();  // before the next over_row()
    }
    if (Op::OF_WEIGHT) write_partial<whole>(partial + int64_t(blockIdx.x) * n, op, n, of_weight);
}

// ---- short rows: a block loads `each` of them as one long one, into its shared memory ------------------------------

constexpr int STRIP = 2 * 256, MOST_ROWS = 1024;  // packs and rows in a strip

template <class Op>
__global__ void __launch_bounds__(256) strip_kernel(Op op, typename Op::N* partial, int each) {
    using T = typename Op::T;
    __shared__ Pack<T> strip[Op::INPUTS][STRIP];
    __shared__ typename Op::Factors factors[MOST_ROWS];
    const int n = int(op.n), groups = 256 / n, t = int(threadIdx.x), begin = shift_of(op.out);
    const auto element_of = [&](int a, int i) -> T& { return reinterpret_cast<T*>(strip[a])[i]; };
    typename Op::N of_weight[1] = {}, v[Op::INPUTS];
    const auto w = number(op.weight[t % n]);
    for (int64_t first = int64_t(blockIdx.x) * each; first < op.rows; first += int64_t(gridDim.x) * each) {
        const int here = int(min(int64_t(each), op.rows - first)), end = begin + here * n;
        const int64_t at = first * n - begin;
        Pack<T> part[Op::INPUTS][STRIP / 256];
        UNROLL for (int a = 0; a < Op::INPUTS; a++) load_packs<false, true>(part[a], op.in[a] + at, begin, end, T(0.f));
        if constexpr (Op::ADDS) add_second_to_first(part);
        UNROLL for (int k = 0; k < STRIP / 256; k++) {
            if constexpr (Op::ADDS) store_pack(op.sum + at, begin, end, k, part[0][k]);
            UNROLL for (int a = 0; a < Op::INPUTS; a++) strip[a][t + k * 256] = part[a][k];
        }
        __syncthreads();
        for (int row = t; row < here; row += 256) {  // a thread for each row
            typename Op::Part all = {};
            for (int c = 0; c < n; c++) {
                UNROLL for (int a = 0; a < Op::INPUTS; a++) v[a] = number(element_of(a, begin + row * n + c));
                all = all + op.part(v, number(op.weight[c]));
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
        UNROLL for (int k = 0; k < STRIP / 256; k++) store_pack(op.out + at, begin, end, k, strip[0][t + k * 256]);
    }
    if constexpr (Op::OF_WEIGHT) {
        const auto sum = over_column(of_weight[0], n, groups);
        if (t < n) partial[int64_t(blockIdx.x) * n + t] = sum;
    }
}

// ---- long rows, which are read twice -------------------------------------------------------------------------------

// Block number `block` of the `blocks` that share a row takes every `blocks`-th piece of it.
template <bool whole, class Op>
__device__ typename Op::Part part_of_row(const Op& op, int64_t row, unsigned block, unsigned blocks) {
    using T = typename Op::T;
    constexpr int packs = PACKS<Op, whole>;
    const int64_t step = int64_t(blockDim.x) * packs * Pack<T>::SIZE;
    Pack<T> v[Op::INPUTS][packs], w[packs];
    typename Op::Part all = {};
    for (int64_t c = block * step; c < op.n; c += blocks * step) {
        const int here = int(min(op.n - c, step));
        load_inputs<whole, Pass::first>(v, op, row * op.n + c, here);
        if (Op::OF_WEIGHT) load_part<whole>(w, op.weight + c, here);
        all = all + part_of(op, v, w);
    }
    return over_row(all);
}

// A row by one block, which is fast as long as the L2 cache keeps what the block has read.
template <class Op, bool whole>
__global__ void __launch_bounds__(512, BLOCKS<Op, whole>) twice_kernel(Op op) {
    using T = typename Op::T;
    constexpr int packs = PACKS<Op, whole>, count = packs * Pack<T>::SIZE;
    const int64_t row = blockIdx.x, step = int64_t(blockDim.x) * count;
    const auto factors = op.factors(part_of_row<whole>(op, row, 0, 1));
    typename Op::N of_weight[count];  // which has no gradient here
    for (int64_t c = 0; c < op.n; c += step) {
        const int here = int(min(op.n - c, step));
        Pack<T> v[Op::INPUTS][packs], w[packs];
        load_inputs<whole, Pass::second>(v, op, row * op.n + c, here);
        load_part<whole>(w, op.weight + c, here);
        write<whole>(op, row * op.n + c, here, v, w, factors, of_weight);
    }
}

// A row by three launches: parts of rows, then the factors of each row, then results, where a block stays in its
// columns.
template <class Op, bool whole>
__global__ void __launch_bounds__(512, BLOCKS<Op, whole>)
    parts_kernel(typename Op::Part* parts, Op op, unsigned blocks) {
    const auto all = part_of_row<whole>(op, blockIdx.x / blocks, blockIdx.x % blocks, blocks);
    if (threadIdx.x == 0) parts[blockIdx.x] = all;
}

template <class Op>
__global__ void factors_kernel(typename Op::Factors* factors, const typename Op::Part* parts, Op op, unsigned blocks) {
    typename Op::Part all = {};
    for (unsigned i = threadIdx.x; i < blocks; i += blockDim.x) all = all + parts[int64_t(blockIdx.x) * blocks + i];
    all = over_row(all);
    if (threadIdx.x == 0) factors[blockIdx.x] = op.factors(all);
}

template <class Op, bool whole>
__global__ void __launch_bounds__(256, 2 * BLOCKS<Op, whole>)
    columns_kernel(Op op, const typename Op::Factors* factors, typename Op::N* partial) {
    using T = typename Op::T;
    constexpr int packs = PACKS<Op, whole>, count = packs * Pack<T>::SIZE;
    const int64_t c = int64_t(blockIdx.x) * 256 * count;
    const int here = int(min(op.n - c, int64_t(256) * count));
    typename Op::N of_weight[count] = {};
    Pack<T> v[Op::INPUTS][packs], w[packs];
    load_part<whole>(w, op.weight + c, here);
    for (int64_t row = blockIdx.y; row < op.rows; row += gridDim.y) {
        load_inputs<whole, Pass::second>(v, op, row * op.n + c, here);
        write<whole>(op, row * op.n + c, here, v, w, factors[row], of_weight);
    }
    if (Op::OF_WEIGHT) write_partial<whole>(partial + blockIdx.y * op.n + c, op, here, of_weight);
}

// ---- which kernel for which rows -----------------------------------------------------------------------------------

static int64_t multiprocessors() {
    int device = 0, count = 0;
    CHECK_CUDA(cudaGetDevice(&device));
    CHECK_CUDA(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    return count;
}

// How the launches divide rows of n elements. The gradient of weight needs blocks that go from row to row: enough of
// them to keep the GPU busy, and few, because each writes a row of partial sums.
template <class Op>
struct Plan {
    int64_t bytes, count, columns, slabs;  // of a row; elements of a thread; blocks side by side, and one below another
    int64_t most_blocks, blocks;           // ... that share a row, where it is read twice
    bool in_registers, twice;

    Plan(int64_t rows, int64_t n, bool whole) {
        bytes = n * int64_t(sizeof(typename Op::T));
        count = (whole ? PACKS<Op, true> : PACKS<Op, false>)*Pack<typename Op::T>::SIZE;
        in_registers = n <= 512 * count;
        // 128 rows keep all multiprocessors busy, and of rows up to 256 KiB the L2 cache keeps much.
        twice = !Op::OF_WEIGHT && rows >= 128 && bytes <= (256 << 10);
        // One round of the loop over a row is 32 KiB; 2048 blocks are 16 for each multiprocessor.
        blocks = std::max<int64_t>(1, std::min(bytes >> 15, 2048 / std::max<int64_t>(rows, 1)));
        columns = blocks_for(n, int(256 * count));
        most_blocks = Op::OF_WEIGHT ? 4 * multiprocessors() : INT32_MAX;
        slabs = std::min(rows, std::max<int64_t>(1, 8 * multiprocessors() / std::max<int64_t>(columns, 1)));
    }
    int64_t partial_rows(int64_t rows) const {
        return !Op::OF_WEIGHT ? 0 : in_registers ? std::min(rows, most_blocks) : slabs;
    }
    // In numbers of the type of which parts and factors consist.
    int64_t scratch(int64_t rows, int64_t n) const {
        constexpr int64_t numbers = sizeof(typename Op::Part) / sizeof(typename Op::N);
        return partial_rows(rows) * n + (in_registers || twice ? 0 : rows * (blocks + 1) * numbers);
    }
};

// Returns how many rows of partial sums it leaves.
template <class Op>
static int64_t launch(Op op, typename Op::N* partial, cudaStream_t stream) {
    using T = typename Op::T;
    if (op.rows == 0 || op.n == 0) return 0;  // CUDA refuses a grid of 0 blocks
    constexpr int size = Pack<T>::SIZE;
    bool whole = op.n % size == 0 && aligned(op.out) && aligned(op.weight);
    for (const T* input : op.in) whole = whole && aligned(input);
    const Plan<Op> plan(op.rows, op.n, whole);
    if (!whole && plan.bytes <= 256) {
        const int64_t fit = std::min<int64_t>((STRIP - 1) * size / op.n, MOST_ROWS);
        const int each = int(fit / size * size);  // so that strips begin as the first row does
        const unsigned blocks = unsigned(std::min<int64_t>(blocks_for(op.rows, each), plan.most_blocks));
        strip_kernel<<<blocks, 256, 0, stream>>>(op, partial, each);
        CHECK_LAUNCH();
        return blocks;
    }
    if (plan.in_registers) {
        const int most = int(plan.count) / size, packs = op.n <= 8 * size ? 1 : most;  // of a thread
        unsigned threads = 1;  // of a row: 1, 2, 4 ... 32, 64, 96 ...
        while (int64_t(threads) * packs * size < op.n) threads += std::min(threads, 32u);
        const dim3 block(threads, threads <= 32 ? 256 / threads : 1);
        const int64_t of_block = int64_t(block.y) * most / packs, at_once = 512 / (block.x * block.y);
        int64_t blocks = blocks_for(op.rows, int(of_block));
        if (Op::OF_WEIGHT) blocks = std::min(blocks, multiprocessors() * std::min<int64_t>(4, at_once));
        const auto kernel = packs == 1 ? whole ? registers_kernel<Op, 1, true> : registers_kernel<Op, 1, false>
                            : whole    ? registers_kernel<Op, PACKS<Op, true>, true>
                                       : registers_kernel<Op, PACKS<Op, false>, false>;
        kernel<<<unsigned(blocks), block, 0, stream>>>(op, partial);
        CHECK_LAUNCH();
        return blocks;
    }
    if constexpr (!Op::OF_WEIGHT) {
        if (plan.twice) {
            const unsigned threads = plan.bytes > (40 << 10) ? 512 : 256;  // fewer: more blocks at a time
            const auto kernel = whole ? twice_kernel<Op, true> : twice_kernel<Op, false>;
            kernel<<<blocks_for(op.rows, 1), threads, 0, stream>>>(op);
            CHECK_LAUNCH();
            return 0;
        }
    }
    auto* const parts = reinterpret_cast<typename Op::Part*>(partial + plan.partial_rows(op.rows) * op.n);
    auto* const factors = reinterpret_cast<typename Op::Factors*>(parts + op.rows * plan.blocks);
    const unsigned blocks = unsigned(plan.blocks);
    const auto parts_of = whole ? parts_kernel<Op, true> : parts_kernel<Op, false>;
    parts_of<<<blocks_for(op.rows * plan.blocks, 1), 512, 0, stream>>>(parts, op, blocks);
    CHECK_LAUNCH();
    factors_kernel<<<blocks_for(op.rows, 1), 256, 0, stream>>>(factors, parts, op, blocks);
    CHECK_LAUNCH();
    const auto results = whole ? columns_kernel<Op, true> : columns_kernel<Op, false>;
    results<<<dim3(unsigned(plan.columns), unsigned(plan.slabs)), 256, 0, stream>>>(op, factors, partial);
    CHECK_LAUNCH();
    return plan.slabs;
}

template <class T>
int64_t forward_scratch(int64_t rows, int64_t n) {
    return Plan<Forward<T, false>>(rows, n, false).scratch(rows, n);
}

template <class T>
int64_t backward_scratch(int64_t rows, int64_t n) {
    return Plan<Backward<T, false>>(rows, n, false).scratch(rows, n);
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
    if (op.n == 0) return;
    int groups = 1;  // of 8 columns or more, a sector of 32 bytes
    while (groups < rows && groups < 64) groups *= 2;
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
