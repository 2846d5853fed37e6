"""histogram: no two lanes of a warp add to one count

Where all elements are equal, 32 lanes of a warp add to one address, one after another.
"""

import torch

from common.exercises import check, device, launchers, limits, shared_out

MINUTES = 20
HINTS = [
    "unsigned same = __match_any_sync(~0u, value): bit k of same says that lane k called it with the same value. All "
    "lanes call it. With which value does a lane call it that has no element?",
    "__popc(same) is how many lanes have that value: one addition of this number is enough. Which of the lanes makes it? "
    "They have to agree.",
    "__ffs(same) - 1 is the number of the lowest bit that is set: the first lane of those with this value. "
    "threadIdx.x % 32 is this lane's.",
]
FAILS = "32 lanes of a warp change one address in device memory"
WRONG = {
    "all_add_the_number": (
        "wrong result",
        {
            "histogram.cu": [
                (
                    "const int first = __ffs(int(same)) - 1;  // the first of these lanes\n"
                    "    if (i < n && int(threadIdx.x) % 32 == first) atomicAdd(&counts[value], "
                    "__popc(same));",
                    "if (i < n) atomicAdd(&counts[value], __popc(same));",
                )
            ]
        },
    ),
    "one_lane_counts_all": (
        "each by one lane alone",
        {
            "histogram.cu": [
                (
                    "    const int value = i < n ? x[i] : -1;  // no element has -1\n"
                    "    const unsigned same = __match_any_sync(~0u, value);\n"
                    "    const int first = __ffs(int(same)) - 1;  // the first of these lanes\n"
                    "    if (i < n && int(threadIdx.x) % 32 == first) atomicAdd(&counts[value], __popc(same));",
                    "    if (threadIdx.x % 32 == 0)\n"
                    "        for (int64_t k = i; k < i + 32 && k < n; k++) atomicAdd(&counts[x[k]], 1);",
                )
            ]
        },
    ),
    "first_lane_adds_one": ("wrong result", {"histogram.cu": [("__popc(same)", "1")]}),
    "zero_behind_the_end": ("wrong result", {"histogram.cu": [("-1;  // no element has -1", "0;")]}),
}


def run(mine):
    launch = launchers(mine / "histogram.cu").launch_histogram

    def histogram(x):
        counts = torch.zeros(256, dtype=torch.int32, device=device)
        launch(counts, x, x.numel())
        return counts

    def inputs(n, values=3):
        return ((torch.arange(n, device=device) % values + torch.randint(9, ())).to(torch.uint8),)

    def reference(x):
        return torch.bincount(x, minlength=256).int()

    check(histogram, reference, inputs, (0, 1, 2, 4, 31, 32, 33, 300))
    check(histogram, reference, lambda n: inputs(n, 200), (300,), name="200 values, n")
    limits(lambda: histogram(torch.full((320,), 7, dtype=torch.uint8, device=device)), lanes_at_one_address=1)
    limits(lambda: histogram(*inputs(320)), lanes_at_one_address=1)
    shared_out(lambda: histogram(*inputs(320)), 2 * 320, kind="load")  # a thread may load its element twice
