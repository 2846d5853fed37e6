"""in flight: four pairs of loads before the first store

The check sees the order of loads and stores without a clock: it lets the arrays overlap, so that a store which comes too
early changes what a later load returns.
"""

import torch

from common.exercises import Wrong, check, device, launchers, limits, seen

MINUTES = 30
PAIRS, THREADS = 4, 256
HINTS = [
    "Two loops within the loop of the skeleton: one that only loads, into two arrays of four floats, and one that stores.",
    "The outer loop's first element and its step count groups of four: both become four times what they are, but threadIdx.x "
    "stays as it is, because neighbouring threads take neighbours.",
    "Element k of a thread is first + k * blockDim.x. The array may end within the four, so each load and store has its test.",
]
FAILS = "at most 1 pair"
WRONG = {
    "two_and_two": "at most 2 pairs",
    "neighbours": "16 sectors a request",
    "no_test_in_the_loads": "out of bounds",
    "old_step": "4096 elements, and",
}


def some(n):
    return torch.randint(-9, 9, (n,), device=device).float()


def run(mine):
    launch = launchers(mine / "add.cu").launch_add

    def add(a, b):
        c = torch.empty_like(a)
        launch(c, a, b, a.numel())
        return c

    check(add, torch.add, lambda n: (some(n), some(n)))
    stores = sum(row.threads for row in seen(lambda: add(some(4096), some(4096))) if row.kind == "store")
    if stores > 4096:
        raise Wrong(
            f"4096 elements, and {stores} stores of a float: threads compute elements that have been computed already"
        )
    limits(lambda: add(some(4096), some(4096)), sectors_per_request=4)

    # One block. What thread t stores in c[t] lies where it loads a[t + 256] from; no other thread uses that place.
    n = PAIRS * THREADS
    memory, b = some(n + THREADS), torch.full((n,), 100.0, device=device)
    a, c = memory[:n], memory[THREADS:]
    expected = a + b
    launch(c, a, b, n)
    wrong = (c != expected).nonzero()
    if len(wrong):
        i = int(wrong[0])
        t, loaded = i % THREADS, i // THREADS
        raise Wrong(
            f"at most {loaded} pair{'s' * (loaded > 1)} in flight, {PAIRS} are expected: thread {t} stores c[{i - THREADS}] "
            f"before it loads a[{i}]\n"
            f"The check saw it because c begins {THREADS} floats behind a here, so c[{i - THREADS}] is a[{i}]."
        )
    print(f"{'right':8}{PAIRS} pairs in flight")
