"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "Before a block reads what another has found, the other must have written it: a barrier of the cluster.",
    "static_cast<Range*>(__cluster_map_shared_rank(&of_block, other)) is the address of of_block in block number `other`.",
    "A block that returns takes its shared memory with it. Somebody may still read it.",
]
WRONG = {
    "returns_early": (
        "has returned",
        {"range.cu": [("    __cluster_barrier_arrive();\n    __cluster_barrier_wait();\n    // end", "    // end")]},
    ),
    "nobody_waits": (
        "data race",
        {
            "range.cu": [
                ("of_block = r;\n    __cluster_barrier_arrive();\n    __cluster_barrier_wait();", "of_block = r;")
            ]
        },
    ),
    "own_block_only": ("wrong result", {"range.cu": [("&of_block, other)", "&of_block, block)")]}),
    "only_the_largest": ("wrong result", {"range.cu": [("r = {fminf(r.min, of_other.min), fmax", "r = {r.min, fmax")]}),
    "reads_the_row_again": (
        "threads repeat work",
        {
            "range.cu": [
                (
                    (
                        "    if (threadIdx.x == 0) of_block = r;\n"
                        "    __cluster_barrier_arrive();\n"
                        "    __cluster_barrier_wait();\n"
                        "    for (unsigned other = 0; other < BLOCKS; other++) {\n"
                        "        const Range of_other = *static_cast<Range*>(__cluster_map_shared_rank(&of_block, other));\n"
                        "        r = {fminf(r.min, of_other.min), fmaxf(r.max, of_other.max)};\n"
                        "    }\n"
                        "    __cluster_barrier_arrive();\n"
                        "    __cluster_barrier_wait();\n"
                    ),
                    (
                        "    (void)of_block;\n"
                        "    for (int64_t i = 0; i < n; i++) r = {fminf(r.min, x[row * n + i]), fmaxf(r.max, "
                        "x[row * n + i])};\n"
                    ),
                )
            ],
        },
    ),
}
