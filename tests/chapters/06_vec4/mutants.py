"""Small breakages of chapter 06, and the tests that must fail because of each."""

from tools.maintain.mutants import Mutant

T = "tests/chapters/06_vec4/test_vec4.py::test_"
OPERATORS = "tests/chapters/test_operators.py::test_"
GPU = "tests/chapters/test_operators_gpu.py::test_"
SIDE = GPU + "a_side_stream_needs_no_synchronize"
REUSED = GPU + "the_memory_of_inputs_may_be_reused_when_the_stream_has_got_there"
SECOND = GPU + "the_second_gpu_while_the_first_is_current"
CU, CPP = "chapters/06_vec4/vec4.cu", "chapters/06_vec4/vec4.cpp"
ALIGNMENT = T + "add_forward_is_right_at_every_alignment"
STREAM = "c10::cuda::getCurrentCUDAStream()"
GUARD = "const c10::cuda::CUDAGuard guard"
ONLY_SAVES_A_LAUNCH = ["launch_add_forward"]  # of one block, which goes on to its ends

MUTANTS = [
    # ---- a thread's share, tail, head, alignment
    Mutant(CU, "const int64_t i = first + k * int(blockDim.x);\n        if (i < n) c[i]",
           "const int64_t i = first + k;\n        if (i < n) c[i]",
           OPERATORS + "right_at_awkward_sizes[forward-06_vec4.add_unrolled]"),
    Mutant(CU, "blocks_for(n, threads * loads)", "blocks_for(n - 1, threads * loads)", T + "every_number_of_loads"),
    Mutant(CU, "&blocks, kernel, threads, reserved", "&blocks, kernel, threads, 0",
           T + "reserved_shared_memory_leaves_room_for_fewer_blocks"),
    Mutant(CU, "reserved > 0 ? allow_shared_memory(kernel) : 0", "most_shared_memory()",
           T + "reserved_shared_memory_leaves_room_for_fewer_blocks"),
    Mutant(CU, "if (i < n4) c[i]", "if (i <= n4) c[i]", OPERATORS + "right_at_awkward_sizes[forward-06_vec4.add_vec4]"),
    Mutant(CU, "if (i < n) c[i] = a[i] + b[i];", "if (i < n - 1) c[i] = a[i] + b[i];",
           OPERATORS + "right_at_awkward_sizes[forward-06_vec4.add_scalar]"),
    Mutant(CU, "i < n; i += stride) c[i] = a[i] + b[i];", "i < n; i += 2 * stride) c[i] = a[i] + b[i];",
           OPERATORS + "right_at_awkward_sizes[forward-06_vec4.add_grid_stride]"),
    Mutant(CU, "if (first < head) c[first]", "if (first < head - 1) c[first]", ALIGNMENT),
    Mutant(CU, "n - (n - head) % SIZE + first", "n - n % SIZE + first", ALIGNMENT),
    Mutant(CU, "if (tail < n) c[tail]", "if (tail < n - 1) c[tail]", ALIGNMENT),
    Mutant(CU, "if (i + SIZE <= n) store16", "if (i + SIZE < n) store16", ALIGNMENT),
    Mutant(CU, "T(Number<T>(x) + Number<T>(y))", "T(float(x) + float(y))",
           OPERATORS + "right_at_awkward_sizes[forward-06_vec4.add_forward float64]"),
    Mutant(CPP, '    check_float4(b, "b");\n', "", T + "float4_refuses_a_misaligned_address[b-1-add_vec4]"),
    Mutant(CPP, "at::MemOverlapStatus::Partial", "at::MemOverlapStatus::Full",
           OPERATORS + "the_output_may_be_an_input_but_not_a_part_of_one[06_vec4.add_forward out]"),
    Mutant(CPP, "out->unsafeGetTensorImpl()->bump_version();", "",
           OPERATORS + "autograd_learns_that_the_output_was_overwritten[06_vec4.add_forward out]"),
    Mutant(CPP, f"""    {GUARD}(a.device());
    if (!c.defined()) c = a.new_empty(a.sizes());
    launch(data<T>(c), data<const T>(a), data<const T>(b), a.numel(), {STREAM});""",
           f"""    const cudaStream_t stream = {STREAM};
    {GUARD}(a.device());
    if (!c.defined()) c = a.new_empty(a.sizes());
    launch(data<T>(c), data<const T>(a), data<const T>(b), a.numel(), stream);""",
           [SECOND + "[06_vec4.add_scalar]"], gpus=2,
           why="asks for the stream before the guard: that of the other GPU"),
    Mutant(CPP, STREAM, "nullptr",
           [SIDE + "[06_vec4.add_forward]", REUSED + "[06_vec4.add_forward]", SIDE + "[06_vec4.add_forward out]"], gpus=1),
    Mutant(CU, "std::min(blocks_for(n, threads), resident), threads, 0, stream>>>",
           "std::min(blocks_for(n, threads), resident), threads>>>",
           [test + "[06_vec4.add_grid_stride]" for test in (SIDE, REUSED)], gpus=1),
]  # fmt: skip
