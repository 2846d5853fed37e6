"""Small breakages that only GPUs can judge: guards, streams, graphs, 64-bit sizes, the GIL during a wait."""

from tools.maintain.mutants import Mutant

T = "tests/chapters/test_operators_gpu.py::test_"
SIDE, REUSED = (
    T + "a_side_stream_needs_no_synchronize",
    T + "the_memory_of_inputs_may_be_reused_when_the_stream_has_got_there",
)
SECOND = T + "the_second_gpu_while_the_first_is_current"
GRAPH, TRAINING = T + "a_graph_replayed_with_new_data", T + "a_graph_of_forward_and_backward"
LARGE = T + "more_than_2_to_the_31_elements"

ADD2, ADD2_CPP = "chapters/03_add2/add2.cu", "chapters/03_add2/add2.cpp"
SQUARE_CPP = "chapters/02_square/square.cpp"
AXPY_CPP = "chapters/05_cmake/axpy.cpp"
VEC4, VEC4_CPP = "chapters/06_vec4/vec4.cu", "chapters/06_vec4/vec4.cpp"
SWIGLU, SWIGLU_CPP = "chapters/07_autograd/swiglu.cu", "chapters/07_autograd/swiglu.cpp"
IMAGE, IMAGE_CPP = "chapters/08_image/image.cu", "chapters/08_image/image.cpp"
GELU_CPP = "chapters/09_library/bias_gelu.cpp"

GUARD = "const c10::cuda::CUDAGuard guard"
STREAM = "c10::cuda::getCurrentCUDAStream()"
KEPT = "[] { static const auto first = c10::cuda::getCurrentCUDAStream(); return first; }()"


def of(operator, *tests):
    return [f"{test}[{operator}]" for test in tests]


MUTANTS = [
    # ---- 09: the guard and the stream of a registered operator
    Mutant(GELU_CPP, f"    {GUARD}(x.device());\n    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), \"bias_gelu\",",
           "    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), \"bias_gelu\",", of("09_library.bias_gelu", SECOND), gpus=2),
    Mutant(GELU_CPP, f"x.size(-1),\n                         approximate == \"tanh\", {STREAM}",
           "x.size(-1),\n                         approximate == \"tanh\", nullptr",
           [*of("09_library.bias_gelu", SIDE),
            "tests/chapters/09_library/test_dispatcher.py::test_a_cuda_graph_under_reduce_overhead"], gpus=1),
    # ---- no guard: the kernel runs on the current GPU, not on that of its tensors
    Mutant(SQUARE_CPP, f"    {GUARD}(matrix.device());\n", "", of("02_square.square_matrix", SECOND), gpus=2),
    Mutant(ADD2_CPP, f"    {GUARD}(a.device());", "    ", of("03_add2.add2", SECOND), gpus=2),
    Mutant(ADD2_CPP, f"    {GUARD}(c.device());\n", "", of("03_add2.torch_launch_add2", SECOND), gpus=2,
           why="writes to an argument"),
    Mutant(AXPY_CPP, f"    {GUARD}(x.device());\n", "", of("05_cmake.axpy", SECOND), gpus=2),
    Mutant(VEC4_CPP, f"    {GUARD}(a.device());\n", "",
           of("06_vec4.add_vec4", SECOND) + of("06_vec4.add_forward out", SECOND), gpus=2),
    Mutant(SWIGLU_CPP, f"    {GUARD}(a.device());\n    at::Tensor out", "    at::Tensor out",
           of("07_autograd.swiglu_forward", SECOND) + of("07_autograd.swiglu", SECOND), gpus=2),
    Mutant(SWIGLU_CPP, f"    {GUARD}(a.device());\n    at::Tensor grad_a", "    at::Tensor grad_a",
           of("07_autograd.swiglu_backward", SECOND), gpus=2),
    Mutant(IMAGE_CPP, f"    {GUARD}(volume.device());\n", "", of("08_image.normalize_volume", SECOND), gpus=2),
    Mutant(VEC4_CPP, f"""    {GUARD}(a.device());
    if (!c.defined()) c = at::empty(a.sizes(), a.options());
    launch(c.mutable_data_ptr<float>(), a.const_data_ptr<float>(), b.const_data_ptr<float>(), a.numel(),
           {STREAM});""", f"""    const cudaStream_t stream = {STREAM};
    {GUARD}(a.device());
    if (!c.defined()) c = at::empty(a.sizes(), a.options());
    launch(c.mutable_data_ptr<float>(), a.const_data_ptr<float>(), b.const_data_ptr<float>(), a.numel(), stream);""",
           of("06_vec4.add_scalar", SECOND), gpus=2, why="asks for the stream before the guard: that of the other GPU"),
    # ---- another stream than the current one
    Mutant(SQUARE_CPP, f"a.numel(),\n               {STREAM}", "a.numel(),\n               nullptr",
           of("02_square.add_cuda", SIDE, REUSED), gpus=1),
    Mutant(ADD2_CPP, f"{STREAM});  // torch's current stream", "nullptr);  // torch's current stream",
           of("03_add2.add2", SIDE, REUSED, GRAPH, SECOND), gpus=2),
    Mutant(ADD2_CPP, f"{STREAM});  // torch's current stream", f"{KEPT});  // torch's current stream",
           of("03_add2.add2", SIDE, REUSED), gpus=1, why="the stream of the first call, kept for all others"),
    Mutant(VEC4_CPP, STREAM, "nullptr", of("06_vec4.add_forward", SIDE, REUSED) + of("06_vec4.add_forward out", SIDE),
           gpus=1),
    Mutant(SWIGLU_CPP, f"b->const_data_ptr<scalar_t>() : nullptr, a.numel(),\n"
           f"                                         {STREAM}",
           "b->const_data_ptr<scalar_t>() : nullptr, a.numel(),\n                                         nullptr",
           of("07_autograd.swiglu_backward", SIDE, REUSED) + of("07_autograd.swiglu", TRAINING), gpus=1),
    Mutant(IMAGE_CPP, f"images, bgr, {STREAM}", "images, bgr, nullptr", of("08_image.rgb_to_gray", SIDE, REUSED), gpus=1),
    Mutant(VEC4, "std::min(blocks_for(n, threads), resident), threads, 0, stream>>>",
           "std::min(blocks_for(n, threads), resident), threads>>>", of("06_vec4.add_grid_stride", SIDE, REUSED), gpus=1),
    # ---- a wait inside an operator: a graph cannot have one
    Mutant(ADD2, "    CHECK_LAUNCH();", "    CHECK_LAUNCH();\n    CHECK_CUDA(cudaStreamSynchronize(stream));",
           of("03_add2.add2", GRAPH), gpus=1),
    # ---- 32 bits for a number of elements
    Mutant(ADD2, "const float* b, int64_t n) {\n    const int64_t stride",
           "const float* b, int n) {\n    const int64_t stride",
           of("03_add2.add2", LARGE), gpus=1),
    Mutant(SWIGLU, "void swiglu_forward_kernel(T* out, const T* a, const T* b, int64_t n)",
           "void swiglu_forward_kernel(T* out, const T* a, const T* b, int n)",
           of("07_autograd.swiglu_forward", LARGE), gpus=1),
    Mutant(IMAGE, "normalizeVolumeKernel(float* out, const uint16_t* volume, int64_t n,",
           "normalizeVolumeKernel(float* out, const uint16_t* volume, int n,",
           of("08_image.normalize_volume_naive", LARGE), gpus=1),
    # ---- Python's lock during a wait for the GPU
    Mutant("chapters/01_hello/hello.cpp", "    const pybind11::gil_scoped_release no_gil;", "    ",
           T + "other_threads_run_while_one_waits_for_the_gpu", gpus=1),
]  # fmt: skip
