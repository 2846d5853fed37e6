"""Small breakages of chapter 12, and the tests that must fail because of each."""

from tools.maintain.mutants import Mutant

T = "tests/chapters/12_reduce/test_reduce.py::test_"
GPU = "tests/chapters/test_operators_gpu.py::test_"
CU, CPP, COUNT, MAIN = (f"chapters/12_reduce/{name}" for name in ("reduce.cu", "reduce.cpp", "histogram.cu", "main.py"))
EXACT, GRIDS, ORDER = (
    T + "each_step_adds_each_element_once",
    T + "every_grid_and_every_alignment",
    (T + "deterministic_adds_in_the_documented_order"),
)
HISTOGRAM = T + "histogram"
ONLY_SAVES_A_LAUNCH = ["launch_histogram_shared", "launch_sum_last_block"]  # of one block, which adds nothing
MEMORY = "tests/cuda_on_cpu/test_memory_check.py::test_no_false_alarm_in_a_lesson[12_reduce]"

MUTANTS = [
    # ---- the steps
    Mutant(CU, "CHECK_CUDA(cudaMemsetAsync(total, 0, sizeof *total, stream));", "", EXACT),
    Mutant(CU, "if (i < n) atomicAdd(total, number(x[i]));", "if (i < n) *total = *total + number(x[i]) * (i > 0);", EXACT),
    Mutant(CU, "for (int half = THREADS / 2; half > 0; half /= 2) {", "for (int half = THREADS / 2; half > 1; half /= 2) {",
           EXACT),
    Mutant(CU, "        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];\n        __syncthreads();",
           "        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];", EXACT),
    Mutant(CU, "for (int distance = 16;", "for (int distance = 8;", EXACT),
    Mutant(CU, "    __syncthreads();  // all sums are written\n", "", EXACT),
    Mutant(CU, "    __syncthreads();  // warp 0 has read them: the next call may write\n", "", ORDER),
    Mutant(CU, "warp_sum(lane < warps ? sums[lane] : 0)", "warp_sum(sums[lane])", EXACT),
    Mutant(CU, "Number<T> sum = i < tail ? number(x[whole * P::SIZE + i]) : 0;", "Number<T> sum = 0;", EXACT),
    Mutant(CU, "P loaded[LOADS] = {};", "P loaded[LOADS];", EXACT),
    Mutant(CU, "aligned(x) ? sum_chunks_kernel<Pack<T>, T> : sum_chunks_kernel<LoosePack<T>, T>",
           "sum_chunks_kernel<Pack<T>, T>", GRIDS, gpus=1),
    Mutant(CU, "last = atomicAdd(ticket, 1u) == gridDim.x - 1;", "last = atomicAdd(ticket, 1u) == 0;", GRIDS),
    Mutant(CU, "        __threadfence();  // no block sees", "        // no block sees", MEMORY),
    Mutant(CU, "        __threadfence();  // and only then", "        // and only then", MEMORY),
    Mutant(CU, "if (blocks > 1) CHECK_CUDA", "if (blocks > 1000) CHECK_CUDA", GRIDS),
    Mutant(CU, "constexpr int64_t CHUNK = PACK_THREADS * LOADS * Pack<T>::SIZE;", "constexpr int64_t CHUNK = 8192;", ORDER),
    Mutant(CU, "sum += of_pack;", "for (const T value : loaded[k].values) sum += number(value);", ORDER),
    Mutant(CU, "std::max(chunks_of<T>(n), of_grid) * int64_t(sizeof(Number<T>))", "int64_t(sizeof(Number<T>))",
           "tests/chapters/test_operators.py::test_right_at_awkward_sizes[forward-12_reduce.sum]"),
    # ---- in which type the kernels add
    Mutant(CU, "of_pack += number(value);", "of_pack += float(number(value));", T + "double_accumulates_in_double"),
    Mutant(CU, "__global__ void sum_tree_kernel(Number<T>* total, const T* x, int64_t n) {\n    __shared__ Number<T> sums",
           "__global__ void sum_tree_kernel(Number<T>* total, const T* x, int64_t n) {\n    __shared__ float sums",
           T + "double_accumulates_in_double"),
    Mutant(CU, "    __shared__ N sums[32];", "    __shared__ float sums[32];", T + "double_accumulates_in_double"),
    Mutant(CU, "std::max(chunks_of<T>(n), of_grid) * int64_t(sizeof(Number<T>))",
           "std::max(chunks_of<T>(n), of_grid) * int64_t(sizeof(float))",
           T + "partial_sums_have_room"),
    Mutant(CU, "of_pack += number(value);", "of_pack = number(T(of_pack + number(value)));",
           T + "half_precision_accumulates_in_float"),
    Mutant(CU, "sum += of_pack;", "sum = number(T(sum + of_pack));", T + "half_precision_accumulates_in_float"),
    # ---- the binding
    Mutant(CPP, "const Tensor memory = torch::stable::new_empty(x, {bytes}, ScalarType::Byte);",
           "static const Tensor memory = torch::stable::new_empty(x, {1 << 22}, ScalarType::Byte);",
           [f"{GPU}8_threads_at_once[12_reduce.sum]", T + "no_two_calls_share_memory"], why="one memory for all calls"),
    Mutant(CPP, "const Tensor memory = torch::stable::new_empty(x, {bytes}, ScalarType::Byte);",
           "static const Tensor memory = torch::stable::new_empty(x, {1 << 22}, ScalarType::Byte);",
           f"{GPU}4_streams_at_once[12_reduce.sum]", gpus=1),
    Mutant(CPP, 'deterministic ? "chunks" : "last_block"', '"last_block"', ORDER),
    Mutant(CPP, 'bins <= shared_bins() ? "copies" : "global"', '"copies"', HISTOGRAM + "_of_few_and_of_many_values"),
    Mutant(CPP, 'step == "global" || bins <= shared_bins();', "true;",
           T + "more_bins_than_shared_memory_has_are_refused_by_name"),
    # ---- what Python adds
    Mutant(MAIN, "return grad.expand(ctx.shape), *", "return grad * torch.ones(ctx.shape), *", T + "gradient"),
    Mutant(MAIN, "return x.new_empty(bins, dtype=torch.int64)", "return x.new_empty(bins)",
           "tests/chapters/test_registered.py::test_opcheck[12_reduce.histogram]"),
    *(Mutant(MAIN, f"torch._check({text}", "torch._check(True", T + "refused_with_memory_and_without") for text in (
        "x.dtype in dtypes", "x.is_contiguous()", "step in LADDER", "0 <= blocks <= 2**16", "1 <= bins < 2**31",
        'step in ("global", "shared", "copies")')),
    # ---- histogram
    Mutant(COUNT, "if (i < n && unsigned(x[i]) < bins)", "if (i < n && int(x[i]) < int(bins) && x[i] + 1 > 1)", HISTOGRAM),
    Mutant(COUNT, "if (unsigned(value) < bins) atomicAdd(&mine", "if (unsigned(value) + 1 < bins) atomicAdd(&mine", HISTOGRAM),
    Mutant(COUNT, "counted[i] = 0;\n    __syncthreads();", "counted[i] = 0;", HISTOGRAM),
    Mutant(COUNT, "    for (int i = threadIdx.x; i < int(bins) * copies; i += THREADS) counted[i] = 0;\n", "", HISTOGRAM),
    Mutant(COUNT, "    if (first < n % P::SIZE) count(x[whole * P::SIZE + first]);\n", "", HISTOGRAM),
    Mutant(COUNT, "(k + bin) % copies]", "k * bin % copies]", HISTOGRAM),
    Mutant(COUNT, "allow_shared_memory(kernel);",
           "CHECK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)));",
           f"{GPU}4_threads_with_4_sizes_at_once[12_reduce.histogram]", gpus=1, why="the limit of this launch"),
    Mutant(COUNT, "allow_shared_memory(kernel);",
           "CHECK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)));",
           "tests/chapters/test_chapters.py::test_no_launch_lowers_the_limit_of_shared_memory[12_reduce]"),
    Mutant(COUNT, "if (bytes > 48 * 1024) allow", "if (bytes > 1 << 20) allow", HISTOGRAM + "_of_few_and_of_many_values"),
]  # fmt: skip
