// transpose.cu: rows become columns, in six kernels, each with one idea more. No torch header in here.
#include "transpose.h"

#include <algorithm>
#include <type_traits>

#include "common/cuda_check.h"
#include "common/device_attribute.h"
#include "common/grid.h"
#include "device/pack.h"

// ---- what the kernels share ----------------------------------------------------------------------------------------

// Each block moves one tile of `tall` x `wide` elements. Tiles are numbered down a matrix first, then along it, then
// from matrix to matrix. Blocks that run at the same time therefore write neighbouring parts of the same rows of `out`.
// The grid has one dimension, since CUDA allows 2^31 - 1 blocks along x, but 65535 along y and z.
struct Tile {
    int64_t matrix;       // where its matrix begins: how many elements come before
    int64_t row, column;  // its first element, counted in elements of that matrix

    __device__ Tile(int64_t rows, int64_t columns, int tall, int wide) {
        const unsigned down = unsigned((rows + tall - 1) / tall), across = unsigned((columns + wide - 1) / wide);
        const unsigned line = blockIdx.x / down;  // a column of tiles; a GPU divides 32 bits faster than 64
        matrix = line / across * rows * columns;
        row = int64_t(blockIdx.x % down) * tall;
        column = int64_t(line % across) * wide;
    }
};

// A block for each tile, in several launches if one grid cannot have that many. `sizes` go to the kernel.
template <class T, class... Sizes>
static void launch_tiles(void (*kernel)(T*, const T*, int64_t, int64_t, Sizes...), dim3 block, int tall, int wide,
                         T* out, const T* in, int64_t matrices, int64_t rows, int64_t columns, cudaStream_t stream,
                         Sizes... sizes) {
    if (matrices == 0 || rows == 0 || columns == 0) return;  // CUDA refuses a grid of 0 blocks
    const int64_t tiles = int64_t(blocks_for(rows, tall)) * blocks_for(columns, wide);
    const int64_t at_once = std::min(matrices, std::max<int64_t>(INT32_MAX / tiles, 1));
    for (int64_t m = 0; m < matrices; m += at_once) {
        const unsigned grid = blocks_for(std::min(at_once, matrices - m) * tiles, 1);
        kernel<<<grid, block, 0, stream>>>(out + m * rows * columns, in + m * rows * columns, rows, columns, sizes...);
        CHECK_LAUNCH();
    }
}

constexpr int side = 32;  // of a tile, in the first four kernels: a block of 32 x 32 threads, one for each element

// ---- each thread moves one element ---------------------------------------------------------------------------------

// A warp reads 32 neighbours of a row. It writes them into a column: each into another row of the result.
template <class T>
__global__ void transpose_naive_kernel(T* out, const T* in, int64_t rows, int64_t columns) {
    const Tile tile(rows, columns, side, side);
    const int64_t row = tile.row + threadIdx.y, column = tile.column + threadIdx.x;
    in += tile.matrix, out += tile.matrix;
    if (row < rows && column < columns) out[column * rows + row] = in[row * columns + column];
}

template <class T>
void launch_transpose_naive(T* out, const T* in, int64_t matrices, int64_t rows, int64_t columns, cudaStream_t stream) {
    launch_tiles(transpose_naive_kernel<T>, {side, side}, side, side, out, in, matrices, rows, columns, stream);
}

// ---- a tile in shared memory ---------------------------------------------------------------------------------------

// A warp reads a row of the tile and writes a row of the result: only in shared memory does it go down a column.
template <class T>
__global__ void transpose_tile_kernel(T* out, const T* in, int64_t rows, int64_t columns) {
    __shared__ T shared[side][side];
    const Tile tile(rows, columns, side, side);
    const int x = threadIdx.x, y = threadIdx.y;
    in += tile.matrix + tile.row * columns + tile.column;
    out += tile.matrix + tile.column * rows + tile.row;
    if (tile.row + y < rows && tile.column + x < columns) shared[y][x] = in[y * columns + x];
    __syncthreads();  // from here on threads read what others wrote
    if (tile.column + y < columns && tile.row + x < rows) out[y * rows + x] = shared[x][y];
}

template <class T>
void launch_transpose_tile(T* out, const T* in, int64_t matrices, int64_t rows, int64_t columns, cudaStream_t stream) {
    launch_tiles(transpose_tile_kernel<T>, {side, side}, side, side, out, in, matrices, rows, columns, stream);
}

// ---- padding -------------------------------------------------------------------------------------------------------

// How many elements fill a bank of shared memory, 4 bytes. (An element of 8 bytes fills two.)
template <class T>
constexpr int bank = sizeof(T) < 4 ? 4 / sizeof(T) : 1;

// With elements of 4 bytes, each row begins one bank further on than the row above, so a column lies in 32 banks. With
// shorter elements it is an odd number of banks (17 or 9); with 8 bytes it is two, and a pass serves 16 lanes.
template <class T>
__global__ void transpose_padded_kernel(T* out, const T* in, int64_t rows, int64_t columns) {
    __shared__ T shared[side][side + bank<T>];  // padded
    const Tile tile(rows, columns, side, side);
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
    launch_tiles(transpose_padded_kernel<T>, {side, side}, side, side, out, in, matrices, rows, columns, stream);
}

// ---- swizzle -------------------------------------------------------------------------------------------------------

// No padding: in row r, column c of the tile lies at place c ^ r. A row keeps its 32 elements, in another order, and
// the elements of a column lie in 32 banks.
template <class T>
__global__ void transpose_swizzled_kernel(T* out, const T* in, int64_t rows, int64_t columns) {
    __shared__ T shared[side][side];
    const Tile tile(rows, columns, side, side);
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
    launch_tiles(transpose_swizzled_kernel<T>, {side, side}, side, side, out, in, matrices, rows, columns, stream);
}

// ---- 16 bytes at a time --------------------------------------------------------------------------------------------

// A thread has a square: V packs of V elements, below one another. A tile has 16 x 16 squares, and 8 x 8 where an
// element is a byte: 8 to 32 KiB, so several blocks fit into a multiprocessor. For 64 rows of bytes there are 4 x 16:
// a tile that is half as tall, and twice as wide.
template <class T>
constexpr int squares = sizeof(T) == 1 ? 8 : 16;
template <class T>
constexpr int wide_side = squares<T> * Pack<T>::SIZE;

// Packs are to this kernel what elements are to transpose_swizzled_kernel: in the rows of the squares in line y, pack x
// lies at place x ^ y. (With 4 lines it is x ^ 2 y: 8 lanes, whose packs fill the banks, then read from two columns.)
// Within its square, a thread exchanges rows and columns in its registers.
template <class T, int across, int down>
__global__ void __launch_bounds__(across* down)
    transpose_wide_kernel(T* out, const T* in, int64_t rows, int64_t columns) {
    constexpr int V = Pack<T>::SIZE, step = down == 4 ? 2 : 1;
    __shared__ Pack<T> shared[down * V][across];
    const Tile tile(rows, columns, down * V, across * V);
    int x = threadIdx.x, y = threadIdx.y;
    in += tile.matrix + (tile.row + y * V) * columns + tile.column + x * V;
    Pack<T> packs[V];
    if (tile.row + y * V < rows && tile.column + x * V < columns) {  // a whole square is inside, or outside
        for (int k = 0; k < V; k++) packs[k] = *reinterpret_cast<const Pack<T>*>(in + k * columns);
        for (int k = 0; k < V; k++) shared[y * V + k][x ^ step * y] = packs[k];
    }
    __syncthreads();
    const int thread = y * across + x;
    x = thread % down, y = thread / down;  // as before, if there are as many squares across as down
    out += tile.matrix + (tile.column + y * V) * rows + tile.row + x * V;
    if (tile.column + y * V < columns && tile.row + x * V < rows) {
        for (int k = 0; k < V; k++) packs[k] = shared[x * V + k][y ^ step * x];
        for (int j = 0; j < V; j++) {
            Pack<T> turned;
            for (int k = 0; k < V; k++) turned.values[k] = packs[k].values[j];
            __stcs(reinterpret_cast<uint4*>(out + j * rows), as<uint4>(turned));  // evict first: nobody reads it again
        }
    }
}

// ---- strips --------------------------------------------------------------------------------------------------------

constexpr int strip_threads = 256, loads = 4;  // of a block; packs that a thread loads before it waits

// 32 KiB of elements in shared memory, so that 6 blocks fit into a multiprocessor, and padding: without it, elements
// that are a power of two apart would lie in few banks. Of the paddings that we tried, 3 banks after each 256 bytes (6
// with elements of 8 bytes) gave the fewest conflicts.
template <class T>
struct Strip {
    using Word = std::conditional_t<(sizeof(T) < 4), uint32_t, T>;
    static constexpr int size = (32 << 10) / sizeof(T), line = 256 / sizeof(T), padding = 3 * bank<T>;
    alignas(8) T elements[size / line * (line + padding)];
    __device__ T& operator[](unsigned i) { return elements[i + i / line * padding]; }
    __device__ Word* words(unsigned i) { return reinterpret_cast<Word*>(&(*this)[i]); }  // of a pack
};

// The packs of some lines, divided among the threads of a block: where a thread is, and how far it is to its next pack.
struct Walk {
    unsigned packs, line = threadIdx.x / packs, pack = threadIdx.x % packs;  // packs of a line
    unsigned down = strip_threads / packs, on = strip_threads % packs;
    __device__ void next() {
        line += down, pack += on;
        if (pack >= packs) pack -= packs, line++;
    }
};

// A tile is loaded and stored by lines: rows of `in`, and rows of `out`. A tile with all columns of the matrix is one
// line of `in`, a strip without gaps. A tile with all rows, FEW_ROWS, is one line of `out`.
//
// In shared memory, the element in row r and column c of the tile lies at origin + r * down + c * right. Packs of
// `in` stay whole there, and packs of `out` are gathered element by element. With FEW_ROWS, packs of `in` are
// scattered, and packs of `out` are whole.
//
// A pack begins at a multiple of 16 bytes, but a line may begin anywhere. So its first and its last pack may have
// elements beside the tile, which get places as well and are not used. `begin` and `end` bound what may be loaded: up
// to a pack beside the tile, but not past the ends of a row.
//
// A store of a part of a sector is slow. So each block loads one sector's worth of extra rows, and the stores for
// column c begin and end where a sector of `out` begins, up to S - 1 elements (`shift`) further down than the tile.
template <class T, bool FEW_ROWS>
__global__ void __launch_bounds__(strip_threads, 6)
    transpose_strips_kernel(T* out, const T* in, int64_t rows, int64_t columns, int tall, int wide) {
    constexpr int V = Pack<T>::SIZE, S = 32 / sizeof(T);
    using Words = Pack<typename Strip<T>::Word>;
    __shared__ Strip<T> strip;
    const auto beyond = [](const T* p, int n) { return int(reinterpret_cast<uintptr_t>(p) / sizeof(T) % n); };
    const Tile tile(rows, columns, tall, wide);
    const int height = int(min(rows - tile.row, int64_t(tall + S)));
    const int width = int(min(columns - tile.column, int64_t(wide)));
    in += tile.matrix + tile.row * columns + tile.column;
    out += tile.matrix + tile.column * rows + tile.row;

    const bool one = !FEW_ROWS && width == columns;  // all rows of the tile are one line of `in`
    const int lines = one ? 1 : height, length = one ? height * width : width, packs = (length + 2 * V - 2) / V;
    const int begin = tile.column ? -V : 0, end = one ? length : int(min(columns - tile.column, int64_t(width + V)));
    const int down = FEW_ROWS ? 1 : one ? width : packs * V + int(columns % V), right = FEW_ROWS ? height : 1;
    const int origin = FEW_ROWS ? V * height + beyond(out, V) : beyond(in, V);
    for (Walk at{unsigned(packs)}; at.line < lines;) {
        uint4 values[loads];
        int places[loads];
#pragma unroll
        for (int k = 0; k < loads; k++, at.next()) {
            const T* const line = in + at.line * columns;
            const int x = int(at.pack) * V - beyond(line, V);
            places[k] = at.line < lines && x < length ? origin + int(at.line) * down + x * right : -1;
            if (places[k] >= 0) values[k] = load_part(line + x, begin - x, end - x);
        }
#pragma unroll
        for (int k = 0; k < loads; k++) {
            if (places[k] < 0) continue;
            for (int j = 0; j < V && FEW_ROWS; j++) strip[places[k] + j * right] = as<Pack<T>>(values[k]).values[j];
            for (int q = 0; q < Words::SIZE && !FEW_ROWS; q++)
                strip.words(places[k])[q] = as<Words>(values[k]).values[q];
        }
    }
    __syncthreads();
    const int above = tile.row == 0 ? S : 0, size = FEW_ROWS ? width * height : height;  // size of a line of `out`
    const int stores = ((FEW_ROWS ? size : tall) + above + V - 1) / V;
    for (Walk at{unsigned(stores)}; at.line < (FEW_ROWS ? 1 : width); at.next()) {
        T* const line = out + at.line * rows;
        const int shift = (S - beyond(line, S)) % S, x = int(at.pack) * V + shift - above;
        const int place = origin + int(at.line) * right + x * down;
        if (x < 0 || x + V > size) {  // at an end of the matrix
            for (int j = 0; j < V; j++)
                if (x + j >= 0 && x + j < size) line[x + j] = strip[place + j * down];
            continue;
        }
        Pack<T> pack;
        Words words;
        for (int j = 0; j < V && !FEW_ROWS; j++) pack.values[j] = strip[place + j * down];
        for (int q = 0; q < Words::SIZE && FEW_ROWS; q++) words.values[q] = strip.words(place)[q];
        __stcs(reinterpret_cast<uint4*>(line + x), FEW_ROWS ? as<uint4>(words) : as<uint4>(pack));
    }
}

// "Few" means up to 128: a tile of 32 KiB then has at least 192 bytes of each line. With more rows and columns, tiles
// are `wide_side` wide, or a little less, so that the last of them is not left with a few columns. Small matrices have
// smaller tiles, four a multiprocessor, but of a pack a thread or more, and of two sectors of each line or more.
template <class T>
void launch_transpose_strips(T* out, const T* in, int64_t matrices, int64_t rows, int64_t columns,
                             cudaStream_t stream) {
    constexpr int few = 128, V = Pack<T>::SIZE, S = 32 / sizeof(T);
    if (rows == 0 || columns == 0) return;
    const int64_t share = matrices * rows * columns / (4 * device_attribute(cudaDevAttrMultiProcessorCount));
    const int size = int(std::clamp<int64_t>(share, strip_threads * V, Strip<T>::size));
    const bool few_rows = rows <= few && rows <= columns, few_columns = columns <= few;
    int tall = int(rows), wide = int(columns);
    if (few_rows) wide = std::max(((size - V) / tall - 2 * V) / S, 2) * S;
    if (!few_columns && !few_rows) wide = int((columns - 1) / blocks_for(columns, wide_side<T>) + V) / V * V;
    if (!few_rows) tall = std::max(((size - 2 * V) / (few_columns ? wide : wide + 2 * V) - S) / S, 2) * S;
    launch_tiles(few_rows ? transpose_strips_kernel<T, true> : transpose_strips_kernel<T, false>, strip_threads, tall,
                 wide, out, in, matrices, rows, columns, stream, tall, wide);
}

template <class T>
void launch_transpose(T* out, const T* in, int64_t matrices, int64_t rows, int64_t columns, cudaStream_t stream) {
    constexpr int V = Pack<T>::SIZE, n = squares<T>, tile = wide_side<T>;
    if (rows == 1 || columns == 1) {  // a row and a column lie in memory alike
        const size_t bytes = matrices * rows * columns * sizeof(T);
        return CHECK_CUDA(cudaMemcpyAsync(out, in, bytes, cudaMemcpyDeviceToDevice, stream));
    }
    const bool in_packs = rows % V == 0 && columns % V == 0 && aligned(in) && aligned(out);
    if constexpr (sizeof(T) == 1)
        if (in_packs && rows == tile / 2 && columns >= tile)
            return launch_tiles(transpose_wide_kernel<T, 2 * n, n / 2>, {2 * n, n / 2}, tile / 2, 2 * tile, out, in,
                                matrices, rows, columns, stream);
    if (!in_packs || rows < tile || columns < tile)
        return launch_transpose_strips(out, in, matrices, rows, columns, stream);
    launch_tiles(transpose_wide_kernel<T, n, n>, {n, n}, tile, tile, out, in, matrices, rows, columns, stream);
}

// The compiler makes code of a template only for a T that it is asked for.
#define FOR_TYPE(name, T) template void name(T*, const T*, int64_t, int64_t, int64_t, cudaStream_t);
#define FOR_TYPES(name) \
    FOR_TYPE(name, uint8_t) FOR_TYPE(name, uint16_t) FOR_TYPE(name, uint32_t) FOR_TYPE(name, uint64_t)
FOR_TYPES(launch_transpose_naive)
FOR_TYPES(launch_transpose_tile)
FOR_TYPES(launch_transpose_padded)
FOR_TYPES(launch_transpose_swizzled)
FOR_TYPES(launch_transpose_strips)
FOR_TYPES(launch_transpose)
