"""ninety_six: store rows of 96 elements so that ldmatrix has no bank conflict

scores.cu has the lesson's swizzle, `pack ^ row % 8`. A row of 96 elements has 12 packs, and this leads out of it. Find another
place for each pack, and write the loop along D: the scores must be right, and each ldmatrix take 4 passes of shared memory.
"""

import torch

from grader.checks import (
    Wrong,
    by_tensor_cores,
    check,
    device,
    drawn,
    launchers,
    seen,
    without_comments,
    work_is_divided,
)

MINUTES = 25
FAILS = "uses index 13"
CAPABILITY = "8.0"


def run(mine):
    launch = launchers(mine / "scores.cu").launch_scores

    def scores(q, k):
        out = torch.empty(len(q), len(k), device=device)
        launch(out, q, k, len(q), len(k))
        return out

    def reference(q, k):
        return q.float() @ k.float().T

    def inputs(queries, keys):
        return tuple(torch.randint(-9, 10, (rows, 96), device=device).half() for rows in (queries, keys))

    def fractions(queries):
        return tuple(torch.randn(rows, 96, device=device).half() for rows in (queries, 64))

    check(scores, reference, lambda n: inputs(n, 64), (0, 64, 128), name="64 keys, queries")
    check(scores, reference, lambda n: inputs(64, n), (0, 192), name="64 queries, keys")
    check(scores, reference, fractions, (64,), rtol=1e-5, atol=1e-4, name="fractions, 64 keys, queries")
    text = without_comments(mine / "scores.cu")
    for name in "load_matrices<false>", "multiply<__half>":
        if name not in text:
            raise Wrong(f"no {name}(): the tensor cores must multiply what ldmatrix has loaded")
    q, k = inputs(64, 64)
    work_is_divided(lambda: scores(q, k), 64 * 64, warps=4)
    by_tensor_cores(lambda: scores(q, k))
    packs = 2 * 64 * 96 // 8  # each comes from device memory once
    work_is_divided(lambda: scores(q, k), packs, "load", itemsize=16, warps=4)
    rows = [row for row in seen(lambda: scores(q, k)) if row.space == "shared" and row.kind == "load"]
    for row in rows:
        if row.wavefronts > row.least_wavefronts:
            said = (
                f"{row.wavefronts_per_request:.3g} passes of shared memory, where {row.least_wavefronts_per_request:g}"
            )
            raise Wrong(f"{row.file}:{row.line}: a load of a warp takes {said} are enough\n{drawn(row)}")
    passes, enough = sum(row.wavefronts for row in rows), 4 * (64 // 16 + 64 // 16 * 64 // 16) * 96 // 16
    if passes > enough:
        raise Wrong(
            f"all loads together take {passes} passes of shared memory, where {enough} are enough: each warp needs its "
            "16 queries once, and the 64 keys once"
        )
    if rows:
        print(f"{'right':8}{passes} passes of shared memory for all loads, 4 for each ldmatrix")
