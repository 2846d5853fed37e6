"""Small breakages of chapter 13, and the tests that must fail because of each."""

from tools.maintain.mutants import Mutant

T = "tests/chapters/13_softmax/test_softmax.py::test_"
OPERATORS = "tests/chapters/test_operators.py::test_"
DERIVATIVES = "tests/chapters/test_registered.py::test_first_and_second_derivatives"
LAUNCH = "tests/chapters/test_chapters.py::test_every_launch_is_on_the_given_stream_and_checked[13_softmax]"
ROW, PIPELINE, GROUPS, LAUNCH_H = (f"chapters/13_softmax/{name}.h" for name in ("row", "pipeline", "groups", "launch"))
CPP, PY = (f"chapters/13_softmax/{name}" for name in ("softmax.cpp", "gradients.py"))
SOFTMAX, RMS = "chapters/13_softmax/softmax.cu", "chapters/13_softmax/rms_norm.cu"
EXACT = T + "infinities_and_nan"
SMOKE = T + "a_step_refuses_rows_that_it_cannot_keep"
MANY = T + "many_rows"
ONE_BLOCK = MANY + "[forward-cluster-150-520]"  # many rows of clusters of one block
BLOCKS = MANY + "[forward-cluster-40-16392]"  # of several blocks
MEMORY_CHECK = "tests/cuda_on_cpu/test_memory_check.py::test_no_false_alarm_in_a_lesson[13_softmax]"


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
    Mutant(ROW, "if (begin(k, group) < end) store_p", "if (begin(k, group) + size < end) store_p", forward("warp")),
    Mutant(ROW, "Out(result(k * size + j))", "Out(result(j))", forward("warp")),
    Mutant(ROW, "(group.rank() + k * group.size()) * size", "(group.rank() + k) * size", forward("block")),
    Mutant(ROW, "{number < rows ? number * n : 0, number < rows ? n : 0}", "{number * n, n}",
           OPERATORS + "right_at_awkward_sizes[forward-13_softmax.softmax]"),
    Mutant(ROW, "return *pack;", "return {};", T + "many_rows_of_half_precision_read_twice"),
    # ---- rows on their way
    Mutant(PIPELINE, "value = T(none);", "value = T(0);", forward("cluster")),
    Mutant(PIPELINE, "for (int s = 0; s < stages; s++) {", "for (int s = 1; s < stages; s++) {", forward("cluster")),
    Mutant(PIPELINE, "for (int s = 0; s < stages; s++) fetch", "for (int s = 0; s < 1; s++) fetch", others("cluster")),
    Mutant(PIPELINE, "fetch(row + s * cluster.rows_at_a_time(), s);", "fetch(row, s);", MANY),
    Mutant(PIPELINE, "fetch(row + s * cluster.rows_at_a_time(), s);", "fetch(row + s * cluster.rows_at_a_time(), 0);", MANY),
    Mutant(PIPELINE, "wait_prior(stages - 1);\n    }\n\n    __device__ bool any",
           "wait_prior(stages);\n    }\n\n    __device__ bool any", others("cluster")),
    Mutant(PIPELINE, "wait_prior(stages - 1);\n    }\n\nprivate", "wait_prior(stages);\n    }\n\nprivate", MANY),
    Mutant(PIPELINE, "any() const { return row < rows; }", "any() const { return row < rows - 1; }", forward("cluster")),
    Mutant(PIPELINE, "fetch(row + stages * cluster.rows_at_a_time(), stage);", "fetch(row + cluster.rows_at_a_time(), stage);",
           MANY),
    Mutant(PIPELINE, "fetch(row + stages * cluster.rows_at_a_time(), stage);",
           "fetch(row + stages * cluster.rows_at_a_time(), 0);", MANY),
    Mutant(PIPELINE, "        row += cluster.rows_at_a_time();", "        row += 1;", MANY),
    Mutant(PIPELINE, "stage = stage == stages - 1 ? 0 : stage + 1;", "stage = 0;", MANY),
    Mutant(PIPELINE, "stage = stage == stages - 1 ?", "stage = stage == stages ?", MANY),
    Mutant(PIPELINE, "load_pack<Read::plain>(place(stage, array, k)", "load_pack<Read::plain>(place(0, array, k)", MANY),
    Mutant(PIPELINE, "((stage * arrays + array) * packs + k)", "(stage * arrays * packs + k)", others("cluster")),
    Mutant(PIPELINE, "packs + k) * threads + int(threadIdx.x)", "packs + k) * threads", forward("cluster")),
    Mutant(PIPELINE, "x[a] + row * n +", "x[0] + row * n +", others("cluster")),
    Mutant(PIPELINE, "if (Values::begin(k, cluster) < n) copy(", "copy(", forward("cluster")),
    Mutant(PIPELINE, "                from += cluster.size() * Pack<T>::SIZE;\n", "", forward("cluster")),
    Mutant(PIPELINE, "a < arrays && row < rows; a++", "a < arrays; a++", MEMORY_CHECK),
    Mutant(PIPELINE, "        __pipeline_commit();\n", "", forward("cluster")),
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
    Mutant(GROUPS, "SLOTS = 2", "SLOTS = 1", MANY),
    Mutant(GROUPS, "for (int slot = 0; slot < SLOTS; slot++)", "for (int slot = 0; slot < 1; slot++)", MANY),
    Mutant(GROUPS, "slot = received % SLOTS, to", "slot = 0, to", ONE_BLOCK),
    Mutant(GROUPS, "__syncthreads();\n        if (threadIdx.x >= 32) return;", "if (threadIdx.x >= 32) return;",
           forward("cluster")),
    Mutant(GROUPS, "combined(of_row, threads / 32)", "combined(of_row, 1)", forward("cluster")),
    Mutant(GROUPS, "unsigned(blocks() * sizeof(Part))", "unsigned(sizeof(Part))", forward("cluster")),
    Mutant(GROUPS, "if (to < blocks())", "if (to < 1)", forward("cluster")),
    Mutant(GROUPS, "parts<Part>(slot) + block()", "parts<Part>(slot)", forward("cluster")),
    Mutant(GROUPS, "mine, in_block(to, barrier(slot))", "mine, barrier(slot)", forward("cluster")),
    Mutant(GROUPS, "slot = received % SLOTS, parity", "slot = 0, parity", ONE_BLOCK),
    Mutant(GROUPS, "        received++;\n", "", BLOCKS),
    Mutant(GROUPS, "parity = received / SLOTS % 2;", "parity = 0;", BLOCKS),
    Mutant(GROUPS, "parity = received / SLOTS % 2;", "parity = received % 2;", BLOCKS),
    Mutant(GROUPS, "combined(parts<Part>(slot), blocks())", "combined(parts<Part>(slot), 1)", forward("cluster")),
    Mutant(GROUPS, "__cluster_barrier_arrive();\n        __cluster_barrier_wait();  // all blocks have started, and", "// and",
           forward("cluster")),
    Mutant(GROUPS, "block() * threads + int(threadIdx.x)", "int(threadIdx.x)", forward("cluster")),
    Mutant(GROUPS, "return int(gridDim.x) / blocks();", "return int(gridDim.x);", forward("cluster")),
    # ---- the choice and the launch
    Mutant(LAUNCH_H, "return int64_t(step == Step::cluster ? most_blocks() : 1) * threads * elements;",
           "return INT64_MAX;", SMOKE),
    Mutant(LAUNCH_H, "(whole || !kernel.whole) && ", "", forward("auto")),
    Mutant(LAUNCH_H, "n <= most) return", "n / 2 <= most) return", forward("auto")),
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
    Mutant(SOFTMAX, "1.442695041f", "1.4427f", T + "errors_beside_torchs[float32]"),
    Mutant(SOFTMAX, "max = -FLT_MAX, sum = 0;  // sum", "max = -INFINITY, sum = 0;  // sum", EXACT),
    Mutant(SOFTMAX, "        max = warp_max(max, lanes);\n", "", forward("warp")),
    Mutant(SOFTMAX, "fast_exp(x[i] - max);", "fast_exp(x[i]);", T + "large_logits[float32]"),
    Mutant(SOFTMAX, "        sum = warp_sum(sum, lanes);\n", "", forward("warp")),
    Mutant(SOFTMAX, "fast_exp(max - all.max) / all.sum", "1 / all.sum", forward("block")),
    Mutant(SOFTMAX, "fast_exp(max - all.max) / all.sum", "fast_exp(max - all.max) / sum", forward("block")),
    Mutant(SOFTMAX, "return values[i] * scale;", "return values[i] / all.sum;", forward("cluster")),
    Mutant(SOFTMAX, "values.load(x + row.begin, row.n, group, -INFINITY);", "values.load(x + row.begin, row.n, group, 0);",
           forward("warp")),
    Mutant(SOFTMAX, "values.load(x + i, n - i, block, -INFINITY);", "values.load(x + i, n - i, block, 0);",
           forward("online")),
    Mutant(SOFTMAX, "MaxSum mine = {-FLT_MAX, 0};", "MaxSum mine = {-INFINITY, 0};", EXACT),
    Mutant(SOFTMAX, "        mine.sum *= expf(before - mine.max);", "",
           forward("online")),
    Mutant(SOFTMAX, "warp_sum(mine.sum * expf(mine.max - max))", "warp_sum(mine.sum)", forward("online")),
    Mutant(SOFTMAX, "fast_exp(values[k] - all.max) * scale", "fast_exp(values[k] - max) * scale", forward("online")),
    Mutant(SOFTMAX, "cluster.send(MaxSum{exps.max, exps.sum});\n        rows.fetch();",
           "cluster.send(MaxSum{exps.max, exps.sum});", MANY),
    Mutant(SOFTMAX, "const Exponentials exps(rows.arrived(), cluster.lanes());",
           "rows.fetch();\n        const Exponentials exps(rows.arrived(), cluster.lanes());", MANY),
    Mutant(SOFTMAX, "const bool whole = n % size == 0 && aligned(out) && aligned(x);", "const bool whole = n % size == 0;",
           T + "an_argument_that_begins_anywhere", gpus=1),
    Mutant(SOFTMAX, "y[i] * (grad[i] - sum)", "y[i] * grad[i] - sum", others("warp")),
    Mutant(SOFTMAX, "        sum += product_sum(g, values);", "        sum = product_sum(g, values);", others("online")),
    Mutant(SOFTMAX, "warp_sum(sum + product_sum(g, values))", "warp_sum(sum)", others("online")),
    Mutant(SOFTMAX, "i < (keeps ? tail : n)", "i < tail", others("online")),
    Mutant(SOFTMAX, "i < (keeps ? tail : n)", "i < (keeps ? tail - step : n)", others("online")),
    Mutant(SOFTMAX, "g = rows.arrived(0), values = rows.arrived(1);", "g = rows.arrived(0), values = rows.arrived(0);",
           others("cluster")),
    Mutant(SOFTMAX, "float2{warp_sum(product_sum(g, values)), 0});\n        rows.fetch();",
           "float2{warp_sum(product_sum(g, values)), 0});", MANY),
    # ---- RMS norm
    Mutant(RMS, "rsqrtf(squares * per_n + eps)", "rsqrtf(squares * per_n)", OPERATORS + "scalars[13_softmax.rms_norm-eps]"),
    Mutant(RMS, "x[i] * (scale * weight[i])", "x[i] * scale", others("warp")),
    Mutant(RMS, "squares += square_sum(values);", "squares = square_sum(values);", others("online")),
    Mutant(RMS, "i += step / 2", "i += step", others("online")),
    Mutant(RMS, "half.template load<Read::last>(x + i,", "half.template load<Read::last>(x,", others("online")),
    Mutant(RMS, "(weight + i, n - i, block, 0);\n        write(", "(weight, n - i, block, 0);\n        write(",
           others("online")),
    Mutant(RMS, "square_sum(values)), 0});\n        rows.fetch();", "square_sum(values)), 0});", MANY),
    Mutant(RMS, "sums.y += g[i] * w[i] * x[i]", "sums.y += g[i] * x[i]", others("warp")),
    Mutant(RMS, "scale * scale * scale * (sums.y", "scale * scale * (sums.y", others("warp")),
    Mutant(RMS, "of_weight[i] += g[i] * f.scale * x[i];", "of_weight[i] = g[i] * f.scale * x[i];", MANY),
    Mutant(RMS, "g[i] * f.scale * w[i] - f.shift", "g[i] * f.scale * w[i] + f.shift", others("warp")),
    Mutant(RMS, "        if (row.n == 0) continue;  // no row: its scale would be infinite where eps is 0\n", "",
           OPERATORS + "scalars[13_softmax.rms_norm_backward-eps]"),
    Mutant(RMS, "is_first ? 0 : before[k]", "0", MANY),
    Mutant(RMS, "    partial += block.row() * n;\n", "", others("online")),
    Mutant(RMS, "factors, n, cluster);\n        rows.fetch();", "factors, n, cluster);", MANY),
    Mutant(RMS, "write_gradient(grad_x + rows.row * n,", "rows.fetch();\n        write_gradient(grad_x + rows.row * n,", MANY),
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
    Mutant(CPP, "eps >= 0 && std::isfinite(float(eps))", "eps >= 0",
           OPERATORS + "scalars[13_softmax.rms_norm-eps]"),
    Mutant(CPP, "(step != Step::three_passes && step != Step::shared)", "true",
           OPERATORS + "scalars[13_softmax.rms_norm-step]"),
    Mutant(PY, "ops.softmax_backward(grad.contiguous(),", "ops.softmax_backward(grad,",
           DERIVATIVES + "[13_softmax.softmax]"),
    Mutant(PY, "return y * (grad - sum_y), grad * (g - sum_gy) - g * sum_y", "return y * (grad - sum_y), grad * (g - sum_gy)",
           DERIVATIVES + "[13_softmax.softmax_backward]"),
    Mutant(PY, "torch._check(x.is_contiguous(), lambda", "torch._check(True, lambda", T + "refused_with_memory_and_without"),
]  # fmt: skip
