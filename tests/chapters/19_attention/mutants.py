"""Small breakages of chapter 19, and the tests that must fail because of each."""

from tools.maintain.mutants import Mutant

T = "tests/chapters/19_attention/test_attention.py::test_"
MODEL = "tests/chapters/19_attention/test_train.py::test_"
FOLDER = "chapters/19_attention/"
CU, BACKWARD, H, CPP = (FOLDER + name for name in ("attention.cu", "backward.cu", "tiles.h", "attention.cpp"))
TRAIN = FOLDER + "train.py"
RULES, HOPPER, TILES, PTX = FOLDER + "rules.py", FOLDER + "hopper_forward.cu", FOLDER + "hopper.h", "device/hopper.h"
GRADIENTS, INFINITIES = T + "gradients[forward-portable-64-bfloat16]", T + "infinities_and_nan"


def lengths(step, order="forward", d=64):
    return f"{T}lengths[{order}-{step}-{d}-bfloat16]"


MORE_WORK = T + "hopper_with_more_work_than_blocks[forward]"


MUTANTS = [
    # ---- forward
    Mutant(CU, "if (first + lane > last) score = -INFINITY;", "", lengths("simple")),
    Mutant(CU, "for (float& x : o) x *= shrink;", "", lengths("simple")),
    Mutant(CU, "if (first + KEYS - 1 > seen_by_all)", "if (false)", lengths("portable")),
    Mutant(CU, "last_key(first_query + my_row, p);", "last_key(first_query + my_row + 31, p);", lengths("portable")),
    Mutant(CU, "larger == -INFINITY ? 0 : larger * scale;", "larger * scale;", INFINITIES),
    Mutant(CU, "rows.sum[half] *= shrink;", "", lengths("portable")),
    Mutant(CU, "__syncthreads();       // v has come, and no thread needs k any more", "", lengths("portable", "reverse")),
    Mutant(CU, "rows.row(at.batch, at.head / p.group, first)", "rows.row(at.batch, at.head % (p.heads / p.group), first)",
           T + "heads_that_share_keys"),
    # ---- hopper: who waits for whom
    Mutant(HOPPER, "wait(at.q_empty[slot], round / 2 % 2 ^ 1);", "", MORE_WORK),
    Mutant(HOPPER, "parity = step / STAGES % 2 ^ 1;", "parity = step / STAGES % 2;", lengths("hopper 2")),
    Mutant(HOPPER, "if (lane == 0) arrive(barrier);", "if (threadIdx.x % 128 == 0) arrive(barrier);", lengths("hopper 2")),
    Mutant(HOPPER, "start_scores(step);\n        next_turn();\n        wgmma_wait<0>(s);\n"
           "        release(at.k_empty[step % STAGES]);",
           "release(at.k_empty[step % STAGES]);\n        start_scores(step);\n        next_turn();\n        wgmma_wait<0>(s);",
           MORE_WORK, why="in the loop it would do no harm: before the next k comes v, into a place released later"),
    Mutant(HOPPER, "wgmma_wait<0>(o);\n            release(at.v_empty[step % STAGES]);\n            multiply_rows(o, shrink);",
           "multiply_rows(o, shrink);\n            wgmma_wait<0>(o);\n            release(at.v_empty[step % STAGES]);",
           lengths("hopper 2")),
    Mutant(HOPPER, "fence_async();", "", lengths("hopper 2"), why="without a symptom on an H100"),
    Mutant(HOPPER, "wgmma_fence();\n            start_registers_by_columns", "start_registers_by_columns",
           lengths("hopper 2")),
    Mutant(PTX, "\\n cp.async.bulk.wait_group.read %0;", "", lengths("hopper 2"), why="without a symptom on an H100"),
    Mutant(TILES, "int(sizeof tile));", "int(sizeof tile) / 2);", lengths("hopper 2")),
    Mutant(HOPPER, "? 160 : 240>();", "? 168 : 248>();", lengths("hopper 2")),
    Mutant(HOPPER, "if constexpr (GROUPS > 1) named_barrier(1 + group, 256);", "named_barrier(1 + group, 256);",
           T + "hopper_with_that_many_warpgroups[forward-1-64]"),
    Mutant(HOPPER, "if (tiles <= processors) given_out = nullptr;", "given_out = nullptr;", MORE_WORK),
    Mutant(HOPPER, "if (given_out) CHECK_CUDA", "if (false) CHECK_CUDA", MORE_WORK),
    Mutant(HOPPER, "630 + 300 * groups", "630", T + "what_the_microscope_sees"),
    # ---- hopper: numbers
    Mutant(TILES, "wgmma_descriptor(b, ROWS * ROW_BYTES)", "wgmma_descriptor(b, 0)", lengths("hopper 2", d=128)),
    Mutant(TILES, "(i / 4 % 8 ^ lane / 4) * 16", "i / 4 % 8 * 16", lengths("hopper 2")),
    Mutant(TILES, "larger == -INFINITY ? 0 : larger * scale_2;", "larger * scale_2;", INFINITIES),
    Mutant(TILES, "rows.sum[half] *= shrink[half];", "", lengths("hopper 2")),
    Mutant(TILES, "i / 2 % 2 ? last_8_further : last", "last", lengths("hopper 2")),
    Mutant(TILES, "batches > 1 ? x.batch_stride : COLUMN", "x.batch_stride", T + "rows_that_lie_anywhere"),
    Mutant(HOPPER, "multiply_rows(o, shrink);", "", lengths("hopper 2")),
    Mutant(HOPPER, "if (tile * KEYS + KEYS - 1 > seen_by_all) mask", "if (false) mask", lengths("hopper 2")),
    Mutant(HOPPER, "last_key(w.first_query + group * 64, p);", "last_key(w.first_query + group * 64 + 63, p);", MORE_WORK),
    Mutant(HOPPER, "tile * KEYS, w.head / p.group, w.batch);\n                    wait(at.v_empty",
           "tile * KEYS, w.head % (p.heads / p.group), w.batch);\n                    wait(at.v_empty",
           T + "heads_that_share_keys"),
    Mutant(HOPPER, "first_head = i / (together * tiles) * together;", "first_head = 0;", MORE_WORK),
    Mutant(CU, "step > AttentionStep::portable && p.keys > 0", "step > AttentionStep::portable", T + "nothing"),
    # ---- products
    Mutant(H, "copy_16_bytes(to + i * ROW, from, row + i < rows);", "copy_16_bytes(to + i * ROW, from, true);",
           lengths("portable")),
    Mutant(H, "load_matrices<true>(y,", "load_matrices<false>(y,", lengths("portable")),
    # ---- backward
    Mutant(BACKWARD, "my_row + 15 > first_query;", "my_row > first_query;", GRADIENTS),
    Mutant(BACKWARD, "tiles_of(p.queries, QUERIES) - first_tile), steps = tiles * p.group;",
           "tiles_of(p.queries, QUERIES) - first_tile), steps = tiles;", T + "heads_that_share_keys"),
    Mutant(BACKWARD, "dp[m][n][i] = weight * (dp[m][n][i] - of.y);", "dp[m][n][i] = weight * dp[m][n][i];", GRADIENTS),
    # ---- the binding
    Mutant(CPP, "chosen != AttentionStep::hopper_3 || p.elements == 64", "true", T + "refused_with_memory_and_without"),
    Mutant(CPP, "whole = whole && (x.size(d) == 1 || x.stride(d) % 8 == 0);", "(void)d;", T + "rows_that_begin_anywhere"),
    Mutant(CPP, "aligned(x.const_data_ptr()) && x.stride(3) == 1;", "x.stride(3) == 1;", T + "rows_that_begin_anywhere"),
    Mutant(CPP, "out.stride(3) == 1 ? out : torch", "out.numel() ? out : torch", T + "rows_that_begin_anywhere"),
    Mutant(RULES, "if grad is None:", "if True:", T + "gradients_of_some"),
    # ---- the model
    Mutant(TRAIN, "attention(q, k, v, causal=True),", "attention(q, k, v),", MODEL + "each_weight_gets_torchs_gradient"),
    Mutant(TRAIN, "softmax=softmax.softmax,", "softmax=lambda x: softmax.softmax(2 * x),", MODEL + "the_losses_stay_together"),
]  # fmt: skip
