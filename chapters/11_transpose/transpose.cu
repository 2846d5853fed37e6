// transpose.cu: rows become columns, in six kernels, each with one idea more. No torch header in here.
#include "transpose.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "common/cuda_check.h"
#include "common/grid.h"
#include "common/pack.h"

// ---- what the kernels share ----------------------------------------------------------------------------------------

// Each block moves one tile of TALL x WIDE elements. The tiles have numbers: down a matrix first, then to the next
// column of tiles, then to the next matrix. So blocks that run at the same time write neighbouring parts of the same
// rows of `out`, and device memory gets long pieces. The grid has only one dimension, since CUDA allows 2^31 - 1 blocks
// along x, and 65535 along y and z. MORE: the tiles go down as if a matrix had so many more rows.
template <int TALL, int WIDE, int MORE = 0>
struct Tile {
    static constexpr int tall = TALL, wide = WIDE, more = MORE;
    int64_t matrix;       // where its matrix begins: how many elements come before
    int64_t row, column;  // its first element, counted in elements of that matrix

    __device__ Tile(int64_t rows, int64_t columns) {
        const unsigned down = unsigned((rows + more + tall - 1) / tall), across = unsigned((columns + wide - 1) / wide);
        const unsigned line = blockIdx.x / down;  // a column of tiles; a GPU divides 32 bits faster than 64
        matrix = line / across * rows * columns;
        row = int64_t(blockIdx.x % down) * tall;
        column = int64_t(line % across) * wide;
    }
};

// A block for each tile; several launches where one grid cannot have so many.
template <class AnyTile, class T>
static void launch_tiles(void (*kernel)(T*, const T*, int64_t, int64_t), dim3 block, T* out, const T* in,
                         int64_t matrices, int64_t rows, int64_t columns, cudaStream_t stream) {
    if (matrices == 0 || rows == 0 || columns == 0) return;  // CUDA refuses a grid of 0 blocks
    const int64_t tiles = int64_t(blocks_for(rows + AnyTile::more, AnyTile::tall)) * blocks_for(columns, AnyTile::wide);
    const int64_t at_once = std::min(matrices, std::max<int64_t>(INT32_MAX / tiles, 1));
    for (int64_t m = 0; m < matrices; m += at_once) {
        const unsigned grid = blocks_for(std::min(at_once, matrices - m) * tiles, 1);
        const int64_t before = m * rows * columns;
        kernel<<<grid, block, 0, stream>>>(out + before, in + before, rows, columns);
        CHECK_LAUNCH();
    }
}

constexpr int side = 32;  // of a tile, in the first four kernels: a block of 32 x 32 threads, one for each element
using Square = Tile<side, side>;

// ---- each thread moves one element ---------------------------------------------------------------------------------

// A warp reads 32 neighbours of a row. It writes them into a column: each into another row of the result.
template <class T>
__global__ void transpose_naive_kernel(T* out, const T* in, int64_t rows, int64_t columns) {
    const Square tile(rows, columns);
    const int64_t row = tile.row + threadIdx.y, column = tile.column + threadIdx.x;
    in += tile.matrix, out += tile.matrix;
    if (row < rows && column < columns) out[column * rows + row] = in[row * columns + column];
}

template <class T>
void launch_transpose_naive(T* out, const T* in, int64_t matrices, int64_t rows, int64_t columns, cudaStream_t stream) {
    launch_tiles<Square>(transpose_naive_kernel<T>, {side, side}, out, in, matrices, rows, columns, stream);
}

// ---- a tile in shared memory ---------------------------------------------------------------------------------------

// A warp reads a row of the tile and writes a row of the result: only in shared memory does it go down a column.
template <class T>
__global__ void transpose_tile_kernel(T* out, const T* in, int64_t rows, int64_t columns) {
    __shared__ T shared[side][side];
    const Square tile(rows, columns);
    const int x = threadIdx.x, y = threadIdx.y;
    in += tile.matrix + tile.row * columns + tile.column;
    out += tile.matrix + tile.column * rows + tile.row;
    if (tile.row + y < rows && tile.column + x < columns) shared[y][x] = in[y * columns + x];
    __syncthreads();  // from here on threads read what others wrote
    if (tile.column + y < columns && tile.row + x < rows) out[y * rows + x] = shared[x][y];
}

template <class T>
void launch_transpose_tile(T* out, const T* in, int64_t matrices, int64_t rows, int64_t columns, cudaStream_t stream) {
    launch_tiles<Square>(transpose_tile_kernel<T>, {side, side}, out, in, matrices, rows, columns, stream);
}

// ---- padding -------------------------------------------------------------------------------------------------------

// So many elements fill a bank of shared memory: 4 bytes. (Elements of 8 bytes fill two.)
template <class T>
constexpr int bank = sizeof(T) < 4 ? 4 / sizeof(T) : 1;

// With elements of 4 bytes, each row begins one bank further on than the row above, so a column lies in 32 banks.
// With shorter elements, a row begins an odd number of banks further on (17 or 9), which separates 32 rows as well.
// With 8 bytes it is two banks, and a pass serves 16 lanes. In all cases a warp has one row of the tile: with a side of
// 16 it would have two, and padding would leave two passes.
template <class T>
__global__ void transpose_padded_kernel(T* out, const T* in, int64_t rows, int64_t columns) {
    __shared__ T shared[side][side + bank<T>];  // padded
    const Square tile(rows, columns);
    const int x = threadIdx.x, y = threadIdx.y;
    in += tile.matrix + tile.row * columns + tile.column;
    out += tile.matrix + tile.column * rows + tile.row;
    if (tile.row + y < rows && tile.column + x < columns) shared[y][x] = in[y * columns + x];
    __syncthreads();
    if (tile.column + y < columns && tile.row + x < rows) out[y * rows + x] = shared[x][y];
}

template <class T>
void launch_transpose_padded(T* out, const T* in, int64_t matrices, int64_t rows, int64_t columns,
                             cudaStream_t stream) {
    launch_tiles<Square>(transpose_padded_kernel<T>, {side, side}, out, in, matrices, rows, columns, stream);
}

// ---- swizzle -------------------------------------------------------------------------------------------------------

// No padding: in row r, column c of the tile lies at place c ^ r. A row keeps its 32 elements, in another order, and
// the elements of a column lie in 32 banks.
template <class T>
__global__ void transpose_swizzled_kernel(T* out, const T* in, int64_t rows, int64_t columns) {
    __shared__ T shared[side][side];
    const Square tile(rows, columns);
    const int x = threadIdx.x, y = threadIdx.y;
    in += tile.matrix + tile.row * columns + tile.column;
    out += tile.matrix + tile.column * rows + tile.row;
    if (tile.row + y < rows && tile.column + x < columns) shared[y][x ^ y] = in[y * columns + x];  // swizzled
    __syncthreads();
    if (tile.column + y < columns && tile.row + x < rows) out[y * rows + x] = shared[x][y ^ x];  // swizzled
}

template <class T>
void launch_transpose_swizzled(T* out, const T* in, int64_t matrices, int64_t rows, int64_t columns,
                               cudaStream_t stream) {
    launch_tiles<Square>(transpose_swizzled_kernel<T>, {side, side}, out, in, matrices, rows, columns, stream);
}

// ---- several rows for each thread ----------------------------------------------------------------------------------

template <class T>
constexpr int sector = 32 / sizeof(T);  // elements in 32 bytes
template <class T>
constexpr int words = sizeof(T) < 4 ? 32 : 64;  // words that a block loads of each row of the tile
template <class T>
using LongTile = Tile<sizeof(T) < 4 ? 128 : 64, sizeof(T) < 4 ? 31 * bank<T> : 64, sector<T> - 1>;
template <class T>
constexpr int row_threads = sizeof(T) == 1 ? 256 : 512;  // of a block; for bytes, fewer with more loads each are faster

// A thread has all its loads in flight before it waits for the first (chapter 06). __launch_bounds__ tells the compiler
// how many threads a block has.
//
// A row of `out` may begin within a sector. If a block stored its own elements only, two blocks would store parts of a
// sector. So each of its stores begins where a sector begins, up to sector - 1 elements earlier (`shift`), and ends as
// much earlier. The elements before are those of rows above the tile, which the block loads as well. What the last tile
// of a column leaves out is for one tile more: hence sector - 1 more rows in LongTile.
//
// A thread moves words: W elements in 4 bytes, or one of 8 bytes. With elements of 1 or 2 bytes, a row of the tile may
// begin within a word of `in`. Then its first load begins where the word begins, up to W - 1 elements earlier (`skew`):
// 32 words hold 31 words of elements in any case. Rows are `columns` elements apart, in shared memory `pitch`, and
// pitch % W == columns % W. So a word of `in` is a word of shared memory. A word of `out` is put together from W rows.
//
// Most tiles lie inside the matrix, and their threads compare no place with its ends. The compiler makes move() twice,
// and `inside` is a constant in each. At an edge, threads move element by element.
template <class T, class Word>
__global__ void __launch_bounds__(row_threads<T>)
    transpose_rows_kernel(T* out, const T* in, int64_t rows, int64_t columns) {
    constexpr int W = sizeof(Word) / sizeof(T), tall = LongTile<T>::tall, wide = LongTile<T>::wide;
    constexpr int load_rows = row_threads<T> / words<T>;                                     // of `in`, at a time
    constexpr int store_rows = row_threads<T> * W / tall;                                    // of `out`
    constexpr int above = sector<T> < load_rows ? load_rows : sector<T>;                     // rows above the tile
    constexpr int loads = (above + tall) / load_rows, stores = (wide - 1) / store_rows + 1;  // of a thread
    __shared__ Word shared[(above + tall) * (words<T> + 2)];
    const LongTile<T> tile(rows, columns);
    // Rows and columns of the matrix, counted from the tile's first element: rows begin to end - 1.
    const int begin = tile.row == 0 ? 0 : -above, end = int(min(rows - tile.row, int64_t(tall)));
    const int width = int(min(columns - tile.column, int64_t(wide)));
    const auto has = [&](int row, int column) { return row >= begin && row < end && column >= 0 && column < width; };
    in += tile.matrix + (tile.row - above) * columns + tile.column;
    out += tile.matrix + tile.column * rows + tile.row;
    const int phase = int(reinterpret_cast<uintptr_t>(in) / sizeof(T) % W);  // its place in its word
    const int pitch = (words<T> + 1) * W + int(columns % W);

    const auto move = [&](auto inside) {
        int x = int(threadIdx.x) % words<T>, y = int(threadIdx.x) / words<T>;
        const int place = phase + y * pitch, skew = place % W;  // the same in each of its rows: load_rows % W == 0
        const T* const from = in + y * columns + x * W - skew;
        Word values[loads] = {};
#pragma unroll
        for (int k = 0; k < loads; k++) {
            const T* const word = from + k * load_rows * columns;
            if (inside.value) {
                values[k] = *reinterpret_cast<const Word*>(word);
            } else {
                for (int j = 0; j < W; j++)
                    if (has(y + k * load_rows - above, x * W - skew + j))
                        values[k] |= Word(word[j]) << (8 * sizeof(T) * j);
            }
        }
#pragma unroll
        for (int k = 0; k < loads; k++) shared[place / W + x + k * (load_rows / W) * pitch] = values[k];
        __syncthreads();

        x = int(threadIdx.x) % (tall / W) * W, y = int(threadIdx.x) / (tall / W);
        T* const line = out + y * rows;
        const unsigned offset = unsigned(reinterpret_cast<uintptr_t>(line) / sizeof(T));  // 32 bits do for % sector
        const T* const elements = reinterpret_cast<const T*>(shared) + phase + (above + x) * pitch + y;
#pragma unroll
        for (int k = 0; k < stores; k++) {
            if (k == wide / store_rows && y + k * store_rows >= wide) break;  // in the last round, of short elements
            const int shift = int((offset + k * store_rows * unsigned(rows)) % sector<T>);
            T* const to = line + k * store_rows * rows + x - shift;
            const T* const column = elements + k * store_rows - shift * pitch;
            if (inside.value) {
                Word word = 0;
                for (int j = 0; j < W; j++) word |= Word(column[j * pitch]) << (8 * sizeof(T) * j);
                *reinterpret_cast<Word*>(to) = word;
            } else {
                for (int j = 0; j < W; j++)
                    if (has(x - shift + j, y + k * store_rows)) to[j] = column[j * pitch];
            }
        }
    };
    if (begin < 0 && tile.row + tall < rows && width == wide)  // a word may reach into one row more
        move(std::true_type());
    else
        move(std::false_type());
}

template <class T>
void launch_transpose_rows(T* out, const T* in, int64_t matrices, int64_t rows, int64_t columns, cudaStream_t stream) {
    using Word = std::conditional_t<(sizeof(T) < 4), uint32_t, T>;
    launch_tiles<LongTile<T>>(transpose_rows_kernel<T, Word>, row_threads<T>, out, in, matrices, rows, columns, stream);
}

// ---- 16 bytes at a time --------------------------------------------------------------------------------------------

// A thread has a square: V packs of V elements, below one another. A tile has 16 x 16 squares, and 8 x 8 where an
// element is a byte: 8 to 32 KiB, so several blocks fit into a multiprocessor.
template <class T>
constexpr int squares = sizeof(T) == 1 ? 8 : 16;
template <class T>
using WideTile = Tile<squares<T> * Pack<T>::SIZE, squares<T> * Pack<T>::SIZE>;

// Packs are to this kernel what elements are to transpose_swizzled_kernel: in the rows of the squares in line y, pack x
// lies at place x ^ y. Within its square, a thread exchanges rows and columns in its registers.
template <class T>
__global__ void __launch_bounds__(squares<T>* squares<T>)
    transpose_wide_kernel(T* out, const T* in, int64_t rows, int64_t columns) {
    constexpr int V = Pack<T>::SIZE;
    __shared__ Pack<T> shared[squares<T> * V][squares<T>];
    const WideTile<T> tile(rows, columns);
    const int x = threadIdx.x, y = threadIdx.y;
    in += tile.matrix + (tile.row + y * V) * columns + tile.column + x * V;
    out += tile.matrix + (tile.column + y * V) * rows + tile.row + x * V;
    Pack<T> packs[V];
    if (tile.row + y * V < rows && tile.column + x * V < columns) {  // a square is inside as a whole, or outside
        for (int k = 0; k < V; k++) packs[k] = *reinterpret_cast<const Pack<T>*>(in + k * columns);
        for (int k = 0; k < V; k++) shared[y * V + k][x ^ y] = packs[k];
    }
    __syncthreads();
    if (tile.column + y * V < columns && tile.row + x * V < rows) {
        for (int k = 0; k < V; k++) packs[k] = shared[x * V + k][y ^ x];
        for (int j = 0; j < V; j++) {
            Pack<T> turned;
            for (int k = 0; k < V; k++) turned.values[k] = packs[k].values[j];
            uint4 bytes;  // one store of 16 bytes; nvcc makes several of an assignment `*pack = turned`
            memcpy(&bytes, &turned, sizeof bytes);
            __stcs(reinterpret_cast<uint4*>(out + j * rows), bytes);  // evict first: nobody reads it again here
        }
    }
}

template <class T>
void launch_transpose(T* out, const T* in, int64_t matrices, int64_t rows, int64_t columns, cudaStream_t stream) {
    constexpr int V = Pack<T>::SIZE, n = squares<T>;
    if (rows == 1 || columns == 1) {  // a row and a column lie in memory alike
        const size_t bytes = matrices * rows * columns * sizeof(T);
        return CHECK_CUDA(cudaMemcpyAsync(out, in, bytes, cudaMemcpyDeviceToDevice, stream));
    }
    const bool packs = rows % V == 0 && columns % V == 0 && aligned(in) && aligned(out);
    if (!packs) return launch_transpose_rows(out, in, matrices, rows, columns, stream);
    launch_tiles<WideTile<T>>(transpose_wide_kernel<T>, {n, n}, out, in, matrices, rows, columns, stream);
}

// The compiler makes code of a template only for a T that it is asked for.
#define FOR_LAUNCHER(name, T) template void name(T*, const T*, int64_t, int64_t, int64_t, cudaStream_t);
#define FOR_TYPE(T)                            \
    FOR_LAUNCHER(launch_transpose_naive, T)    \
    FOR_LAUNCHER(launch_transpose_tile, T)     \
    FOR_LAUNCHER(launch_transpose_padded, T)   \
    FOR_LAUNCHER(launch_transpose_swizzled, T) \
    FOR_LAUNCHER(launch_transpose_rows, T)     \
    FOR_LAUNCHER(launch_transpose, T)
FOR_TYPE(uint8_t)
FOR_TYPE(uint16_t)
FOR_TYPE(uint32_t)
FOR_TYPE(uint64_t)
