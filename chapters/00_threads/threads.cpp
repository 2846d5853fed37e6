// threads.cpp: what Python calls. It checks every argument, so that CUDA has no reason to refuse a launch.
#include "threads.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/Exceptions.h>

#include <cstdlib>

#include "common/cuda_check.h"
#include "common/check_tensor.h"
#include "hierarchy.h"

static void check_range(const char* name, int64_t value, int64_t first, int64_t last) {
    TORCH_CHECK_VALUE(first <= value && value <= last, name, " must be ", first, " to ", last, ", got ", value);
}

static void check_grid(int64_t blocks, int64_t threads) {
    check_range("blocks", blocks, 1, INT32_MAX);
    check_range("threads", threads, 1, 1024);
}

static at::TensorOptions int64_on_device() { return at::device(kernel_device).dtype(at::kLong); }

// n elements, and after them as many as the grid's last threads could reach; -1 where no thread wrote. Under make
// memcheck00 and sanitize00, an array with the check ends after n elements, so the tool sees a thread that passes it.
at::Tensor number(int64_t n, int64_t threads, bool check) {
    check_range("n", n, 0, INT32_MAX);
    check_range("threads", threads, 1, 1024);
    const char* tool = std::getenv("CHAPTERS_SANITIZE");
    const bool exact = check && tool && *tool;
    at::Tensor out = at::full({exact ? n : (n + threads - 1) / threads * threads}, -1, int64_on_device());
    launch_number(out.mutable_data_ptr<int64_t>(), n, int(threads), check, c10::cuda::getCurrentCUDAStream());
    return out;
}

// A row of int64 for each thread of the grid; see Where for the columns.
at::Tensor where_am_i(int64_t blocks, int64_t threads, int64_t nanoseconds) {
    check_grid(blocks, threads);
    check_range("nanoseconds", nanoseconds, 0, 1000000000);
    at::Tensor out = at::empty({blocks * threads, sizeof(Where) / sizeof(int64_t)}, int64_on_device());
    launch_where_am_i(reinterpret_cast<Where*>(out.mutable_data_ptr<int64_t>()), blocks, int(threads), nanoseconds,
                      c10::cuda::getCurrentCUDAStream());
    return out;
}

void wait(int64_t nanoseconds) {
    check_range("nanoseconds", nanoseconds, 0, 1000000000);
    launch_wait(nanoseconds, c10::cuda::getCurrentCUDAStream());
}

// How many cycles and how many nanoseconds one thread takes for that many steps in a ring of that many bytes, and the
// number of the line at which it ends. The thread first goes around once, so that a cache holds the ring. If `cold`, it
// does not, and the L2 cache holds other data when it starts.
std::tuple<int64_t, int64_t, int64_t> latency(int64_t bytes, int64_t steps, bool shared, bool cold) {
    check_range("steps", steps, 1, INT32_MAX);
    check_range("bytes", bytes, sizeof(Line), shared ? shared_bytes : int64_t(1) << 40);
    TORCH_CHECK_VALUE((bytes & (bytes - 1)) == 0, "bytes must be a power of two, got ", bytes);
    const cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
    const int64_t lines = bytes / sizeof(Line), warm = cold ? 0 : lines;
    const at::Tensor out = at::empty({3}, int64_on_device());
    if (shared) {
        launch_chase_shared(out.mutable_data_ptr<int64_t>(), lines, warm, steps, stream);
    } else {
        const at::Tensor memory = at::empty({bytes}, int64_on_device().dtype(at::kByte));
        auto* ring = reinterpret_cast<Line*>(memory.mutable_data_ptr<uint8_t>());
        launch_ring(ring, lines, stream);
        if (cold) {
            int device = 0, cache = 0;
            CHECK_CUDA(cudaGetDevice(&device));
            CHECK_CUDA(cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, device));
            // Fills the L2 cache with other data; nobody needs the result.
            at::full({4 * int64_t(cache)}, 0, int64_on_device().dtype(at::kByte));
        }
        launch_chase(out.mutable_data_ptr<int64_t>(), ring, warm, steps, stream);
    }
    const at::Tensor host = out.cpu();
    const int64_t* values = host.const_data_ptr<int64_t>();
    return {values[0], values[1], values[2]};
}

// How many nanoseconds `blocks` blocks take to read `reads` pieces of 32 KiB each, and the sum of what they read,
// modulo 2^32. The array of that many bytes holds 0, 1, 2, ... With `shared`, they read it from shared memory.
std::tuple<int64_t, int64_t> bandwidth(int64_t bytes, int64_t reads, int64_t blocks, bool shared) {
    check_range("reads", reads, 1, INT32_MAX);
    check_range("blocks", blocks, 1, 1 << 20);
    const int64_t piece = reading_threads * loads * 16;
    check_range("bytes", bytes, piece, shared ? piece : int64_t(1) << 40);
    TORCH_CHECK_VALUE(bytes % piece == 0, "bytes must be a multiple of ", piece, ", got ", bytes);
    const cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
    const at::TensorOptions ints = int64_on_device().dtype(at::kInt);
    const at::Tensor array = at::empty({bytes / 4}, ints), sums = at::empty({blocks * reading_threads}, ints);
    auto* in = reinterpret_cast<unsigned*>(array.mutable_data_ptr<int>());
    auto* out = reinterpret_cast<unsigned*>(sums.mutable_data_ptr<int>());
    launch_count(in, bytes / 4, stream);
    const auto read = [&] {
        if (shared)
            launch_read_shared(out, in, reads, int(blocks), stream);
        else
            launch_read(out, in, bytes / piece, reads, int(blocks), stream);
    };
    read();  // the first launch also loads the kernel
    cudaEvent_t start, end;
    CHECK_CUDA(cudaEventCreate(&start));
    CHECK_CUDA(cudaEventCreate(&end));
    CHECK_CUDA(cudaEventRecord(start, stream));
    read();
    CHECK_CUDA(cudaEventRecord(end, stream));
    CHECK_CUDA(cudaEventSynchronize(end));
    float milliseconds = 0;
    CHECK_CUDA(cudaEventElapsedTime(&milliseconds, start, end));
    CHECK_CUDA(cudaEventDestroy(start));
    CHECK_CUDA(cudaEventDestroy(end));
    const at::Tensor host = sums.cpu();
    uint32_t sum = 0;
    for (int64_t i = 0; i < host.numel(); i++) sum += uint32_t(host.const_data_ptr<int>()[i]);
    return {int64_t(milliseconds * 1e6), sum};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    const auto number_of = [](const char* name) { return py::arg(name).noconvert(); };  // otherwise 2.7 is 2
    m.def("where_am_i", torch::wrap_pybind_function_no_gil(where_am_i), number_of("blocks"), number_of("threads"),
          number_of("nanoseconds"));
    m.def("wait", torch::wrap_pybind_function_no_gil(wait), number_of("nanoseconds"));
    m.def("number", torch::wrap_pybind_function_no_gil(number), number_of("n"), number_of("threads"),
          number_of("check"));
    m.def("latency", torch::wrap_pybind_function_no_gil(latency), number_of("bytes"), number_of("steps"),
          number_of("shared"), number_of("cold"));
    m.def("bandwidth", torch::wrap_pybind_function_no_gil(bandwidth), number_of("bytes"), number_of("reads"),
          number_of("blocks"), number_of("shared"));
}
