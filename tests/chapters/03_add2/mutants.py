"""Small breakages of chapter 03, and the tests that must fail because of each."""

from tools.maintain.mutants import Mutant

OPERATORS = "tests/chapters/test_operators.py::test_"
GPU = "tests/chapters/test_operators_gpu.py::test_"
SIDE = GPU + "a_side_stream_needs_no_synchronize"
REUSED = GPU + "the_memory_of_inputs_may_be_reused_when_the_stream_has_got_there"
SECOND = GPU + "the_second_gpu_while_the_first_is_current"
GRAPH = GPU + "a_graph_replayed_with_new_data"
LARGE = GPU + "more_than_2_to_the_31_elements"
CU, CPP = "chapters/03_add2/add2.cu", "chapters/03_add2/add2.cpp"
STREAM = "c10::cuda::getCurrentCUDAStream()"
KEPT = "[] { static const auto first = c10::cuda::getCurrentCUDAStream(); return first; }()"

MUTANTS = [
    # ---- the model of all bindings
    Mutant(CU, "threadIdx.x; i < n; i += stride", "threadIdx.x; i < n - 1; i += stride",
           OPERATORS + "right_at_awkward_sizes[forward-03_add2.add2]"),
    Mutant(CU, "int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i",
           "int64_t(blockIdx.x) * blockDim.x + threadIdx.x + 1; i",
           OPERATORS + "right_at_awkward_sizes[forward-03_add2.add2]"),
    Mutant(CPP, "0 <= n && n <= c.numel()", "n <= c.numel()",
           OPERATORS + "scalars[03_add2.torch_launch_add2-n]"),
    Mutant(CPP, "input : {a, b})", "input : {a})",
           OPERATORS + "the_output_may_be_an_input_but_not_a_part_of_one[03_add2.torch_launch_add2]"),
    Mutant(CPP, "    c.unsafeGetTensorImpl()->bump_version();", "    ",
           OPERATORS + "autograd_learns_that_the_output_was_overwritten[03_add2.torch_launch_add2]"),
    Mutant(CPP, 'py::arg("n").noconvert()', 'py::arg("n")', OPERATORS + "scalars[03_add2.torch_launch_add2-n]"),
    Mutant(CPP, f"{STREAM});  // torch's current stream", "nullptr);  // torch's current stream",
           [test + "[03_add2.add2]" for test in (SIDE, REUSED, GRAPH, SECOND)], gpus=2),
    Mutant(CPP, f"{STREAM});  // torch's current stream", f"{KEPT});  // torch's current stream",
           [test + "[03_add2.add2]" for test in (SIDE, REUSED)], gpus=1,
           why="the stream of the first call, kept for all others"),
    # ---- a wait inside an operator: a graph cannot have one
    Mutant(CU, "    CHECK_LAUNCH();", "    CHECK_LAUNCH();\n    CHECK_CUDA(cudaStreamSynchronize(stream));",
           [GRAPH + "[03_add2.add2]"], gpus=1),
    # ---- what the lesson opens with
    Mutant("chapters/03_add2/streams.py", ".replace(RIGHT, WRONG)", "",
           "tests/chapters/03_add2/test_add2.py::test_check_refuses_the_launch_without_a_stream"),
    # ---- 32 bits for a number of elements
    Mutant(CU, "const float* b, int64_t n) {\n    const int64_t stride",
           "const float* b, int n) {\n    const int64_t stride", [LARGE + "[03_add2.add2]"], gpus=1),
]  # fmt: skip
