"""Small breakages of chapter 13, and the tests that must fail because of each."""

from mutants import Mutant

T = "tests/chapters/test_13_softmax.py::test_"
OPERATORS = "tests/chapters/test_operators.py::test_"
LAUNCH = "tests/chapters/test_chapters.py::test_every_launch_is_on_the_given_stream_and_checked[13_softmax]"
ROW, PIPELINE, GROUPS, LAUNCH_H = (f"chapters/13_softmax/{name}.h" for name in ("row", "pipeline", "groups", "launch"))
CPP, PY = (f"chapters/13_softmax/{name}" for name in ("softmax.cpp", "gradients.py"))
SOFTMAX, RMS = "chapters/13_softmax/softmax.cu", "chapters/13_softmax/rms_norm.cu"
EXACT = T + "infinities_and_nan"
SMOKE = T + "a_step_refuses_rows_that_it_cannot_keep"
MANY = T + "many_rows"


def forward(step, dtype="float32"):
    return f"{T}softmax[forward-{step}-{dtype}]"


def others(step):
    return f"{T}the_other_operators[forward-{step}-float32]"


MUTANTS = [
    # ---- a thread's part of a row
    Mutant(ROW, "j % 2 ? two & 0xffff0000 : two << 16", "two << 16", forward("warp", "bfloat16")),
    Mutant(ROW, "&pack.values[j / 2 * 2]", "&pack.values[0]", forward("warp", "bfloat16")),
    Mutant(ROW, "pack[k].values[j] = T(none);", "pack[k].values[j] = T(0);", forward("block")),
    Mutant(ROW, "if (begin(k, group) < end) pack[k] =", "pack[k] =", forward("block")),
    Mutant(ROW, "if (begin(k, group) < end) *rein", "if (begin(k, group) + size < end) *rein", forward("warp")),
    Mutant(ROW, "Out(result(k * size + j))", "Out(result(j))", forward("warp")),
    Mutant(ROW, "(group.rank() + k * group.size()) * size", "(group.rank() + k) * size", forward("block")),
    Mutant(ROW, "{number < rows ? number * n : 0, number < rows ? n : 0}", "{number * n, n}",
           OPERATORS + "right_at_awkward_sizes[forward-13_softmax.softmax]"),
    # ---- rows on their way
    Mutant(PIPELINE, "value = T(none);", "value = T(0);", forward("cluster")),
    Mutant(PIPELINE, "for (int s = 0; s < STAGES; s++)", "for (int s = 0; s < STAGES - 1; s++)", MANY),
    Mutant(PIPELINE, "__pipeline_wait_prior(1);  // all", "__pipeline_wait_prior(2);  // all", forward("cluster")),
    Mutant(PIPELINE, "__pipeline_wait_prior(1);\n    }\n\nprivate", "__pipeline_wait_prior(2);\n    }\n\nprivate", MANY),
    Mutant(PIPELINE, "any() const { return reduced_row() < rows; }", "any() const { return row < rows; }", forward("cluster")),
    Mutant(PIPELINE, "has_arrived() const { return row < rows; }", "has_arrived() const { return true; }", MANY),
    Mutant(PIPELINE, "return reduced_row() >= 0;", "return reduced_row() > 0;", forward("cluster")),
    Mutant(PIPELINE, "fetch(row + 2 * cluster", "fetch(row + cluster", MANY),
    Mutant(PIPELINE, "rows_at_a_time(), before());", "rows_at_a_time(), stage);", MANY),
    Mutant(PIPELINE, "stage = stage == STAGES - 1 ?", "stage = stage == STAGES - 2 ?", MANY),
    Mutant(PIPELINE, "return values(before(), array);", "return values(stage, array);", forward("cluster")),
    Mutant(PIPELINE, "((stage * arrays + array) * packs + k)", "(stage * arrays * packs + k)", others("cluster")),
    Mutant(PIPELINE, "x[a] + row * n +", "x[0] + row * n +", others("cluster")),
    Mutant(PIPELINE, "if (Values::begin(k, cluster) < n) __pipe", "__pipe", forward("cluster")),
    Mutant(PIPELINE, "                from += cluster.size() * Pack<T>::SIZE;\n", "", forward("cluster")),
    # ---- what a warp, a block and a cluster combine
    Mutant(GROUPS, "for (int apart = lanes / 2; apart > 0; apart /= 2) value = fmaxf",
           "for (int apart = lanes / 4; apart > 0; apart /= 2) value = fmaxf", T + "large_logits[float32]"),
    Mutant(GROUPS, "for (int apart = lanes / 2; apart > 0; apart /= 2) value +=",
           "for (int apart = lanes / 2; apart > 1; apart /= 2) value +=", forward("warp")),
    Mutant(GROUPS, "warp_sum(part.sum * expf(part.max - max))", "warp_sum(part.sum)", forward("block")),
    Mutant(GROUPS, "lane < count ? parts[lane] : MaxSum{-FLT_MAX, 0}", "parts[lane]", T + "large_logits[float32]"),
    Mutant(GROUPS, "        __syncthreads();  // all parts are written\n", "", forward("block")),
    Mutant(GROUPS, "        __syncthreads();  // all warps have read them: the next call may overwrite them\n", "", MANY),
    Mutant(GROUPS, "int64_t(gridDim.x) * blockDim.y; }", "int64_t(gridDim.x); }", MANY),
    Mutant(GROUPS, "SLOTS = 4", "SLOTS = 1", MANY + "[forward-cluster-150-520]"),
    Mutant(GROUPS, "of_warps[sent % 2]", "of_warps[0]", MANY),
    Mutant(GROUPS, "__syncthreads();\n        if (threadIdx.x >= 32) return;", "if (threadIdx.x >= 32) return;",
           forward("cluster")),
    Mutant(GROUPS, "combined(of_row, threads / 32)", "combined(of_row, 1)", forward("cluster")),
    Mutant(GROUPS, "unsigned(blocks() * sizeof(Part))", "unsigned(sizeof(Part))", forward("cluster")),
    Mutant(GROUPS, "if (to < blocks())", "if (to < 1)", forward("cluster")),
    Mutant(GROUPS, "parts<Part>(slot) + block()", "parts<Part>(slot)", forward("cluster")),
    Mutant(GROUPS, "mine, in_block(to, barrier(slot))", "mine, barrier(slot)", forward("cluster")),
    Mutant(GROUPS, "slot = received % SLOTS,", "slot = 0,", MANY),
    Mutant(GROUPS, "parity = received / SLOTS % 2;", "parity = 0;", MANY),
    Mutant(GROUPS, "combined(parts<Part>(slot), blocks())", "combined(parts<Part>(slot), 1)", forward("cluster")),
    Mutant(GROUPS, "__cluster_barrier_arrive();\n        __cluster_barrier_wait();  // all blocks have started, and", "// and",
           forward("cluster")),
    Mutant(GROUPS, "block() * threads + int(threadIdx.x)", "int(threadIdx.x)", forward("cluster")),
    Mutant(GROUPS, "return int(gridDim.x) / blocks();", "return int(gridDim.x);", forward("cluster")),
    # ---- the choice and the launch
    Mutant(LAUNCH_H, "return int64_t(step == Step::cluster ? most_blocks() : 1) * threads * elements;",
           "return INT64_MAX;", SMOKE),
    Mutant(LAUNCH_H, "(whole || !kernel.whole) && ", "", forward("auto")),
    Mutant(LAUNCH_H, "n <= kernel.longest()) return", "n / 2 <= kernel.longest()) return", forward("auto")),
    Mutant(LAUNCH_H, "            while (lanes < threads) lanes *= 2;\n", "            lanes = unsigned(threads);\n",
           forward("warp")),
    Mutant(LAUNCH_H, "kernel.threads) + 31) / 32 * 32;", "kernel.threads));", forward("block")),
    Mutant(LAUNCH_H, "while (threads > int64_t(blocks) *", "while (threads > 2 * int64_t(blocks) *", forward("cluster")),
    Mutant(LAUNCH_H, "CHECK_CUDA(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));", "",
           forward("cluster")),
    Mutant(LAUNCH_H, "if (persistent) groups = std::min(groups, most_groups());", "groups = std::min(groups, most_groups());",
           MANY),
    Mutant(LAUNCH_H, "blocks_for(groups * blocks, 1)", "blocks_for(groups, 1)", forward("cluster")),
    Mutant(LAUNCH_H, "int64_t(config.gridDim.x) / cluster.val.clusterDim.x * config", "int64_t(config.gridDim.x) * config",
           others("cluster")),
    Mutant(LAUNCH_H, "clusterDim.x * config.blockDim.y; }", "clusterDim.x; }", others("warp")),
    Mutant(LAUNCH_H, "CHECK_CUDA(cudaLaunchKernelEx(&config, function, Parameters(arguments)...));",
           "cudaLaunchKernelEx(&config, function, Parameters(arguments)...);", LAUNCH),
    Mutant(LAUNCH_H, "        config.stream = stream;\n", "", LAUNCH),
    # ---- softmax
    Mutant(SOFTMAX, "    CHECK_CUDA(cudaFuncSetAttribute(shared_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, "
           "int(bytes)));\n", "", forward("shared")),
    Mutant(SOFTMAX, "if (bytes > most - parts)", "if (bytes < 0)", SMOKE),
    Mutant(SOFTMAX, "THREADS, bytes, stream>>>(out, x, n);\n    CHECK_LAUNCH();", "THREADS, bytes, stream>>>(out, x, n);",
           LAUNCH),
    Mutant(SOFTMAX, "1.442695041f", "1.4427f", T + "errors_beside_torchs[float32]"),
    Mutant(SOFTMAX, "max = -FLT_MAX, sum = 0;\n    UNROLL", "max = -INFINITY, sum = 0;\n    UNROLL", EXACT),
    Mutant(SOFTMAX, "    max = warp_max(max, lanes);\n", "", forward("warp")),
    Mutant(SOFTMAX, "power(x[i] - all.max) * scale", "power(x[i]) * scale", forward("block")),
    Mutant(SOFTMAX, "values.load(x + row.begin, row.n, group, -INFINITY);", "values.load(x + row.begin, row.n, group, 0);",
           forward("warp")),
    Mutant(SOFTMAX, "values.load(x + i, n - i, block, -INFINITY);", "values.load(x + i, n - i, block, 0);",
           forward("online")),
    Mutant(SOFTMAX, "MaxSum mine = {-FLT_MAX, 0};", "MaxSum mine = {-INFINITY, 0};", EXACT),
    Mutant(SOFTMAX, "        mine.sum *= expf(before - mine.max);  // a larger maximum makes the sum so far smaller\n", "",
           forward("online")),
    Mutant(SOFTMAX, "warp_sum(mine.sum * expf(mine.max - max))", "warp_sum(mine.sum)", forward("online")),
    Mutant(SOFTMAX, "const bool whole = n % size == 0 && aligned(out) && aligned(x);", "const bool whole = n % size == 0;",
           T + "an_argument_that_begins_anywhere", gpus=1),
    Mutant(SOFTMAX, "y[i] * (grad[i] - sum)", "y[i] * grad[i] - sum", others("warp")),
    Mutant(SOFTMAX, "        sum += product_sum(g, values);", "        sum = product_sum(g, values);", others("online")),
    Mutant(SOFTMAX, "product_sum(rows.arrived(0), rows.arrived(1))", "product_sum(rows.arrived(0), rows.arrived(0))",
           others("cluster")),
    # ---- RMS norm
    Mutant(RMS, "rsqrtf(squares * per_n + eps)", "rsqrtf(squares * per_n)", OPERATORS + "scalars[13_softmax.rms_norm-eps]"),
    Mutant(RMS, "x[i] * (scale * weight[i])", "x[i] * scale", others("warp")),
    Mutant(RMS, "squares += square_sum(values);", "squares = square_sum(values);", others("online")),
    Mutant(RMS, "sums.y += g[i] * w[i] * x[i]", "sums.y += g[i] * x[i]", others("warp")),
    Mutant(RMS, "scale * scale * scale * (sums.y", "scale * scale * (sums.y", others("warp")),
    Mutant(RMS, "of_weight[i] += g[i] * f.scale * x[i];", "of_weight[i] = g[i] * f.scale * x[i];", MANY),
    Mutant(RMS, "g[i] * f.scale * w[i] - f.shift", "g[i] * f.scale * w[i] + f.shift", others("warp")),
    Mutant(RMS, "number - threadIdx.y < rows", "number < rows", others("warp")),
    Mutant(RMS, "        if (row.n == 0) continue;  // no row: its scale would be infinite where eps is 0\n", "",
           OPERATORS + "scalars[13_softmax.rms_norm_backward-eps]"),
    Mutant(RMS, "is_first ? 0 : before[k]", "0", MANY),
    Mutant(RMS, "    partial += block.row() * n;\n", "", others("online")),
    Mutant(RMS, "partial + cluster.row() * n", "partial", others("cluster")),
    Mutant(RMS, "for (int half = int(blockDim.y) / 2; half > 0; half /= 2) {\n        __syncthreads();",
           "for (int half = int(blockDim.y) / 2; half > 0; half /= 2) {", MANY),
    Mutant(RMS, "partial, launch.rows_at_a_time(), n", "partial, rows, n", MANY),
    Mutant(RMS, "if (rows > 0) launch(", "launch(", MANY),
    Mutant(RMS, "for (const bool whole : {false, true})", "for (const bool whole : {true})", others("warp")),
    Mutant(RMS, "if (!whole && (step == Step::block || step == Step::cluster)) continue;", "", others("block")),
    # ---- checks and gradients
    Mutant(CPP, "weight.dim() == 1 && weight.size(0) == columns_of(x)", "weight.dim() == 1",
           T + "refused_with_memory_and_without"),
    Mutant(CPP, '    check_same(grad, "grad", y, "y");\n', "", T + "refused_with_memory_and_without"),
    Mutant(CPP, "eps >= 0 && std::isfinite(float(eps))", "eps >= 0",
           OPERATORS + "scalars[13_softmax.rms_norm-eps]"),
    Mutant(CPP, "step != Step::three_passes && step != Step::shared,", "true,",
           OPERATORS + "scalars[13_softmax.rms_norm-step]"),
    Mutant(PY, "ops.softmax_backward(grad.contiguous(),", "ops.softmax_backward(grad,", T + "an_expanded_gradient"),
    Mutant(PY, "return y * (grad - sum_y), grad * (g - sum_gy) - g * sum_y", "return y * (grad - sum_y), grad * (g - sum_gy)",
           T + "gradients[softmax_backward]"),
    Mutant(PY, "torch._check(x.is_contiguous(), lambda", "torch._check(True, lambda", T + "refused_with_memory_and_without"),
]  # fmt: skip
