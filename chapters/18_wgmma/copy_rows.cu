// copy_rows.cu: copies matrices whose rows TMA cannot read, because they do not begin at multiples of 16 bytes. Rows of
// a copy do. No torch header in here.
#include "copy_rows.h"

#include "device/hopper.h"

// The rows of all batches, one after another. Rows of the copy lie `to_stride` numbers apart.
template <class T>
struct Copy {
    const T* from;
    T* to;
    int64_t rows, columns, stride, batches, batch_stride, to_stride;
};

// A thread copies 8 numbers of each of ROWS rows, so that its loads of all ROWS are under way at a time.
constexpr int ROWS = 4;

template <class T>
__global__ void __launch_bounds__(256) copy_rows_kernel(Copy<T> first, Copy<T> second) {
#ifdef HAS_WGMMA
    if (gridDim.x <= 64)
        let_next_kernel_start();  // if more blocks are at work, the next kernel's would be in their way
#endif
    const Copy<T> c = blockIdx.y == 0 ? first : second;  // a reference or an array would be in local memory
    // A copy of 2^32 rows would need 512 GiB. With 64 bits, the divisions would take longer than a small copy.
    const unsigned across = unsigned(c.to_stride / 8), rows = unsigned(c.rows), all = unsigned(c.batches) * rows;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i / across * ROWS < all; i += gridDim.x * blockDim.x) {
        const unsigned top = i / across * ROWS, column = i % across * 8;
        uint4 v[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; r++) {  // past the end, the last row again: an `if` here would load row by row
            const unsigned row = min(top + r, all - 1);
            const T* from = c.from + row / rows * c.batch_stride + row % rows * c.stride + column;
            v[r] = load_8(from, int(min(c.columns - int64_t(column), int64_t(8))));
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            if (top + r < all) *reinterpret_cast<uint4*>(c.to + int64_t(top + r) * c.to_stride + column) = v[r];
    }
}

template <class T>
bool launch_copy_rows(Stored<T>& a, Stored<T>& b, T* to, cudaStream_t stream) {
    Copy<T> copies[2] = {};
    unsigned count = 0;
    int64_t threads = 0;
    for (Stored<T>* x : {&a, &b}) {
        if (x->copied_elements() == 0) continue;
        const int64_t stride = x->copied_stride(), rows = x->batches * x->rows;
        copies[count++] = {x->data, to, x->rows, x->columns, x->stride, x->batches, x->batch_stride, stride};
        threads = std::max(threads, (rows + ROWS - 1) / ROWS * (stride / 8));
        x->data = to, x->stride = stride, x->batch_stride = x->rows * stride;
        to += rows * stride;
    }
    if (count == 0) return false;
    const unsigned blocks = unsigned(std::min<int64_t>((threads + 255) / 256, 1 << 20));
    copy_rows_kernel<<<dim3(blocks, count), 256, 0, stream>>>(copies[0], copies[1]);
    CHECK_LAUNCH();
    return true;
}

template bool launch_copy_rows(Stored<__half>&, Stored<__half>&, __half*, cudaStream_t);
template bool launch_copy_rows(Stored<__nv_bfloat16>&, Stored<__nv_bfloat16>&, __nv_bfloat16*, cudaStream_t);
