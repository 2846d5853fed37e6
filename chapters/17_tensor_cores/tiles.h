// tiles.h: what the blocks and warps of tensor_cores.cu have of a product: tiles of the operands in shared memory, and
// of the results in registers.
#pragma once
#include <cstdint>
#include <type_traits>

#include "../16_matmul/bands.h"
#include "../16_matmul/matrix.h"
#include "../16_matmul/parts.h"
#include "device/pack.h"
#include "device/ptx_mma.h"

#define UNROLL _Pragma("unroll")

// ---- where a tile of the results is --------------------------------------------------------------------------------

struct Shape {
    int64_t batches, m, n, k;
    Parts parts;  // of k: a tile of the results has as many blocks
};

// A place in the results: the number of a matrix, a row and a column, and the first element along k of a part.
struct Place {
    int64_t batch, row, column, k;
};

static __host__ __device__ unsigned tiles_of(int64_t side, int tile) { return unsigned((side + tile - 1) / tile); }

static __device__ unsigned tiles_of(Shape s, int rows, int columns) {
    return unsigned(s.parts.count) * unsigned(s.batches) * tiles_of(s.m, rows) * tiles_of(s.n, columns);
}

// Where tile number t begins: matrix by matrix, part by part, in bands of 16 rows of tiles.
static __device__ Place place_of(unsigned t, Shape s, int rows, int columns) {
    const unsigned down = tiles_of(s.m, rows), across = tiles_of(s.n, columns), matrix = t / (down * across);
    const TileAt at = tile_at(t % (down * across), down, across, 16);
    const unsigned parts = unsigned(s.parts.count), batch = matrix / parts, part = matrix % parts;
    return {batch, int64_t(at.row) * rows, int64_t(at.column) * columns, int64_t(part) * s.parts.size};
}

// Stores what a lane has of 16 x 8 sums: two neighbours, and two more 8 rows below. `out` is the matrix.
template <class Out>
__device__ void store_sums(Out* out, const float (&sums)[4], int64_t row, int64_t column, Shape s) {
    for (int i = 0; i < 4; i++)
        if (row + i / 2 * 8 < s.m && column + i % 2 < s.n) out[(row + i / 2 * 8) * s.n + column + i % 2] = Out(sums[i]);
}

// ---- the tile of a block -------------------------------------------------------------------------------------------

// ROWS x COLUMNS results. Each of DOWN x ACROSS warps has WARP_ROWS x WARP_COLUMNS of them. Shared memory has room for
// STAGES tiles of a and as many of b, and BLOCKS blocks should fit on a multiprocessor.
template <int DOWN, int ACROSS_, int WARP_ROWS_, int WARP_COLUMNS_, int STAGES_, int BLOCKS_>
struct Tile {
    static constexpr int ACROSS = ACROSS_, WARP_ROWS = WARP_ROWS_, WARP_COLUMNS = WARP_COLUMNS_, STAGES = STAGES_;
    static constexpr int BLOCKS = BLOCKS_, THREADS = DOWN * ACROSS * 32, ROWS = DOWN * WARP_ROWS;
    static constexpr int COLUMNS = ACROSS * WARP_COLUMNS;
};

// A matrix is seen as lines of k elements: the rows of a, the columns of b. A tile of LINES lines has TILE_K elements
// of each. In shared memory it lies in rows, as in device memory: a row has the elements of a line side by side, or,
// unless ALONG_K, one element of each line.
//
// A row consists of packs of 16 bytes, and these are swizzled: pack p of row r lies where pack p ^ (r % 8) would lie.
// So the same pack of eight rows, which ldmatrix reads at a time, lies in all 32 banks.
constexpr int TILE_K = 64;

// Eight neighbours: `elements` of them from the matrix, and zeros for those beyond its edge.
template <class T>
__device__ uint4 load_pack(const T* p, int elements) {
    if (elements >= 8 && reinterpret_cast<uintptr_t>(p) % 16 == 0) return *reinterpret_cast<const uint4*>(p);
    Pack<T> pack = {};
    UNROLL for (int i = 0; i < 8; i++) if (i < elements) pack.values[i] = p[i];
    return as<uint4>(pack);
}

template <class T, bool ALONG_K, int LINES, int THREADS>
struct Lines {
    static constexpr int PACKS = (ALONG_K ? TILE_K : LINES) / 8, ROWS = ALONG_K ? LINES : TILE_K;
    static constexpr int BYTES = ROWS * PACKS * 16, STEP = THREADS / PACKS;  // rows that the block copies at a time
    static_assert(STEP % 8 == 0, "all rows of a thread have the same swizzle");

    __device__ static uint32_t place(int row, int pack) { return uint32_t(row * PACKS + (pack ^ row % 8)) * 16; }

    // ---- from device memory: a thread copies the same pack of every STEP-th row
    const Matrix<T> x;
    const int64_t offset = int(threadIdx.x) / PACKS * x.stride + int(threadIdx.x) % PACKS * 8;  // of its first pack
    const T* from;                                                                              // the next tile
    int lines_left;

    __device__ void begin(int64_t batch, int64_t line, int64_t k, int64_t lines) {
        from = x.data + batch * x.batch_stride + (ALONG_K ? line * x.stride + k : line + k * x.stride);
        lines_left = int(min(lines - line, int64_t(LINES)));
    }

    // Copies the next TILE_K elements of each line, of which k_left are in the matrix. Outside of it are zeros.
    template <bool ASYNC>
    __device__ void copy(uint32_t tile, int k_left) {
        const int row = int(threadIdx.x) / PACKS, pack = int(threadIdx.x) % PACKS;
        const int rows = (ALONG_K ? lines_left : k_left) - row, elements = (ALONG_K ? k_left : lines_left) - pack * 8;
        const T* p = from + offset;
        UNROLL for (int i = 0; i < ROWS; i += STEP, p += STEP * x.stride) {
            const uint32_t to = tile + place(row, pack) + i * PACKS * 16;
            if constexpr (ASYNC)
                copy_16_bytes(to, p, i < rows && elements > 0);
            else
                store_16_bytes(to, load_pack(p, i < rows ? elements : 0));
        }
        from += ALONG_K ? TILE_K : TILE_K * x.stride;
    }

    // ---- to registers, 16 lines and 16 elements of each at a time: four matrices of 8 x 8

    // Where this lane's row for ldmatrix begins. mma.sync wants the four matrices of a column by column, those of b row
    // by row, where a row is a line.
    __device__ static uint32_t first_fragment(int line, bool column_by_column) {
        const int lane = int(threadIdx.x) % 32, odd = lane / 8 % 2, half = lane / 16;  // of the matrix that it reads
        const int below = column_by_column ? odd : half, right = column_by_column ? half : odd;
        return ALONG_K ? place(line + below * 8 + lane % 8, right) : place(right * 8 + lane % 8, line / 8 + below);
    }
    // The same i * 16 lines and k * 16 elements further. In a row that is two packs further: with a swizzle, an XOR.
    __device__ static void load_fragment(uint32_t (&x)[4], uint32_t first, int i, int k) {
        load_matrices<!ALONG_K>(x, (first ^ (ALONG_K ? k : i) * 32) + (ALONG_K ? i : k) * 16 * PACKS * 16);
    }
};

// ---- the results of a warp -----------------------------------------------------------------------------------------

// The warp also keeps two sets of fragments: while it multiplies 16 elements of each line, it loads the next 16.
template <class T, class Tile, bool A_ALONG_K, bool B_ALONG_K>
struct Warp {
    using A = Lines<T, A_ALONG_K, Tile::ROWS, Tile::THREADS>;
    using B = Lines<T, B_ALONG_K, Tile::COLUMNS, Tile::THREADS>;
    static constexpr int DOWN = Tile::WARP_ROWS / 16, ACROSS = Tile::WARP_COLUMNS / 16, STAGE = A::BYTES + B::BYTES;

    float sums[DOWN][2 * ACROSS][4];
    uint32_t a[2][DOWN][4], b[2][ACROSS][4];
    const uint32_t a_first = A::first_fragment(row(), true), b_first = A::BYTES + B::first_fragment(column(), false);

    // The warp's first result in the tile.
    __device__ static int row() { return int(threadIdx.x) / 32 / Tile::ACROSS * Tile::WARP_ROWS; }
    __device__ static int column() { return int(threadIdx.x) / 32 % Tile::ACROSS * Tile::WARP_COLUMNS; }

    __device__ void clear() {
        UNROLL for (int i = 0; i < DOWN; i++) UNROLL for (int j = 0; j < 2 * ACROSS; j++)
            UNROLL for (int l = 0; l < 4; l++) sums[i][j][l] = 0;
    }
    __device__ void load(uint32_t stage, int k) {
        UNROLL for (int i = 0; i < DOWN; i++) A::load_fragment(a[k % 2][i], stage + a_first, i, k);
        UNROLL for (int j = 0; j < ACROSS; j++) B::load_fragment(b[k % 2][j], stage + b_first, j, k);
    }
    // Every second row goes backwards, so that each product shares an operand with the one before it.
    __device__ void add(int k) {
        UNROLL for (int i = 0; i < DOWN; i++) UNROLL for (int n = 0; n < 2 * ACROSS; n++) {
            const int j = i % 2 ? 2 * ACROSS - 1 - n : n;
            multiply<T>(sums[i][j], a[k % 2][i], b[k % 2][j / 2][j % 2 * 2], b[k % 2][j / 2][j % 2 * 2 + 1]);
        }
    }

    // Stores the results of the tile that begins at that place, or, as floats, its sums of a part of k.
    template <class Out>
    __device__ void store(Out* out, Place at, Shape s) const {
        const int lane = int(threadIdx.x) % 32;
        if constexpr (!std::is_same_v<Out, T>) at.batch += at.k / s.parts.size * s.batches;
        out += at.batch * s.m * s.n, at.row += row() + lane / 4, at.column += column();
        UNROLL for (int i = 0; i < DOWN; i++) {
            if constexpr (std::is_same_v<Out, T>) {
                if (s.n % 8 == 0 && reinterpret_cast<uintptr_t>(out) % 16 == 0) {
                    store_packs(out, i, at, s);
                    continue;
                }
            }
            UNROLL for (int j = 0; j < 2 * ACROSS; j++)
                store_sums(out, sums[i][j], at.row + 16 * i, at.column + j * 8 + lane % 4 * 2, s);
        }
    }
    // Four lanes have pairs of a row's 32 neighbours. They exchange pairs, so that each stores eight neighbours at a
    // time.
    __device__ void store_packs(T* out, int i, Place at, Shape s) const {
        UNROLL for (int half = 0; half < 2; half++) UNROLL for (int j = 0; j < 2 * ACROSS; j += 4) {
            uint32_t pairs[4];
            UNROLL for (int l = 0; l < 4; l++) {
                const T pair[] = {T(sums[i][j + l][2 * half]), T(sums[i][j + l][2 * half + 1])};
                pairs[l] = as<uint32_t>(pair);
            }
            exchange<1>(pairs[0], pairs[1]), exchange<1>(pairs[2], pairs[3]);
            exchange<2>(pairs[0], pairs[2]), exchange<2>(pairs[1], pairs[3]);
            const int64_t r = at.row + 16 * i + 8 * half, c = at.column + 8 * (j + int(threadIdx.x) % 4);
            if (r < s.m && c < s.n) *reinterpret_cast<uint4*>(out + r * s.n + c) = as<uint4>(pairs);
        }
    }
    // Of two lanes whose numbers differ in that bit, the lower one's second for the upper one's first.
    template <int BIT>
    __device__ static void exchange(uint32_t& first, uint32_t& second) {
        const bool upper = threadIdx.x & BIT;
        const uint32_t got = __shfl_xor_sync(~0u, upper ? first : second, BIT);
        (upper ? first : second) = got;
    }
};
