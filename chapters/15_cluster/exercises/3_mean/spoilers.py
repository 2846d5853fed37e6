"""Hints, which `make hint` shows one by one, and wrong solutions. Both give the solution away."""

HINTS = [
    "Write down slot and parity for count = 0, 1, 2, 3 and 4. Which phase of its mbarrier is each of them?",
    "The first phase of each mbarrier has the parity 0. Who waits for parity 1 at the beginning goes on at once.",
    "Each mbarrier is used by every second row, so its parity changes with every second row.",
]
WRONG = {
    "always_0": ("spin", {"mean.cu": [("parity = count / 2 % 2", "parity = 0")]}),
    "other_way_round": ("rows = 1", {"mean.cu": [("parity = count / 2 % 2", "parity = 1 - count / 2 % 2")]}),
    "one_slot": (
        "data race",
        {"mean.cu": [("slot = count % 2, parity = count / 2 % 2", "slot = 0, parity = count % 2")]},
    ),
    "a_cluster_for_each_row": (
        "200 rows: 800 blocks",
        {
            "mean.cu": [
                ("CLUSTERS = 2;", "CLUSTERS = 1000;"),
                ("parity = count / 2 % 2", "parity = count % 2"),
            ],
        },
    ),
    "table_of_parities": (
        "out of bounds",
        {
            "mean.cu": [
                (
                    "const int slot = count % 2, parity = count / 2 % 2;",
                    (
                        "const int phases[20] = {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1};\n"
                        "        const int slot = count % 2, parity = phases[count];"
                    ),
                ),
            ],
        },
    ),
    "phase_for_parity": (
        "a parity is 0 or 1, not 2",
        {"mean.cu": [("parity = count / 2 % 2", "parity = count / 2")]},
    ),
}
