"""Small breakages of chapter 19, and the tests that must fail because of each."""

from tools.maintain.mutants import Mutant

T = "tests/chapters/19_attention/test_attention.py::test_"
FOLDER = "chapters/19_attention/"
CU, BACKWARD, H, CPP = (FOLDER + name for name in ("attention.cu", "backward.cu", "tiles.h", "attention.cpp"))
RULES = FOLDER + "rules.py"
GRADIENTS, INFINITIES = T + "gradients[forward-portable-64-bfloat16]", T + "infinities_and_nan"


def lengths(step, order="forward"):
    return f"{T}lengths[{order}-{step}-64-bfloat16]"


MUTANTS = [
    # ---- forward
    Mutant(CU, "if (first + lane > last) score = -INFINITY;", "", lengths("simple")),
    Mutant(CU, "for (float& x : o) x *= shrink;", "", lengths("simple")),
    Mutant(CU, "if (first + KEYS - 1 > seen_by_all)", "if (false)", lengths("portable")),
    Mutant(CU, "last_key(first_query + my_row, p);", "last_key(first_query + my_row + 31, p);", lengths("portable")),
    Mutant(CU, "larger == -INFINITY ? 0 : larger * scale;", "larger * scale;", INFINITIES),
    Mutant(CU, "rows.sum[half] *= shrink;", "", lengths("portable")),
    Mutant(CU, "__syncthreads();  // v has come, and nobody needs k any more", "", lengths("portable", "reverse")),
    Mutant(CU, "rows.row(at.batch, at.head / p.group, first)", "rows.row(at.batch, at.head % (p.heads / p.group), first)",
           T + "heads_that_share_keys"),
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
    Mutant(CPP, "whole = whole && (x.size(d) == 1 || x.stride(d) % 8 == 0);", "(void)d;", T + "rows_that_begin_anywhere"),
    Mutant(CPP, "aligned(x.const_data_ptr()) && x.stride(3) == 1;", "x.stride(3) == 1;", T + "rows_that_begin_anywhere"),
    Mutant(CPP, "out.stride(3) == 1 ? out : torch", "out.numel() ? out : torch", T + "rows_that_begin_anywhere"),
    Mutant(RULES, "if grad is None:", "if True:", T + "gradients_of_some"),
]  # fmt: skip
