"""Small breakages of the chapters' kernels, launchers and bindings, and the tests that must fail because of each.

All but two can be judged without a GPU. operators_gpu.py has those that need one: guards, streams, registered threads.
"""

from tools.maintain.mutants import Mutant

T = "tests/chapters/test_"
RIGHT = T + "operators.py::test_right_at_awkward_sizes"
SHAPES = T + "operators.py::test_every_rank_and_nothing_in_each_dimension"
DTYPE = T + "operators.py::test_another_dtype_is_refused"
DEVICE = T + "operators.py::test_another_device_is_refused"
STRIDES = T + "operators.py::test_not_contiguous_is_refused"
SHAPE = T + "operators.py::test_another_shape_is_refused"
KINDS = T + "operators.py::test_other_kinds_of_tensors"
NAN = T + "operators.py::test_nan_and_infinity_pass_through"
LAUNCH = T + "chapters.py::test_every_launch_is_on_the_given_stream_and_checked"
BUSY = T + "operators_gpu.py::test_other_threads_run_during_a_long_call"
WHO = T + "00_threads.py::test_every_thread_says_who_it_is"
BOUNDS = T + "00_threads.py::test_the_bounds_check"
RING = T + "00_threads.py::test_a_chase_follows_the_whole_ring"
READ = T + "00_threads.py::test_all_that_is_read_is_in_the_sum"

THREADS, THREADS_CPP, HIERARCHY = (
    f"chapters/00_threads/{name}" for name in ("threads.cu", "threads.cpp", "hierarchy.cu")
)
ADD2, ADD2_CPP = "chapters/03_add2/add2.cu", "chapters/03_add2/add2.cpp"
SQUARE, SQUARE_CPP = "chapters/02_square/square.cu", "chapters/02_square/square.cpp"
AXPY, AXPY_CPP = "chapters/05_cmake/axpy.cu", "chapters/05_cmake/axpy.cpp"
VEC4, VEC4_CPP = "chapters/06_vec4/vec4.cu", "chapters/06_vec4/vec4.cpp"
SWIGLU, SWIGLU_CPP = "chapters/07_autograd/swiglu.cu", "chapters/07_autograd/swiglu.cpp"
IMAGE, IMAGE_CPP = "chapters/08_image/image.cu", "chapters/08_image/image.cpp"
GELU, GELU_CPP, GELU_PY = (f"chapters/09_library/{name}" for name in ("bias_gelu.cu", "bias_gelu.cpp", "library.py"))
GELU_AUTOGRAD = "chapters/09_library/autograd.cpp"
LIBRARY, DISPATCHER = T + "09_library.py::test_", T + "09_dispatcher.py::test_"


def case(test, operator, *more):
    """A test's case of one operator."""
    return f"{test}[{'-'.join([*more, operator])}]"


def forward(operator):
    return f"{RIGHT}[forward-{operator}]"


MUTANTS = [
    # ---- every launcher: its stream, and the question whether the launch went wrong
    *(Mutant(file, "    CHECK_LAUNCH();\n", "", f"{LAUNCH}[{file.split('/')[1]}]")
      for file in ("chapters/01_hello/hello.cu", ADD2, "chapters/03_add2/custom_kernel.cu",
                   "chapters/04_package/package_kernel.cu", AXPY)),
    *(Mutant(SQUARE, f"{kernel}<<<grid, block, 0, stream>>>(result, matrix, height, width);\n    CHECK_LAUNCH();",
             f"{kernel}<<<grid, block, 0, stream>>>(result, matrix, height, width);",
             LAUNCH + "[02_square]") for kernel in ("square_matrix_kernel", "square_by_columns_kernel")),
    *(Mutant(SQUARE, f"{kernel}<<<grid, block, 0, stream>>>", f"{kernel}<<<grid, block>>>", LAUNCH + "[02_square]")
      for kernel in ("square_matrix_kernel", "square_by_columns_kernel")),
    Mutant(VEC4, "fewer, 0, stream>>>", "fewer>>>", LAUNCH + "[06_vec4]"),
    Mutant(SWIGLU, "stream>>>(grad_a, grad_b, grad, a, b, n);", "0>>>(grad_a, grad_b, grad, a, b, n);",
           LAUNCH + "[07_autograd]"),
    Mutant(IMAGE, "block, 0, stream>>>(gray, images, bgr);\n    CHECK_LAUNCH();",
           "block, 0, stream>>>(gray, images, bgr);",
           LAUNCH + "[08_image]"),
    # ---- 00: numbers of threads, the bounds check, refusals, the benchmark of memories
    Mutant(THREADS, "threadIdx.x % warpSize", "threadIdx.x / warpSize", WHO),
    Mutant(THREADS, "threadIdx.x / warpSize", "threadIdx.x / 16", WHO),
    Mutant(THREADS, "blockDim.x + threadIdx.x;\n    out[i] = {", "32 + threadIdx.x;\n    out[i] = {", WHO),
    Mutant(THREADS, "    work(nanoseconds);\n    const int64_t i", "    const int64_t i", WHO),
    Mutant(HIERARCHY, "if (i < n) array[i] = unsigned(i);", "if (i + 1 < n) array[i] = unsigned(i);",
           "tests/chapters/05_cmake/test_cmake.py::test_launchers"),
    Mutant(HIERARCHY, "ring + next_line(i, lines)", "ring + (i + 1) % lines",
           "tests/chapters/05_cmake/test_cmake.py::test_launchers"),
    Mutant(THREADS, "if (check && i >= n) return;", "if (check && i > n) return;", BOUNDS),
    Mutant(THREADS, "if (check && i >= n) return;", "if (i >= n) return;", BOUNDS),
    Mutant(THREADS, "    if (n == 0) return;  // CUDA refuses a grid of 0 blocks\n", "", BOUNDS),
    Mutant(THREADS, "__global__ void wait_kernel(int64_t nanoseconds) { work(nanoseconds); }",
           "__global__ void wait_kernel(int64_t nanoseconds) { work(nanoseconds / 2); }",
           T + "00_threads.py::test_a_launch_returns_before_it_has_run"),
    Mutant(THREADS_CPP, 'check_range("threads", threads, 1, 1024);\n}', "}",
           T + "operators.py::test_scalars[00_threads.where_am_i-threads]"),
    Mutant(THREADS_CPP, 'check_range("blocks", blocks, 1, INT32_MAX);', 'check_range("blocks", blocks, 0, INT32_MAX);',
           T + "operators.py::test_scalars[00_threads.where_am_i-blocks]"),
    Mutant(HIERARCHY, "i * 1664525 + 1013904223", "i * 1664526 + 1013904223", RING),
    Mutant(HIERARCHY, "i * 1664525 + 1013904223", "i + 1", T + "operators.py::test_scalars[00_threads.latency-steps]",
           why="steps to the next line would find a part of what a load brings with it"),
    Mutant(HIERARCHY, "for (int64_t i = 0; i < steps; i++) at = next(at);",
           "for (int64_t i = 1; i < steps; i++) at = next(at);", RING),
    Mutant(HIERARCHY, "if (++at == pieces) at = 0;", "at = 0;", READ),
    Mutant(HIERARCHY, "for (int k = 0; k < loads; k++) sum +=", "for (int k = 1; k < loads; k++) sum +=", READ),
    Mutant(HIERARCHY, "blockIdx.x * reads % pieces", "blockIdx.x % pieces", READ),
    # ---- 01: the kernel and what is copied back
    Mutant("chapters/01_hello/hello.cu", "out[threadIdx.x] = letters[threadIdx.x]", "out[threadIdx.x] = letters[0]",
           T + "01_hello.py::test_every_thread_writes_its_letter"),
    Mutant("chapters/01_hello/hello.cu", "<<<1, hello_length, 0, stream>>>", "<<<1, hello_length - 1, 0, stream>>>",
           T + "01_hello.py::test_every_thread_writes_its_letter",
           why="new memory can hold the letter of the run before"),
    # ---- 02: index, edge, grid-stride in y, empty case, binding
    Mutant(SQUARE, "if (column >= width) return;", "if (column > width) return;",
           T + "02_square.py::test_every_shape_around_a_block",
           why="a thread too many writes the next row's first element"),
    Mutant(SQUARE, "row += int64_t(gridDim.y) * blockDim.y) {\n        const float value = matrix[row * width + column]",
           "row += int64_t(gridDim.y) * blockDim.y) {\n        const float value = matrix[row * height + column]",
           T + "02_square.py::test_every_shape_around_a_block"),
    Mutant(SQUARE, "row < height; row += int64_t(gridDim.y) * blockDim.y", "row < height; row += height",
           T + "02_square.py::test_more_rows_or_columns_than_65535_blocks_cover"),
    Mutant(SQUARE, "std::min(blocks_for(height, tile), 65535u)", "blocks_for(height, tile)",
           T + "02_square.py::test_more_rows_or_columns_than_65535_blocks_cover"),
    Mutant(SQUARE, "if (height == 0 || width == 0) return;  //", "if (height == 0) return;  //",
           case(SHAPES, "02_square.square_matrix")),
    Mutant(SQUARE, "if (row >= height) return;", "if (row > height) return;",
           T + "02_square.py::test_every_shape_around_a_block", why="a thread too many writes beyond the last row"),
    Mutant(SQUARE, "column < width; column += int64_t(gridDim.y) * blockDim.y", "column < width; column += width",
           T + "02_square.py::test_more_rows_or_columns_than_65535_blocks_cover"),
    Mutant(SQUARE, "std::min(blocks_for(width, tile), 65535u)", "blocks_for(width, tile)",
           T + "02_square.py::test_more_rows_or_columns_than_65535_blocks_cover"),
    Mutant(SQUARE, "column += int64_t(gridDim.y) * blockDim.y) {\n        const float value = matrix[row * width + column]",
           "column += int64_t(gridDim.y) * blockDim.y) {\n        const float value = matrix[column * height + row]",
           T + "02_square.py::test_every_shape_around_a_block"),
    Mutant(SQUARE, "i < n; i += stride) output[i] = 2 * input[i];", "i < n; i += stride) output[i] = input[i];",
           forward("02_square.custom_operation")),
    Mutant(SQUARE, "    if (n == 0) return;\n    custom_operation_kernel", "    custom_operation_kernel",
           case(SHAPES, "02_square.custom_operation")),
    Mutant(SQUARE, "i < n; i += stride) c[i] = a[i] + b[i];", "i < n; i += stride) c[i] = a[i] + b[0];",
           forward("02_square.add_cuda")),
    Mutant(SQUARE, "    if (n == 0) return;\n    add_kernel", "    add_kernel", case(SHAPES, "02_square.add_cuda")),
    Mutant(SQUARE_CPP, "TORCH_CHECK_VALUE(matrix.dim() == 2,", "TORCH_CHECK_VALUE(matrix.dim() >= 2,",
           T + "02_square.py::test_other_ranks_are_refused"),
    # ---- 03: the model of all bindings
    Mutant(ADD2, "threadIdx.x; i < n; i += stride", "threadIdx.x; i < n - 1; i += stride", forward("03_add2.add2")),
    Mutant(ADD2, "int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i",
           "int64_t(blockIdx.x) * blockDim.x + threadIdx.x + 1; i",
           forward("03_add2.add2")),
    Mutant("common/grid.h", "n / threads + (n % threads != 0)", "n / threads", forward("06_vec4.add_scalar"),
           why="the last, partial block is not started; a grid-stride loop would hide it from 256 elements on"),
    Mutant(ADD2, "if (n == 0) return;", "if (n < 0) return;", case(SHAPES, "03_add2.add2")),
    Mutant(ADD2_CPP, '    check_same(a, "a", b, "b");\n    const', "    const", case(SHAPE, "03_add2.add2")),
    Mutant(ADD2_CPP, 'check_input(b, "b", at::kFloat);\n    check_same(a, "a", b, "b");\n    const',
           'check_same(a, "a", b, "b");\n    const', [case(DTYPE, "03_add2.add2"), case(STRIDES, "03_add2.add2")]),
    Mutant(ADD2_CPP, "0 <= n && n <= c.numel()", "n <= c.numel()",
           T + "03_add2.py::test_n_outside_the_tensors_is_refused"),
    Mutant(ADD2_CPP, "input : {a, b})", "input : {a})",
           T + "03_add2.py::test_partial_overlap_is_refused"),
    Mutant(ADD2_CPP, "    c.unsafeGetTensorImpl()->bump_version();", "    ",
           T + "operators.py::test_autograd_learns_that_the_output_was_overwritten[03_add2.torch_launch_add2]"),
    Mutant(ADD2_CPP, 'torch::wrap_pybind_function_no_gil(add2), py::arg("a")',
           'torch::wrap_pybind_function(add2), py::arg("a")',
           case(BUSY, "03_add2.add2"), why="the call keeps Python's lock"),
    Mutant(ADD2_CPP, 'py::arg("n").noconvert()', 'py::arg("n")',
           T + "operators.py::test_scalars[03_add2.torch_launch_add2-n]"),
    # ---- 04
    Mutant("chapters/04_package/package_kernel.cu", "2 * input[i]", "2 * input[0]",
           forward("04_package.my_cuda_function")),
    Mutant("chapters/04_package/package_kernel.cu", "if (n == 0) return;", "if (n < 0) return;",
           case(SHAPES, "04_package.my_cuda_function")),
    # ---- 05: fma, range of alpha
    Mutant(AXPY, "z[i] = fmaf(alpha, x[i], y[i])", "z[i] = alpha * x[i] + y[i]", T + "05_cmake.py::test_rounded_once"),
    Mutant(AXPY, "if (n == 0) return;", "if (n < 0) return;", case(SHAPES, "05_cmake.axpy")),
    Mutant(AXPY_CPP, '    check_same(x, "x", y, "y");\n', "", case(SHAPE, "05_cmake.axpy")),
    Mutant(AXPY_CPP, "!std::isfinite(alpha) || ", "", T + "05_cmake.py::test_axpy"),
    Mutant(AXPY_CPP, "std::abs(alpha) <= ", "alpha <= ", T + "05_cmake.py::test_alpha_beyond_float32_is_refused"),
    # ---- 06: a thread's share, tail, head, alignment
    Mutant(VEC4, "const int64_t i = first + k * int(blockDim.x);\n        if (i < n) c[i]",
           "const int64_t i = first + k;\n        if (i < n) c[i]", forward("06_vec4.add_unrolled")),
    Mutant(VEC4, "blocks_for(n, threads * loads)", "blocks_for(n - 1, threads * loads)",
           T + "06_vec4.py::test_every_number_of_loads"),
    Mutant(VEC4, "&blocks, kernel, threads, reserved", "&blocks, kernel, threads, 0",
           T + "06_vec4.py::test_reserved_shared_memory_leaves_room_for_fewer_blocks"),
    Mutant(VEC4, "reserved > 0 ? allow_shared_memory(kernel) : 0", "most_shared_memory()",
           T + "06_vec4.py::test_reserved_shared_memory_leaves_room_for_fewer_blocks"),
    Mutant(VEC4, "if (i < n4) c[i]", "if (i <= n4) c[i]", case(RIGHT, "06_vec4.add_vec4", "forward")),
    Mutant(VEC4, "if (i < n) c[i] = a[i] + b[i];", "if (i < n - 1) c[i] = a[i] + b[i];", forward("06_vec4.add_scalar")),
    Mutant(VEC4, "i < n; i += stride) c[i] = a[i] + b[i];", "i < n; i += 2 * stride) c[i] = a[i] + b[i];",
           forward("06_vec4.add_grid_stride")),
    Mutant(VEC4, "    if (n == 0) return;  // CUDA refuses a grid of 0 blocks\n    add_kernel_scalar",
           "    add_kernel_scalar",
           case(SHAPES, "06_vec4.add_scalar")),
    Mutant(VEC4, "    if (n == 0) return;\n    int device", "    int device", case(SHAPES, "06_vec4.add_grid_stride")),
    Mutant(VEC4, "    if (n == 0) return;\n    kernel<<<", "    kernel<<<",
           case(SHAPES, "06_vec4.add_unrolled")),
    Mutant(VEC4, "    if (n == 0) return;\n    const int64_t n4", "    const int64_t n4",
           case(SHAPES, "06_vec4.add_vec4")),
    Mutant(VEC4, "if (first < head) c[first]", "if (first < head - 1) c[first]",
           T + "06_vec4.py::test_add_forward_is_right_at_every_alignment"),
    Mutant(VEC4, "n - (n - head) % 4 + first", "n - n % 4 + first",
           T + "06_vec4.py::test_add_forward_is_right_at_every_alignment"),
    Mutant(VEC4, "if (tail < n) c[tail]", "if (tail < n - 1) c[tail]",
           T + "06_vec4.py::test_add_forward_is_right_at_every_alignment"),
    Mutant(VEC4, "if (i + 4 <= n) __stcs", "if (i + 4 < n) __stcs",
           T + "06_vec4.py::test_add_forward_is_right_at_every_alignment"),
    Mutant(VEC4_CPP, '    check_float4(b, "b");\n', "",
           T + "06_vec4.py::test_float4_refuses_a_misaligned_address[b-1-add_vec4]"),
    Mutant(VEC4_CPP, "at::MemOverlapStatus::Partial", "at::MemOverlapStatus::Full",
           T + "06_vec4.py::test_partial_overlap_is_refused"),
    Mutant(VEC4_CPP, "    out->unsafeGetTensorImpl()->bump_version();", "    ",
           T + "06_vec4.py::test_autograd_learns_that_the_output_was_overwritten"),
    # ---- 07: packs, gradients, what is saved
    Mutant(SWIGLU, "i = first * V; i + V <= n; i += stride * V) swiglu_forward",
           "i = first * V; i + V < n; i += stride * V) swiglu_forward",
           forward("07_autograd.swiglu_forward")),
    Mutant(SWIGLU, "x.at[k] / (1 + std::exp(-x.at[k])) * y.at[k]",
           "x.at[k] * std::exp(x.at[k]) / (1 + std::exp(x.at[k])) * y.at[k]",
           T + "07_kernels.py::test_large_numbers_give_no_nan"),
    Mutant(SWIGLU, "s * (1 + x.at[k] * (1 - s))", "s * (1 + x.at[k] * s)", T + "07_autograd.py::test_gradcheck"),
    Mutant(SWIGLU, "uintptr_t(p) % 16 == 0;", "uintptr_t(p) % 8 == 0;", T + "07_kernels.py::test_every_alignment",
           gpus=1, why="a CPU loads 16 bytes from any address"),
    Mutant(SWIGLU_CPP, "variable_list& grads) { return {grads[0], grads[0]}; }",
           "variable_list& grads) { return {grads[0], grads[0] * 2}; }", T + "07_autograd.py::test_gradcheck"),
    Mutant("chapters/07_autograd/training.py", "train(module, torch.float64, steps)", "train(module, steps=steps)",
           T + "07_training.py::test_the_differences_of_both_types_are_kept"),
    Mutant(SWIGLU_CPP, "s * (1 + a * (1 - s))", "s * (1 + a * s)",
           T + "07_autograd.py::test_create_graph_gives_the_same_gradients"),
    Mutant(SWIGLU_CPP, "a.requires_grad() ? b : at::Tensor()", "b",
           T + "07_training.py::test_only_what_backward_needs_is_saved"),
    Mutant(SWIGLU_CPP, "grads[0].resolve_neg().contiguous()", "grads[0].resolve_neg()",
           T + "07_autograd.py::test_gradients_that_are_not_contiguous"),
    Mutant(SWIGLU_CPP, 'check_input(grad, "grad", a.scalar_type());\n    check_same(grad, "grad", a, "a");',
           'check_input(grad, "grad", a.scalar_type());', case(SHAPE, "07_autograd.swiglu_backward")),
    Mutant(SWIGLU_CPP, "x.scalar_type() == at::kFloat || x.scalar_type() == at::kDouble", "x.is_floating_point()",
           DTYPE + "[07_autograd.swiglu_forward]"),
    # ---- 08: rounding, shift, edges, gaps, quotient
    Mutant(IMAGE, "third + 500) / 1000", "third + 499) / 1000",
           T + "08_image.py::test_every_color_is_rounded_to_the_nearest_and_halves_up"),
    Mutant(IMAGE, "(bgr ? 114 : 299) * first", "299 * first", T + "08_image.py::test_bgr_is_off_by_default"),
    Mutant(IMAGE, "if (k == 3 && shift == 0) return;", "if (k == 3) return;",
           T + "08_image.py::test_every_alignment_of_image_and_row"),
    Mutant(IMAGE, "words[k] = shift & 8 ? words[k + 2]", "words[k] = shift & 8 ? words[k + 1]",
           T + "08_image.py::test_every_alignment_of_image_and_row"),
    Mutant(IMAGE, "row_gap % 16 == 0 && image_gap % 16 == 0;", "row_gap % 16 == 0;",
           T + "08_image.py::test_gaps_between_rows_and_images_decide_about_the_shift"),
    Mutant(IMAGE, "if (row_gap == 0 && image_gap == 0) images.width", "if (image_gap == 0) images.width",
           T + "08_image.py::test_gaps_between_rows_and_images_decide_about_the_shift"),
    Mutant(IMAGE, "min(end, images.width); x++", "min(end, images.width - 1); x++", T + "08_image.py::test_shapes"),
    Mutant(IMAGE, "v.x / by, v.y / by, v.z / by, v.w / by",
           "v.x * (1 / by), v.y * (1 / by), v.z * (1 / by), v.w * (1 / by)",
           T + "08_image.py::test_every_quotient_is_correctly_rounded"),
    Mutant(IMAGE, "blocks_for(n + 3, voxels)", "blocks_for(n, voxels)",
           T + "08_image.py::test_every_alignment_of_a_volume"),
    Mutant(IMAGE, "const uint8_t* rgb = images.data + i * images.image_stride + y",
           "const uint8_t* rgb = images.data + y",
           T + "08_image.py::test_shapes"),
    Mutant(IMAGE, "if (images.count == 0 || images.height == 0 || images.width == 0) return;  // CUDA", "//",
           case(SHAPES, "08_image.rgb_to_gray_naive")),
    Mutant(IMAGE, "if (images.count == 0 || images.height == 0 || images.width == 0) return;\n    // Bytes", "// Bytes",
           case(STRIDES, "08_image.rgb_to_gray"), why="empty rows with gaps"),
    Mutant(IMAGE, "if (i < n) out[i] = volume[i] / maxVal;", "if (i < n) out[i] = volume[i] * (1 / maxVal);",
           T + "08_image.py::test_every_quotient_is_correctly_rounded"),
    Mutant(IMAGE, "    if (n == 0) return;\n    constexpr int threads = 256;", "    constexpr int threads = 256;",
           case(SHAPES, "08_image.normalize_volume_naive")),
    Mutant(IMAGE, "uintptr_t(p) % 8 == 0 ?", "uintptr_t(p) % 2 == 0 ?",
           T + "08_image.py::test_every_alignment_of_a_volume", gpus=1,
           why="a CPU loads 8 bytes from any address"),
    Mutant(IMAGE_CPP, "rounded > 0 && std::isfinite(rounded)", "maxVal > 0 && std::isfinite(rounded)",
           T + "08_image.py::test_a_useless_maxVal_is_refused"),
    Mutant(IMAGE_CPP, "!(apart(-1, 1) || apart(-2, 3))", "!apart(-1, 1)",
           T + "08_image.py::test_other_shapes_and_strides_are_refused"),
    # ---- 09: the kernels, the sums over rows
    *(Mutant(GELU, text, replacement, LIBRARY + "forward_and_backward") for text, replacement in (
        ("T(-2 * 0.79788456080286535588", "T(2 * 0.79788456080286535588"),
        ("T(0.5) * std::erf(u * T(0.70710678118654752440)) + u * density", "u * density"),
        ("T(3 * 0.044715)", "T(0.044715)"),
        ("half = (count + 1) / 2;", "half = count / 2;"),
        ("        __syncthreads();\n", ""),
        ("store(sums + blockIdx.y * columns + column, sum)", "store(sums + column, sum)"),
        ("std::max<int64_t>(1, std::min", "std::max<int64_t>(0, std::min"),
        ("row < rows; row += blockDim.y)", "row < rows - 1; row += blockDim.y)"),
    )),
    *(Mutant(GELU, text, replacement, LIBRARY + "forward_and_backward") for text, replacement in (
        ("if (++column == columns) column = 0;", "column++;"),
        ("columns % V == 0", "columns != 1"),
        ("packs_end, n, columns", "n, n, columns"),
        ("                if (row >= rows) continue;\n", ""),
        ("load_row(k, row + depth * step);", "load_row(k, row + step);"),
    )),
    Mutant(GELU, "aligned<T>({out, x, bias})", "true", LIBRARY + "an_argument_that_begins_anywhere", gpus=1,
           why="a CPU loads 16 bytes from any address"),
    Mutant(GELU, "    if (begin == end) return;  // CUDA refuses a grid of 0 blocks\n", "", LIBRARY + "forward_and_backward"),
    Mutant(GELU, "forward_threads, 0, stream>>>(out, x", "forward_threads>>>(out, x", LAUNCH + "[09_library]"),
    # ---- 09: what the operators refuse, what the dispatcher is told
    *(Mutant(GELU_CPP, text, "true", f"{LIBRARY}the_operator_refuses[Python-{name}]") for text, name in (
        ("x.defined()", "None"), ("x.scalar_type() == dtype", "bias of float16"), ("x.is_contiguous()", "transposed"),
        ("x.dim() >= 1", "no dimension"), ("bias.dim() == 1", "bias of x's shape"),
        ('approximate == "none" || approximate == "tanh"', "another word"))),
    Mutant(GELU_CPP, "grad.sym_sizes() == x.sym_sizes()", "true", LIBRARY + "backward_refuses[shape]"),
    Mutant(GELU_CPP, "    check_no_grad(x, name);\n", "", LIBRARY + "without_library_py"),
    Mutant(GELU_CPP, "overlap != at::MemOverlapStatus::Partial", "true", LIBRARY + "in_place_and_shared_memory"),
    Mutant(GELU_CPP, "check_no_grad(x, argument.name().c_str());", "", LIBRARY + "in_place_refuses_gradients"),
    Mutant(GELU_CPP, "check_no_tangent(x, argument.name().c_str());", "", LIBRARY + "forward_mode_is_refused"),
    Mutant(GELU_CPP, "x.unsafeGetTensorImpl()->bump_version();", ";", LIBRARY + "autograd_learns_that_x_was_overwritten"),
    # ---- 09: gradients, autocast, vmap
    Mutant(GELU_PY, "grad.contiguous()", "grad", LIBRARY + "an_expanded_gradient[Python]"),
    Mutant(GELU_AUTOGRAD, "grads[0].contiguous()", "grads[0]", LIBRARY + "an_expanded_gradient[C++]"),
    Mutant(GELU_PY, "both = grad_of_grad_x + grad_of_grad_bias", "both = grad_of_grad_x",
           LIBRARY + "gradcheck_of_the_backward_operator"),
    Mutant(GELU_PY, "(2 - u * u) * density", "(1 - u * u) * density", LIBRARY + "gradcheck"),
    Mutant(GELU_PY, "k * 6 * 0.044715", "k * 3 * 0.044715", LIBRARY + "gradcheck"),
    Mutant(GELU_PY, "(torch.float16, torch.bfloat16)", "(torch.float16,)", DISPATCHER + "autocast_computes_in_float32"),
    Mutant(GELU_AUTOGRAD, "cached_cast(at::kFloat, x, kernel_device)", "x", DISPATCHER + "autocast_computes_in_float32"),
    Mutant(GELU_AUTOGRAD, "    m.impl(\"bias_gelu\", at::autocast::get_autocast_dispatch_key_from_device_type(kernel_device), "
           "TORCH_FN(autocast));\n", "", DISPATCHER + "autocast_computes_in_float32",
           why="autograd saves what the inner operator's autocast has not converted yet"),
    Mutant(GELU_PY, "    if info.batch_size == 0:", "    if False:", DISPATCHER + "vmap"),
    Mutant(GELU_PY, "x.movedim(x_dim, 0).contiguous(), bias", "x.movedim(x_dim, 0), bias", DISPATCHER + "vmap"),
]  # fmt: skip
