"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "Threads write through one proxy, and TMA reads through another. Which instruction connects them, who calls it, and when?",
    "Each thread that has written calls fence_async(), and the barrier comes after that.",
    "Round 2 writes the slot of round 0. Which line makes sure that the store of round 0 has read it? Is it early enough?",
    "Only one thread can wait for its stores. The others learn from a barrier, before they write, that it has waited.",
]
WRONG = {
    "fence_alone": (
        "slots in turn",
        {
            "store.cu": [
                ("        if (stores) wait_for_reads<1>();\n        __syncthreads();\n        write", "        write"),
                (
                    "        if (stores) {\n            tma",
                    "        if (stores) {\n            wait_for_reads<1>();\n            tma",
                ),
            ]
        },
    ),
    "wait_alone": ("fence.proxy.async", {"store.cu": [("        fence_async();\n", "")]}),
    "fence_before_the_writes": (
        "fence.proxy.async",
        {
            "store.cu": [
                ("        fence_async();\n", ""),
                ("        write_rows(slot, o", "        fence_async();\n        write_rows(slot, o"),
            ]
        },
    ),
    "one_thread_fences": (
        "fence.proxy.async",
        {"store.cu": [("        fence_async();\n", "        if (stores) fence_async();\n")]},
    ),
    "nobody_is_told": (
        "slots in turn",
        {"store.cu": [("wait_for_reads<1>();\n        __syncthreads();\n", "wait_for_reads<1>();\n")]},
    ),
    "two_under_way": ("slots in turn", {"store.cu": [("wait_for_reads<1>", "wait_for_reads<2>")]}),
    "none_under_way": ("must stay under way", {"store.cu": [("wait_for_reads<1>", "wait_for_reads<0>")]}),
    "every_thread_waits": (
        "slots in turn",
        {
            "store.cu": [
                (
                    "        if (stores) wait_for_reads<1>();\n        __syncthreads();\n",
                    "        wait_for_reads<1>();\n",
                )
            ]
        },
    ),
    "no_commit": ("has not waited", {"store.cu": [("            commit_stores();\n", "")]}),
    "none_under_way_by_hopper_h": (
        "must stay under way",
        {"store.cu": [("            commit_stores();\n", "            wait_for_stores_to_read();\n")]},
    ),
    "empty_groups": (
        "must stay under way",
        {
            "store.cu": [
                ("            commit_stores();\n", "            commit_stores();\n            commit_stores();\n")
            ]
        },
    ),
    "no_barrier_before_the_store": (
        "data race",
        {"store.cu": [("        fence_async();\n        __syncthreads();\n", "        fence_async();\n")]},
    ),
    "first_round_alone": (
        "fence.proxy.async",
        {"store.cu": [("        fence_async();\n", "        if (round < 2) fence_async();\n")]},
    ),
    "six_slots": (
        "slots in turn, rows = 1100",
        {
            "store.cu": [
                ("slots[2][ROWS][8]", "slots[6][ROWS][8]"),
                ("slots[round % 2]", "slots[round % 6]"),
                ("        if (stores) wait_for_reads<1>();\n", ""),
                (
                    "    if (stores) wait_for_reads<0>();\n",
                    "    if (stores) wait_for_reads<1>();\n    if (stores) wait_for_reads<0>();\n",
                ),
            ]
        },
    ),
    "a_block_for_each_slot": (
        "expected: two blocks of 128",
        {
            "store.cu": [
                ("<<<2, THREADS", "<<<unsigned(rows + 63) / 64, THREADS"),
                ("        if (stores) wait_for_reads<1>();\n", ""),
                ("            commit_stores();\n", "            commit_stores();\n            wait_for_reads<1>();\n"),
            ]
        },
    ),
    "one_thread_writes": (
        "one lane alone",
        {
            "store.cu": [
                ("i = int(threadIdx.x); i < ROWS * 8; i += THREADS", "i = 0; i < ROWS * 8; i++"),
                ("        write_rows(slot, o", "        if (threadIdx.x == 0) write_rows(slot, o"),
            ]
        },
    ),
}
