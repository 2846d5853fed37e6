"""in flight: four pairs of loads before the first store

The check sees the order of loads and stores without a clock: it lets the arrays overlap, so that a store which comes too
early changes what a later load returns.
"""

import torch

from common.exercises import Wrong, check, device, launchers, limits, shared_out

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
    "two_and_two": (
        "at most 2 pairs",
        {
            "add.cu": [
                (
                    "const int64_t stride = int64_t(gridDim.x) * blockDim.x * 4;\n"
                    "    for (int64_t first = int64_t(blockIdx.x) * blockDim.x * 4 + threadIdx.x; first "
                    "< n; first += stride) {\n"
                    "        float x[4] = {}, y[4] = {};\n"
                    "        for (int k = 0; k < 4; k++) {",
                    "const int64_t stride = int64_t(gridDim.x) * blockDim.x * 2;\n"
                    "    for (int64_t first = int64_t(blockIdx.x) * blockDim.x * 2 + threadIdx.x; first "
                    "< n; first += stride) {\n"
                    "        float x[2] = {}, y[2] = {};\n"
                    "        for (int k = 0; k < 2; k++) {",
                ),
                ("< 4;", "< 2;"),
            ]
        },
    ),
    "b_at_the_end": (
        "thread 0 stores c[0] before it loads b[256]",
        {"add.cu": [("x[k] = a[i], y[k] = b[i];", "x[k] = a[i];"), ("x[k] + y[k]", "x[k] + b[i]")]},
    ),
    "neighbours": (
        "touches 16 sectors",
        {
            "add.cu": [
                (
                    "int64_t(blockIdx.x) * blockDim.x * 4 + threadIdx.x",
                    "4 * (int64_t(blockIdx.x) * blockDim.x + threadIdx.x)",
                ),
                (
                    "const int64_t i = first + k * int(blockDim.x);\n            if (i < n) x[k] = a[i], y[k] = b[i];",
                    "if (first + k < n) x[k] = a[first + k], y[k] = b[first + k];",
                ),
                (
                    "const int64_t i = first + k * int(blockDim.x);\n            if (i < n) c[i] = x[k] + y[k];",
                    "if (first + k < n) c[first + k] = x[k] + y[k];",
                ),
            ]
        },
    ),
    "no_test_in_the_loads": ("out of bounds", {"add.cu": [("if (i < n) x", "x")]}),
    "old_step": ("4096 elements, and", {"add.cu": [(".x * 4;", ".x;")]}),
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
    shared_out(lambda: add(some(4096), some(4096)), 4096)
    limits(lambda: add(some(4096), some(4096)), sectors_per_request=4)

    # One block. What thread t stores in c[t] lies where it loads a[t + 256] from; no other thread uses that place. Then the
    # same with b.
    n = PAIRS * THREADS
    for name in "a", "b":
        memory, other = some(n + THREADS), torch.full((n,), 100.0, device=device)
        aliased, c = memory[:n], memory[THREADS:]
        expected = aliased + other
        launch(c, *((aliased, other) if name == "a" else (other, aliased)), n)
        wrong = (c != expected).nonzero()
        if len(wrong):
            i = int(wrong[0])
            t, loaded = i % THREADS, i // THREADS
            raise Wrong(
                f"at most {loaded} pair{'s' * (loaded > 1)} in flight, {PAIRS} are expected: thread {t} stores "
                f"c[{i - THREADS}] before it loads {name}[{i}]\n"
                f"The check saw it because c begins {THREADS} floats behind {name} here, so c[{i - THREADS}] is {name}[{i}]."
            )
    print(f"{'right':8}{PAIRS} pairs in flight")
