"""Small breakages of chapter 13, and the tests that must fail because of each."""

from mutants import Mutant

T = "tests/chapters/test_13_softmax.py::test_"
LAUNCH = "tests/chapters/test_chapters.py::test_every_launch_is_on_the_given_stream_and_checked[13_softmax]"
ROW, PREFETCH, GROUPS, LAUNCH_H = (f"chapters/13_softmax/{name}.h" for name in ("row", "prefetch", "groups", "launch"))
CPP, PY = (f"chapters/13_softmax/{name}" for name in ("softmax.cpp", "gradients.py"))
SOFTMAX, RMS = "chapters/13_softmax/softmax.cu", "chapters/13_softmax/rms_norm.cu"
EXACT = T + "infinities_and_nan"
SMOKE = T + "a_step_refuses_rows_that_it_cannot_keep"


def forward(step, dtype="float32"):
    return f"{T}softmax[forward-{step}-{dtype}]"


def others(step):
    return f"{T}the_other_operators[forward-{step}-float32]"


MUTANTS = [
    # ---- a thread's part of a row
    Mutant(ROW, "size>*>(row + (begin < n ? begin : 0))", "size>*>(row)", forward("warp")),
    Mutant(ROW, "= begin < n ? float(packs[k].values[j]) : none;", "= float(packs[k].values[j]);", forward("block")),
    Mutant(ROW, "if (begin < n) *reinterpret_cast<Pack<T, size>*>(row + begin) = pack;",
           "if (begin + size < n) *reinterpret_cast<Pack<T, size>*>(row + begin) = pack;", forward("warp")),
    Mutant(ROW, "return {row < rows ? row * n : 0, row < rows ? int(n) : 0};", "return {row * n, int(n)};",
           "tests/chapters/test_operators.py::test_right_at_awkward_sizes[forward-13_softmax.softmax]"),
    # ---- the next row on its way
    Mutant(PREFETCH, "sizeof(Pack<T>), begin < n ? 0 : sizeof(Pack<T>));", "sizeof(Pack<T>), 0);", others("cluster")),
    Mutant(PREFETCH, "        first = reinterpret_cast<Pack<T>*>(buffers) + array * (elements / SIZE) * threads +",
           "        first = reinterpret_cast<Pack<T>*>(buffers) +", others("cluster")),
    Mutant(PREFETCH, "there = none == 0 || (group", "there = true || (group", forward("cluster")),
    Mutant(PREFETCH, "__pipeline_wait_prior(arrays - 1);", "__pipeline_wait_prior(arrays);", others("cluster")),
    Mutant(PREFETCH, "        fetch(first + group.rows_at_a_time(), group);\n", "", T + "many_rows"),
    Mutant(RMS, "Buffer<T, elements>(arrays).fetch(", "Buffer<T, elements>(0).fetch(", others("cluster")),
    # ---- what a warp, a block and a cluster combine
    Mutant(GROUPS, "for (int apart = lanes / 2; apart > 0; apart /= 2) value = fmaxf",
           "for (int apart = lanes / 4; apart > 0; apart /= 2) value = fmaxf", T + "large_logits[float32]"),
    Mutant(GROUPS, "for (int apart = lanes / 2; apart > 0; apart /= 2) value +=",
           "for (int apart = lanes / 2; apart > 1; apart /= 2) value +=", forward("warp")),
    Mutant(GROUPS, "sum += parts[i].sum * expf(parts[i].max - max)", "sum += parts[i].sum", forward("block")),
    Mutant(GROUPS, "        __syncthreads();  // all parts are written\n", "", forward("block")),
    Mutant(GROUPS, "        __syncthreads();  // all warps have read them: the next call may overwrite them\n", "",
           T + "many_rows"),
    Mutant(GROUPS, "[block() * warps + warp] = mine;", "[warp] = mine;", forward("cluster")),
    Mutant(GROUPS, "        __cluster_barrier_arrive();\n        __cluster_barrier_wait();  // all parts are written\n", "",
           forward("cluster")),
    Mutant(GROUPS, "const Part all = combined(parts, blocks() * warps);", "const Part all = combined(parts, warps);",
           forward("cluster")),
    # ---- the choice
    Mutant(LAUNCH_H, "return int64_t(step == Step::cluster ? MOST_BLOCKS : 1) * threads * elements;",
           "return INT64_MAX;", SMOKE),
    Mutant(LAUNCH_H, "(whole || !kernel.whole) && ", "", forward("auto")),
    Mutant(LAUNCH_H, "if (n <= kernel.longest() && ", "if (n <= 2 * kernel.longest() && ", forward("auto")),
    Mutant(LAUNCH_H, "            while (lanes < threads) lanes *= 2;\n", "            lanes = unsigned(threads);\n",
           forward("warp")),
    Mutant(LAUNCH_H, "config.blockDim = unsigned(of_block + 31) / 32 * 32;", "config.blockDim = unsigned(of_block);",
           forward("block")),
    Mutant(LAUNCH_H, "        config.stream = stream;\n", "",
           "tests/chapters/test_operators_gpu.py::test_a_side_stream_needs_no_synchronize[13_softmax.softmax]", gpus=1),
    # ---- softmax
    Mutant(SOFTMAX, "    CHECK_CUDA(cudaFuncSetAttribute(shared_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, "
           "int(bytes)));\n", "", forward("shared")),
    Mutant(SOFTMAX, "if (bytes > most - parts)", "if (bytes < 0)", SMOKE),
    Mutant(SOFTMAX, "THREADS, bytes, stream>>>(out, x, n);\n    CHECK_LAUNCH();", "THREADS, bytes, stream>>>(out, x, n);",
           LAUNCH),
    Mutant(SOFTMAX, "        sum *= expf(before - max);  // a larger maximum makes the sum so far smaller\n", "",
           forward("online")),
    Mutant(SOFTMAX, "warp_sum(sum * expf(max - of_warp))", "warp_sum(sum)", forward("online")),
    Mutant(SOFTMAX, "expf(max - all.max) / all.sum;", "1 / all.sum;", forward("block")),
    Mutant(SOFTMAX, "x_rows.load(values, first, group, -INFINITY);", "x_rows.load(values, first, group, 0);", forward("warp")),
    Mutant(SOFTMAX, "const bool whole = n % size == 0 && aligned(out) && aligned(x);", "const bool whole = n % size == 0;",
           T + "an_argument_that_begins_anywhere", gpus=1),
    Mutant(SOFTMAX, "g[i] = values[i] * (g[i] - sum);", "g[i] = values[i] * g[i] - sum;", others("warp")),
    Mutant(SOFTMAX, "g[k] = values[k] * (g[k] - sum);", "g[k] = values[k] * g[k];", others("online")),
    Mutant(SOFTMAX, "float values[Rows::ELEMENTS], max = -FLT_MAX,", "float values[Rows::ELEMENTS], max = -INFINITY,",
           EXACT),
    # ---- RMS norm
    Mutant(RMS, "squares / float(n) + eps);\n        UNROLL", "squares / float(n));\n        UNROLL",
           "tests/chapters/test_operators.py::test_scalars[13_softmax.rms_norm-eps]"),
    Mutant(RMS, "        if (row.n == 0) continue;  // no row: its scale would be infinite where eps is 0\n", "",
           "tests/chapters/test_operators.py::test_scalars[13_softmax.rms_norm_backward-eps]"),
    Mutant(RMS, "            sums[i] += g[i] * values[i] * scale;\n", "            sums[i] = g[i] * values[i] * scale;\n",
           T + "many_rows"),
    Mutant(RMS, "for (int half = int(blockDim.y) / 2; half > 0; half /= 2) {\n        __syncthreads();",
           "for (int half = int(blockDim.y) / 2; half > 0; half /= 2) {", T + "many_rows"),
    Mutant(RMS, "(row >= block.rows_at_a_time() ? sums[k] : 0) + ", "", T + "many_rows"),
    Mutant(RMS, "shift = scale * scale * (all.y / float(n));\n        UNROLL", "shift = scale * (all.y / float(n));\n"
           "        UNROLL", others("warp")),
    # ---- checks and gradients
    Mutant(CPP, "weight.dim() == 1 && weight.size(0) == columns_of(x)", "weight.dim() == 1",
           T + "refused_with_memory_and_without"),
    Mutant(CPP, '    check_same(grad, "grad", y, "y");\n', "", T + "refused_with_memory_and_without"),
    Mutant(CPP, "eps >= 0 && std::isfinite(float(eps))", "eps >= 0",
           "tests/chapters/test_operators.py::test_scalars[13_softmax.rms_norm-eps]"),
    Mutant(CPP, "step != Step::three_passes && step != Step::shared,", "true,",
           "tests/chapters/test_operators.py::test_scalars[13_softmax.rms_norm-step]"),
    Mutant(PY, "ops.softmax_backward(grad.contiguous(),", "ops.softmax_backward(grad,", T + "an_expanded_gradient"),
    Mutant(PY, "return y * (grad - sum_y), grad * (g - sum_gy) - g * sum_y", "return y * (grad - sum_y), grad * (g - sum_gy)",
           T + "gradients[softmax_backward]"),
    Mutant(PY, "torch._check(x.is_contiguous(), lambda", "torch._check(True, lambda", T + "refused_with_memory_and_without"),
]  # fmt: skip
